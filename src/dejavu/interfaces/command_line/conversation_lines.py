"""A conversation as lines of a terminal: markdown rendered, times and turn numbers in the margin.

Tool calls, their answers and reasoning take one line each unless they are asked for. For stdout on
a terminal alone: a pipe gets `export.text`. Every line is sanitised after rendering, for markdown
spells characters by entities. O(text).
"""

from collections.abc import Iterable, Iterator
from io import StringIO

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text as RichText
from rich.theme import Theme

from dejavu.export.changes import change_of
from dejavu.export.parts import call_summary, label_and_body
from dejavu.export.text import MARKS, TONES, part_lines
from dejavu.model import (
    Conversation,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Vector,
)
from dejavu.model.conversation import turn_number
from dejavu.model.plural import counted
from dejavu.redact.sanitise import sanitise

from ..tui.markdown_view import QuietMarkdown
from .output import local_time, one_line, style
from .terminal import folder

_MARGIN = 13
"""Cells of `#1204 14:02  `."""
_NARROW = 60
"""Columns below which the margin is left out, and is above each turn."""
_WIDEST = 100  # columns that prose takes: longer lines are hard to read
_MARKDOWN = 20_000  # characters; a longer text is wrapped as it is
_STYLES = {
    "markdown.h1": "bold underline", "markdown.h2": "bold underline", "markdown.h3": "bold",
    "markdown.h4": "bold", "markdown.h5": "italic", "markdown.h6": "italic",
    "markdown.code": "cyan", "markdown.code_block": "none", "markdown.link": "underline",
    "markdown.link_url": "underline dim", "markdown.block_quote": "italic dim",
    "markdown.item.bullet": "bold", "markdown.item.number": "bold", "code.keyword": "magenta",
    "code.string": "green", "code.comment": "italic dim", "code.number": "yellow",
    "code.name": "blue",
}  # fmt: skip


class TerminalPage:
    """Draws turns for a terminal of `width` columns; `coloured` as `output.coloured` says.

    tools: calls and answers unfolded, long ones cut; full: everything whole.
    """

    def __init__(
        self, width: int, *, coloured: bool, tools: bool = False, full: bool = False
    ) -> None:
        self._narrow = width < _NARROW
        self._width = max(20, width)
        self._room = self._width - (0 if self._narrow else _MARGIN) - 2  # a mark and a space
        self._coloured = coloured
        self._tools = tools or full
        self._full = full
        self._console = Console(
            file=StringIO(), width=min(self._room, _WIDEST), force_terminal=True,
            color_system="standard", legacy_windows=False, theme=Theme(_STYLES), _environ={},
        )  # fmt: skip

    def lines(
        self, summary: Conversation, turns: Iterable[Turn], *, at: int | None = None
    ) -> Iterator[str]:
        """The title, then `turns`, a day's name before its first; turn `at` is shown whole."""
        yield from self._heading(summary)
        day = local_time(summary.started_at, "%Y-%m-%d").strip()
        for turn in turns:
            yield ""
            on = local_time(turn.at, "%Y-%m-%d").strip()
            if on and on != day:
                yield style(f"── {on}", "2")
                yield ""
                day = on
            yield from self._turn(turn, whole=turn.seq == at)

    def _heading(self, summary: Conversation) -> Iterator[str]:
        title = sanitise(summary.title or summary.id, newlines=False)
        for line in self._wrapped(title, self._width):
            yield style(line, "1")
        when = local_time(summary.started_at).strip()
        facts = [
            summary.agent,
            folder(summary.workspace),
            when,
            counted(summary.turn_count, "turn"),
        ]
        facts += [" + ".join(vector.label for vector in summary.vectors), summary.id]
        facts += ["★ starred" if summary.starred else "", *(f"#{tag}" for tag in summary.tags)]
        shown = sanitise(" · ".join(fact for fact in facts if fact), newlines=False)
        for line in self._wrapped(shown, self._width):
            yield style(line, "2")

    def _turn(self, turn: Turn, *, whole: bool) -> Iterator[str]:
        number = f"#{turn_number(turn.seq)}"
        clock = local_time(turn.at, "%H:%M")
        margin = style(f"{number:<5} {clock}  ", "1" if whole else "2")
        blank = "" if self._narrow else " " * _MARGIN
        if self._narrow:
            yield margin.rstrip()
            margin = ""
        if len(number) > 5 and not self._narrow:  # five digits: the number has its own line
            yield margin.rstrip()
            margin = blank
        for part in turn.parts:
            lead = style(f"{MARKS[turn.role]} ", TONES[turn.role])
            for line in self._part(part, turn, whole=whole):
                yield f"{margin}{lead}{line}".rstrip()
                margin, lead = blank, "  "

    def _part(self, part: Part, turn: Turn, *, whole: bool) -> Iterator[str]:
        if isinstance(part, Text):
            yield from self._prose(part.content, turn)
        elif not (self._tools or whole):
            yield style(one_line(_folded(part), self._room), "2")
        else:
            alone = part_lines(
                turn.role, part, style, full=self._full or whole, coloured=self._coloured
            )
            for number, line in enumerate(alone):
                # The mark is in the margin already; the first line of a part has it.
                text = line if number else line.replace(f"{MARKS[turn.role]} ", "", 1)
                yield from self._rendered(RichText.from_ansi(text), self._room)

    def _prose(self, content: str, turn: Turn) -> Iterator[str]:
        text = sanitise(content.strip("\n")).expandtabs(4)
        # Prompts and screen text are no markdown: their lines stay as they are.
        plain = turn.role is not Role.ASSISTANT or turn.vector is Vector.SCREEN
        tone = "bold cyan" if turn.role is Role.USER else ""
        lines = list[str]()
        if not plain and len(text) <= _MARKDOWN:
            try:
                lines = list(self._rendered(QuietMarkdown(text)))
            except (RecursionError, ValueError, KeyError, IndexError):
                lines = []  # text that no renderer takes is still text
        yield from _trimmed(lines or list(self._rendered(RichText(text, tone))))

    def _wrapped(self, text: str, width: int) -> Iterator[str]:
        for line in RichText(text).wrap(self._console, width):
            yield line.plain.rstrip()

    def _rendered(self, what: RenderableType, width: int | None = None) -> Iterator[str]:
        options = self._console.options.update(width=width or self._console.width)
        for line in self._console.render_lines(what, options, pad=False):
            yield "".join(map(self._painted, line)).rstrip()

    def _painted(self, segment: Segment) -> str:
        text = sanitise(segment.text, newlines=False)
        if not self._coloured or segment.style is None:
            return text
        unlinked: Style = segment.style.update_link(None)
        return unlinked.render(text, color_system=ColorSystem.STANDARD)


def _folded(part: Part) -> str:
    """A part that is no prose, in one line."""
    if isinstance(part, ToolCall):
        change = change_of(part.arguments)
        return call_summary(part) + (f" (+{change.added} -{change.removed})" if change else "")
    label, body = label_and_body(part)
    lines = body.strip().splitlines() or ["(nothing)"]
    if isinstance(part, Reasoning):
        label = "thinking"
    elif isinstance(part, ToolCallResponse) and not part.is_error:
        label = ""
    more = f"  (+{counted(len(lines) - 1, 'line')})" if len(lines) > 1 else ""
    return f"{label}: {lines[0]}{more}" if label else f"{lines[0]}{more}"


def _trimmed(lines: list[str]) -> Iterator[str]:
    """No blank lines at the ends, and one at most between."""
    blank = begun = False
    for line in lines:
        if not line.strip():
            blank = begun
            continue
        if blank:
            yield ""
        blank, begun = False, True
        yield line
