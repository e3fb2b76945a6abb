"""Why a change was made: the prompt before it and what the agent said with it. O(turns between).

Tested in: tests/extensions/code/cli/test_blame.py
"""

from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.model import DejavuError, Role, Text, ToolCall, Turn

from .queries import Edit

_STEP = 64  # turns read at a time on the way back to the prompt
_FURTHEST = 4_000


class Why(NamedTuple):
    """What the user asked (its turn is `asked`), what the agent said, and the model."""

    prompt: str = ""
    asked: int | None = None
    answer: str = ""
    model: str = ""


def why_of_edit(archive: Archive, edit: Edit, cache: dict[tuple[str, int], Turn | None]) -> Why:
    """Why a change was made; reads the turns that the index names, each once a `cache`."""
    if edit.asked is None:
        return why_of(archive, edit.conversation, edit.seq)

    def turn_at(seq: int | None) -> Turn | None:
        if seq is None:
            return None
        if (edit.conversation, seq) not in cache:
            try:
                turn = next(archive.turns(edit.conversation, seq, seq + 1), None)
            except DejavuError:
                turn = None
            cache[edit.conversation, seq] = turn
        return cache[edit.conversation, seq]

    prompt, said = turn_at(edit.asked), turn_at(edit.said)
    answer = "" if said is None else _said(said)
    model = "" if said is None else said.model or ""
    return Why("" if prompt is None else prompt.text, edit.asked, answer, model)


def why_of(archive: Archive, conversation: str, seq: int) -> Why:
    """Why the change in turn `seq` was made; empty where the archive no longer says."""
    stop, answer, model = seq + 1, "", ""
    try:
        while stop > max(0, seq - _FURTHEST):
            start = max(0, stop - _STEP)
            turns = list(archive.turns(conversation, start, stop))
            for turn in reversed(turns):
                if turn.role == Role.ASSISTANT:
                    answer = answer or _said(turn)
                    model = model or turn.model or ""
                elif turn.role == Role.USER and turn.text.strip():
                    return Why(turn.text, turn.seq, answer, model)
            stop = start
    except DejavuError:
        return Why(answer=answer, model=model)
    return Why(answer=answer, model=model)


def _said(turn: Turn) -> str:
    return turn.text.strip()


def call_at(archive: Archive, conversation: str, seq: int, part: int) -> ToolCall | Text | None:
    """The tool call (or the text) in a turn; None where there is none any more."""
    turn = next(archive.turns(conversation, seq, seq + 1), None)
    if turn is None or part >= len(turn.parts):
        return None
    found = turn.parts[part]
    return found if isinstance(found, (ToolCall, Text)) else None
