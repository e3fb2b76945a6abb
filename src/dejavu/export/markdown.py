"""A conversation as markdown: a heading a turn, code fences around what tools returned.

The agent's own markdown stays as it is, except what would be active in a reader: see
`inert_markdown`. Everything is sanitised. O(text).
"""

from collections.abc import Callable, Iterator

from dejavu.model import Conversation, Role, Turn, to_iso
from dejavu.redact.sanitise import sanitise

from .inert_markdown import fenced, inert, inert_line, is_inert
from .parts import label_and_body

_NAME = {Role.USER: "User", Role.ASSISTANT: "Assistant", Role.TOOL: "Tool", Role.SYSTEM: "System"}


def as_markdown(conversation: Conversation) -> str:
    """Return the whole conversation, ending in a newline."""
    facts = [
        ("Agent", conversation.agent),
        ("Folder", conversation.workspace),
        ("Started", to_iso(conversation.started_at) or ""),
        ("Conversation", conversation.id),
        ("Starred", "yes" if conversation.starred else ""),
        ("Tags", ", ".join(conversation.tags)),
    ]
    lines = [f"# {_line(conversation.title or conversation.id)}", ""]
    lines += [f"- {name}: {_line(value)}" for name, value in facts if value]
    return (
        "\n".join([*lines, *(text for turn in conversation.turns for text in _turn(turn))]) + "\n"
    )


def turn_as_markdown(turn: Turn) -> str:
    """Return one turn, its heading first, ending in a newline."""
    return "\n".join(_turn(turn)).strip() + "\n"


def _turn(turn: Turn) -> list[str]:
    when = f" ({to_iso(turn.at)})" if turn.at is not None else ""
    heading = ["", f"## {_NAME[turn.role]}{when}"]
    lines = [*heading, *_parts(turn, inert)]
    # Code by indentation is a list's next line, where a list comes before it.
    return lines if is_inert("\n".join(lines)) else [*heading, *_parts(turn, fenced)]


def _parts(turn: Turn, spoken: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines of a turn; `spoken` makes markdown of what was said."""
    for part in turn.parts:
        label, body = label_and_body(part)
        safe = sanitise(body)
        if not label:
            yield from ("", spoken(safe))
        elif label == "reasoning":
            yield from ("", *("> " + text for text in spoken(safe).splitlines()))
        else:
            yield from ("", f"*{_line(label)}*", "", fenced(safe))


def _line(text: str) -> str:
    return inert_line(sanitise(text, newlines=False))
