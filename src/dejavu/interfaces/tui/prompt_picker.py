"""The picker behind the shell key: conversations, and past prompts that hold what is typed.

Drawn below the prompt, on stderr, so that stdout has only the choice. Enter takes the command that
resumes the conversation, Tab the prompt itself, quoted for the shell and redacted.
"""

# Textual leaves the types of `App` and `Worker` open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from itertools import islice
from typing import ClassVar, NamedTuple

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from dejavu.archive import Archive
from dejavu.archive.redactor import archive_redactor
from dejavu.config import clock
from dejavu.providers.resume import shell_word

from .formatting import day_or_time, last_moment, safe, title_of

_ROWS = 200  # conversations listed at first
_HITS = 40


class Choice(NamedTuple):
    """A conversation with a prompt of it."""

    conversation: str
    prompt: str
    title: str
    agent: str
    when: str


class PromptPicker(App[str]):
    """Gives the text for the command line; None where nothing was chosen."""

    INLINE_PADDING = 0
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c,ctrl+g", "leave", priority=True),
        Binding("down,ctrl+n", "move(1)", priority=True),
        Binding("up,ctrl+p", "move(-1)", priority=True),
        Binding("pagedown", "move(8)", priority=True),
        Binding("pageup", "move(-8)", priority=True),
        Binding("tab", "take_prompt", priority=True),
    ]
    CSS = """
    Screen { height: auto; background: transparent; &:inline { border: none; height: 12; } }
    Input { border: none; height: 1; padding: 0; background: transparent; }
    Static { height: 1; color: $text-muted; }
    OptionList { height: 10; border: none; padding: 0; background: transparent; }
    OptionList, Static { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, archive: Archive) -> None:
        super().__init__()
        self._archive = archive
        self._shown: list[Choice] = []

    def compose(self) -> ComposeResult:
        """What is typed, the choices, and the keys."""
        yield Input(placeholder="conversation or past prompt", select_on_focus=False)
        yield OptionList()
        yield Static("Enter resume · Tab the prompt · Esc leave", markup=False)

    def on_mount(self) -> None:
        """List the newest conversations."""
        self._list("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what answers."""
        self._list(event.value.strip())

    def _list(self, typed: str) -> None:
        self._shown = self._found(typed) if typed else self._newest()
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(
            Option(
                Content.assemble(
                    (f"{one.when:>10}  {safe(one.agent, 9):9}  ", "$text-muted"),
                    safe(one.title, 200),
                )
            )
            for one in self._shown
        )
        options.highlighted = 0 if self._shown else None

    def _newest(self) -> list[Choice]:
        return [
            Choice(
                one.id, self._archive.first_prompt(one.id), title_of(one), one.agent,
                day_or_time(last_moment(one), clock.now()),
            )
            for one in islice(self._archive.scan(side=False), _ROWS)
        ]  # fmt: skip

    def _found(self, typed: str) -> list[Choice]:
        words = typed.casefold().split()
        named = [one for one in self._newest() if all(w in one.title.casefold() for w in words)]
        known = {one.conversation for one in named}
        hits = self._archive.search(typed, role="user", limit=_HITS, side=False)
        for hit in hits:
            if hit.conversation in known:
                continue
            known.add(hit.conversation)
            [turn] = islice(self._archive.turns(hit.conversation, hit.seq, hit.seq + 1), 1)
            when = day_or_time(hit.at, clock.now())
            named.append(Choice(hit.conversation, turn.text, turn.text, hit.agent, when))
        return named

    def _chosen(self) -> Choice | None:
        at = self.query_one(OptionList).highlighted
        return None if at is None else self._shown[at]

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        """Enter: the command that resumes it."""
        self.action_resume()

    def on_option_list_option_selected(self, _event: OptionList.OptionSelected) -> None:
        """A click."""
        self.action_resume()

    def action_resume(self) -> None:
        """The command that resumes the conversation."""
        if (choice := self._chosen()) is not None:
            word = shell_word(safe(choice.conversation))  # in a team's archive a member chooses it
            self.exit(f"dejavu resume {'-- ' * word.startswith('-')}{word}")

    def action_take_prompt(self) -> None:
        """The prompt, as one word of the shell."""
        if (choice := self._chosen()) is not None:
            self.exit(shell_word(safe(archive_redactor().redact(choice.prompt), 4_000)))

    def action_move(self, by: int) -> None:
        """Move in the list while the person keeps typing."""
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            options.highlighted = max(0, min(options.highlighted + by, len(self._shown) - 1))

    def action_leave(self) -> None:
        """Nothing."""
        self.exit(None)
