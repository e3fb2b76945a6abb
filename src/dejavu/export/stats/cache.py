"""The sums of every conversation, in a derived file that follows the archive's log.

The file names the log entry it is at; it is rebuilt when that entry is not the archive's
(after a restore), and may be deleted at any time. O(conversations) to load, O(turns of what
changed) to catch up. Where nothing can be written, everything is counted again each time.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from dejavu.archive import Archive, Position, derived
from dejavu.config.files import replace_file
from dejavu.model import Conversation, NotFoundError, Turn

from .figures import Sum, sums_of, within

_VERSION = 2


class _File(msgspec.Struct):
    version: int = _VERSION
    sequence: int = 0
    at: float = 0.0
    sums: dict[str, list[Sum]] = {}


class UsageCache:
    """The sums of one archive, up to date from when it was made."""

    def __init__(self, archive: Archive, path: Path) -> None:
        """Load what `path` holds and follow the log from there."""
        self._archive = archive
        self._path = path
        self._kept = self._loaded()
        if self._caught_up():
            with suppress(OSError):  # a read-only medium: the next call counts again
                self._save()

    def sums(self, summary: Conversation, since: float | None, until: float | None) -> list[Sum]:
        """The sums of a conversation's turns between two moments (Unix seconds), to the second."""
        stored = self._kept.sums.get(summary.id, [])
        touched = list(within(stored, since, until))
        if all(whole for _, whole in touched):
            return [counted for counted, _ in touched]
        return sums_of(_between(self._archive.turns(summary.id), since, until))

    def _loaded(self) -> _File:
        """What the file holds, if it is of this archive."""
        try:
            stored = msgspec.msgpack.decode(self._path.read_bytes(), type=_File)
        except (OSError, msgspec.MsgspecError):
            return _File()
        if stored.version != _VERSION or stored.sequence < 1:
            return _File()
        position = Position(stored.sequence, stored.at)
        return stored if derived.holds(self._archive.log, position) else _File()

    def _caught_up(self) -> bool:
        """Follow the log; True if anything had changed."""
        stored = self._kept
        before = stored.sequence
        for change in derived.fold(self._archive.log(before)):
            stored.sequence, stored.at = change.sequence, change.at
            if change.is_summary_only:
                continue
            try:
                stored.sums[change.conversation] = sums_of(self._archive.turns(change.conversation))
            except NotFoundError:
                stored.sums.pop(change.conversation, None)
        return stored.sequence != before

    def _save(self) -> None:
        replace_file(self._path, msgspec.msgpack.encode(self._kept))


def _between(turns: Iterator[Turn], since: float | None, until: float | None) -> Iterator[Turn]:
    return (
        turn
        for turn in turns
        if turn.at is None
        or ((since is None or turn.at >= since) and (until is None or turn.at <= until))
    )
