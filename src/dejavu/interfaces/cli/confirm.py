"""`dejavu memory confirm ID` and `reject ID`: move a memory's confidence, or judge a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dejavu.archive import Archive
from dejavu.archive.access import open_archive, resolve
from dejavu.model import NotFoundError, to_iso
from dejavu.recall import Memory, verdicts

from ..command_line.output import one_line, print_json, style
from .remember import to_dict

if TYPE_CHECKING:
    from ..command_line.parameters import Json, Judged


def command(
    identity: Judged,
    json: Json = False,
) -> None:
    """Mark a memory or a recalled answer as right.

    A memory's confidence rises by 0.1. For a hit, only the figures of `dejavu memory log` change.
    """
    judge(identity, right=True, json=json)


def reject(
    identity: Judged,
    json: Json = False,
) -> None:
    """Mark a memory or a recalled answer as wrong.

    A memory's confidence falls by 0.15. For a hit, only the figures of `dejavu memory log` change.
    """
    judge(identity, right=False, json=json)


def judge(identity: str, *, right: bool, json: bool) -> None:
    """Keep what is said of a memory or a hit, and print what came of it."""
    with open_archive(write=True) as archive:
        if verdicts.is_hit(identity):
            identity = _whole(archive, identity)
        (_judge_hit if verdicts.is_hit(identity) else _judge_memory)(archive, identity, right, json)


def _whole(archive: Archive, hit: str) -> str:
    """The hit with the whole id of its conversation; as it is where that was pruned."""
    conversation, mark, turn = hit.partition("#")
    try:
        return archive.resolve(resolve(archive, conversation)) + mark + turn
    except NotFoundError:
        return hit


def _judge_memory(archive: Archive, identity: str, right: bool, json: bool) -> None:
    memory = Memory(archive)
    before = memory.get(identity)
    (memory.confirm if right else memory.reject)(before)
    after = memory.get(before.id)
    if json:
        print_json(to_dict(after))
    else:
        print(f"{style(after.id, '2')} confidence {before.confidence} -> {after.confidence}")


def _judge_hit(archive: Archive, identity: str, right: bool, json: bool) -> None:
    verdict = verdicts.judge(archive, identity, right=right)
    if json:
        print_json({**msgspec.to_builtins(verdict), "at": to_iso(verdict.at)})
        return
    given = "was recalled" if verdict.given else "was not sure enough to be given"
    marked = "right" if right else "wrong"
    print(f"{style(one_line(verdict.hit), '2')} marked as {marked}; it {given}")
