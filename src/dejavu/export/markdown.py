"""A conversation as markdown: a heading a turn, code fences around what tools said.

Takes a conversation; gives sanitised text. The agent's own markdown stays as it is.
"""

import re

from dejavu.model import Conversation, Role, Turn, to_iso
from dejavu.redact.sanitise import sanitise

from .parts import label_and_body

_NAME = {Role.USER: "User", Role.ASSISTANT: "Assistant", Role.TOOL: "Tool", Role.SYSTEM: "System"}


def as_markdown(conversation: Conversation) -> str:
    """The whole conversation, ending in a newline."""
    title = sanitise(conversation.title or conversation.id, newlines=False)
    facts = [
        ("Agent", conversation.agent),
        ("Workspace", conversation.workspace),
        ("Started", to_iso(conversation.started_at) or ""),
        ("Conversation", conversation.id),
    ]
    head = [f"# {title}", ""]
    head += [f"- {name}: {sanitise(value, newlines=False)}" for name, value in facts if value]
    return "\n".join([*head, *(text for turn in conversation.turns for text in _turn(turn))]) + "\n"


def _turn(turn: Turn) -> list[str]:
    when = f" ({to_iso(turn.at)})" if turn.at is not None else ""
    out = ["", f"## {_NAME[turn.role]}{when}"]
    for part in turn.parts:
        label, body = label_and_body(part)
        safe = sanitise(body)
        if not label:
            out += ["", safe]
        elif label == "reasoning":
            out += ["", *("> " + text for text in safe.splitlines())]
        else:
            # A fence longer than any run of backticks inside cannot be closed from inside.
            longest = max((len(run) for run in re.findall(r"`{3,}", safe)), default=2)
            fence = "`" * (longest + 1)
            out += ["", f"*{sanitise(label, newlines=False)}*", "", fence, safe, fence]
    return out
