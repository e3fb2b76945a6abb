"""`dejavu memory confirm ID` and `reject ID`: move a memory's confidence, or judge a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dejavu.archive.access import open_archive
from dejavu.model import to_iso
from dejavu.recall.verdicts import judge

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
    mark(identity, right=True, json=json)


def reject(
    identity: Judged,
    json: Json = False,
) -> None:
    """Mark a memory or a recalled answer as wrong.

    A memory's confidence falls by 0.15. For a hit, only the figures of `dejavu memory log` change.
    """
    mark(identity, right=False, json=json)


def mark(identity: str, *, right: bool, json: bool) -> None:
    """Keep what is said of a memory or a hit, and print what came of it."""
    with open_archive(write=True) as archive:
        judged = judge(archive, identity, right=right)
    if not json:
        print(style(one_line(judged.id), "2"), judged.told)
    elif judged.memory is not None:
        print_json(to_dict(judged.memory))
    elif judged.hit is not None:
        print_json({**msgspec.to_builtins(judged.hit), "at": to_iso(judged.hit.at)})
