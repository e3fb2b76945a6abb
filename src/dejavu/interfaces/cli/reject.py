"""`dejavu memory reject ID`: lower a memory's confidence, or say that a hit does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .confirm import judge

if TYPE_CHECKING:
    from ..command_line.parameters import Json, Judged


def command(
    identity: Judged,
    json: Json = False,
) -> None:
    """Mark a memory or a recalled answer as wrong.

    A memory's confidence falls by 0.15. For a hit, only the figures of `dejavu memory log` change.
    """
    judge(identity, right=False, json=json)
