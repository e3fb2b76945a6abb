"""A conversation for the terminal: `❯` before prompts, `●` before answers, the rest indented.

Lines are sanitised; `paint` colours what is already safe.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from dejavu.model import LOW_READING, Conversation, Role, ToolCall, Turn
from dejavu.model.timestamps import known_time
from dejavu.redact.sanitise import sanitise

from .parts import call_summary, label_and_body

_MARK = {Role.USER: "❯", Role.ASSISTANT: "●", Role.TOOL: "⎿", Role.SYSTEM: "·"}
_COLOUR = {Role.USER: "1;36", Role.ASSISTANT: "0", Role.TOOL: "2", Role.SYSTEM: "2"}
_FOLD = 12
"""Lines of a tool's answer or of reasoning that are shown unless everything is asked for."""


def as_text(
    conversation: Conversation,
    turns: Iterable[Turn] | None = None,
    *,
    paint: Callable[[str, str], str],
    full: bool = False,
    numbered: bool = False,
    at: int | None = None,
) -> Iterator[str]:
    """The lines of `conversation`; `full` shows long tool output and reasoning whole.

    `turns` are those to be shown, read while the lines are taken; None: the conversation's own.
    `numbered` puts its number before each turn; turn `at` is shown whole, too.
    """
    yield paint(sanitise(conversation.title or conversation.id, newlines=False), "1")
    facts = [conversation.agent, conversation.workspace, _when(conversation.started_at)]
    facts += [f"{conversation.turn_count} turns", "+".join(conversation.vectors), conversation.id]
    yield paint(sanitise(" · ".join(fact for fact in facts if fact), newlines=False), "2")
    for turn in conversation.turns if turns is None else turns:
        yield ""
        if numbered:
            yield paint(f"#{turn.seq}", "2" if turn.seq != at else "1;7")
        yield from _turn_lines(turn, paint, full or turn.seq == at)


def _when(at: float | None) -> str:
    at = known_time(at)
    return "" if at is None else datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


def _turn_lines(turn: Turn, paint: Callable[[str, str], str], full: bool) -> Iterator[str]:
    mark, colour = _MARK[turn.role], _COLOUR[turn.role]
    for part in turn.parts:
        label, body = label_and_body(part)
        if isinstance(part, ToolCall) and not full:
            label, body = call_summary(part), ""
        lines = sanitise(body).splitlines()
        folded = 0
        if label and not full and len(lines) > _FOLD:
            folded, lines = len(lines) - _FOLD, lines[:_FOLD]
        if label:
            lines = [sanitise(label, newlines=False), *("  " + text for text in lines)]
        lines.reverse()
        lead = f"{mark} "
        while lines:  # a line may be of many megabytes: it is let go of when it is taken
            yield paint(lead + lines.pop().rstrip(), "2" if label else colour)
            lead = "  "
        if folded:
            yield paint(f"    … {folded} more lines (--full shows them)", "2")
    if turn.meta.get(LOW_READING):
        yield paint("  (from a screen that is read badly: `dejavu doctor` says more)", "2")
