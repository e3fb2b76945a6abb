"""Blocks of a transcript put together into turns: one turn a role, until another one speaks.

What comes before the first prompt belongs to no turn. Of an agent that no rules know, rows that no
rule claims are the answer where nothing else is, and turns are marked so. Cost: O(blocks).

Tested in: tests/scrapers/test_parsed_buffer.py
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dejavu.model import Part, Role, Text, Turn, Vector

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


def assemble(
    blocks: Sequence[Block], *, first: int = 0, guessed: bool = False
) -> Iterator[AssembledTurn]:
    """Yield the turns of blocks that were read, numbered from `first`.

    Only the very first needs a prompt before it. guessed: no rules know the agent.
    """
    answers = _unclaimed(blocks) if guessed else frozenset[int]()
    role: Role | None = None
    parts: list[Part] = []
    at = 0.0
    seq = first
    for index, block in enumerate(blocks):
        speaker = Role.ASSISTANT if index in answers else _ROLES.get(block.kind)
        if speaker is None or (role is None and not first and speaker is not Role.USER):
            continue
        part = block.part
        if part is None:
            continue
        if role is not None and (speaker is not role or speaker is Role.USER):
            yield AssembledTurn(_turn(seq, role, parts, at, guessed), index)
            seq += 1
            parts = []
        if not parts:
            role, at = speaker, block.at
        is_rest = index in answers and index - 1 in answers and bool(parts)
        if is_rest and isinstance(part, Text) and isinstance(parts[-1], Text):
            parts[-1] = Text(f"{parts[-1].content}\n{part.content}")
        else:
            parts.append(part)
    if role is not None and parts:
        yield AssembledTurn(_turn(seq, role, parts, at, guessed), len(blocks))


def _unclaimed(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the blocks that are all there is of an answer, though no rule claims them."""
    found: list[int] = []
    exchange: list[int] = []
    answered = True  # what comes before the first prompt here is unknown
    for index, block in enumerate(blocks):
        if block.kind == "user":
            found += [] if answered else exchange
            exchange, answered = [], False
        elif block.rule is None:
            exchange.append(index)
        elif _ROLES.get(block.kind) is Role.ASSISTANT:
            answered = True
    return frozenset(found if answered else [*found, *exchange])


def _turn(seq: int, role: Role, parts: list[Part], at: float, guessed: bool) -> Turn:
    meta: dict[str, str | int | float | None] = {"low": True} if guessed else {}
    return Turn(seq=seq, role=role, parts=tuple(parts), at=at, vector=Vector.SCREEN, meta=meta)
