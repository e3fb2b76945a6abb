"""Indexes made from the archive: how far each is behind it, and what that means for the user.

Costs O(log entries that the furthest index has not seen). Opens nothing that does not exist yet.

Tested in: tests/interfaces/cli/test_sync.py
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.archive.derived import Derived, Lag
from dejavu.archive.search.direct import MOST_TURNS
from dejavu.config.extensions import parts
from dejavu.model import ArchiveError
from dejavu.model.plural import counted
from dejavu.recall import Recall
from dejavu.recall.injection import MAX_INDEX_LAG

from .finding import Finding, Severity


class _Tolerance(NamedTuple):
    """How many turns an index may lack, and what happens beyond."""

    turns: float
    effect: str
    catches_up: str
    fix: str


_TOLERANCES = {
    "search index": _Tolerance(
        MOST_TURNS, "searches miss some of them", "the next search catches up",
        "run `dejavu search` when no other command writes the index and the disk has room",
    ),
    "recall index": _Tolerance(
        MAX_INDEX_LAG, "prompts get no history until it catches up", "the next prompt catches up",
        "wait for a running `dejavu sync` or daemon, or run `dejavu memory find`",
    ),
}  # fmt: skip


def derived_data(archive: Archive) -> Iterator[Finding]:
    """Yield a finding for each index of an open archive."""
    with ExitStack() as stack:
        indexes: list[Derived] = [archive.search_engine, Recall(archive)]
        tolerances = dict(_TOLERANCES)
        for part in parts("derived"):
            index = stack.enter_context(part.existing(archive))
            if index is not None:
                indexes.append(index)
                tolerances[part.NAME] = _Tolerance(float("inf"), "", part.CATCHES_UP, "")
        for index in indexes:
            try:
                yield _finding(tolerances[index.name], index.name, index.lag())
            except ArchiveError as error:
                yield Finding(
                    subject=index.name, severity=Severity.WARNING, message=str(error),
                    fix="free disk space, or delete the index's folder in the archive: it is rebuilt",
                )  # fmt: skip


def _finding(tolerance: _Tolerance, name: str, lag: Lag) -> Finding:
    beyond = lag.turns + lag.entries > tolerance.turns
    message = "up to date"
    if lag.conversations:
        effect = tolerance.effect if beyond else tolerance.catches_up
        behind = counted(lag.conversations, "conversation")
        message = f"{behind} behind ({counted(lag.turns, 'turn')}): {effect}"
    return Finding(
        subject=name, severity=Severity.WARNING if beyond else Severity.OK, message=message,
        fix=tolerance.fix if beyond else "",
        facts={"conversations": lag.conversations, "turns": lag.turns},
    )  # fmt: skip
