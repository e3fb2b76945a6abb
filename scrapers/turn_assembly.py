"""Blocks of a transcript put together into turns: one turn a role, until another one speaks.

What stands before the first prompt belongs to no turn. Cost: O(blocks).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dejavu.model import Part, Role, Turn, Vector

from .blocks import Block

_ROLES = {
    "user": Role.USER,
    "text": Role.ASSISTANT,
    "reasoning": Role.ASSISTANT,
    "tool_call": Role.ASSISTANT,
    "fold": Role.ASSISTANT,
    "response": Role.TOOL,
    "error": Role.SYSTEM,
}


class AssembledTurn(NamedTuple):
    """A turn, and the index of the block that the next turn begins with."""

    turn: Turn
    end: int


def assemble(blocks: Sequence[Block], *, first: int = 0) -> Iterator[AssembledTurn]:
    """Yield the turns of blocks that were read, numbered from `first`.

    Only the very first needs a prompt before it.
    """
    role: Role | None = None
    parts: list[Part] = []
    at = 0.0
    seq = first
    for index, block in enumerate(blocks):
        speaker = _ROLES.get(block.kind)
        if speaker is None or (role is None and not first and speaker is not Role.USER):
            continue
        part = block.part
        if part is None:
            continue
        if role is not None and (speaker is not role or speaker is Role.USER):
            yield AssembledTurn(_turn(seq, role, parts, at), index)
            seq += 1
            parts = []
        if not parts:
            role, at = speaker, block.at
        parts.append(part)
    if role is not None and parts:
        yield AssembledTurn(_turn(seq, role, parts, at), len(blocks))


def _turn(seq: int, role: Role, parts: list[Part], at: float) -> Turn:
    return Turn(seq=seq, role=role, parts=tuple(parts), at=at, vector=Vector.SCREEN)
