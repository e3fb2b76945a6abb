"""Whether a session file from another machine is a copy of one that the archive already has.

A home that was copied, restored or mounted elsewhere holds the same sessions byte for byte, except
what was masked in the archive since. Such a file is not imported again, so that conversations and
cost count once. A file that differs from the archived one, or has more, is imported for its own
machine. So is everything in a team's archive, where each machine has an owner; `Importer` asks of
files of other machines alone.

Must not read the archive's turns. Costs a stat for a known copy and one reading of a new file.

Tested in: tests/ingest/test_copies.py
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import msgspec

from dejavu.archive import Archive
from dejavu.config.paths import is_server
from dejavu.providers import Kind, Provider, Source
from dejavu.providers.follow.stamp import source_stamp

from .channel import known_machines

_NAMESPACE = "copies"
"""By the key of each copy: how its file looked, and the key of the source it is a copy of."""


class Copies:
    """The copies in an archive, for one import."""

    def __init__(self, archive: Archive) -> None:
        """Read which machines the archive has sources of."""
        self._archive = archive
        self._records = archive.namespace(_NAMESPACE)
        self._machines = None if is_server(archive.name) else known_machines(archive)

    def others(self, source: Source, seen: Iterable[str]) -> Iterator[Source]:
        """The same session as other machines may have it: those of the archive, and `seen`."""
        machines = {*self._machines, *seen} if self._machines is not None else set[str]()
        for machine in sorted(machines - {source.instance}):
            yield replace(source, instance=machine)

    def holds(self, provider: Provider, source: Source, other: Source) -> bool:
        """Whether the archive has all of `source`, masked, as that of `other`; if so, that is noted.

        Raises:
            Whatever reading the file raises.
        """
        record = msgspec.msgpack.encode([list(source_stamp(source)), other.key])
        if self._records.get(source.key.encode()) == record:
            return True
        if not self._archive.sources.raw_length(other.key) or not self._is_same(
            provider, source, other
        ):
            return False
        self._records.put(source.key.encode(), record)
        return True

    def _is_same(self, provider: Provider, source: Source, other: Source) -> bool:
        held, rest = self._archive.sources.raw(other.key), b""
        mask = self._archive.withheld()  # the archive's bytes were masked, the copy's were not
        for delta in provider.follow(source, None):
            data = delta.data
            if mask is not None:
                mask.scope = (other.key,)
                data = mask(data)
            while len(rest) < len(data) and (piece := next(held, b"")):
                rest += piece
            if not rest.startswith(data):
                return False
            rest = rest[len(data) :]
        return source.kind is Kind.APPEND or not (rest or next(held, b""))


def is_copy(archive: Archive, source: Source) -> bool:
    """Whether an import found a source to be a copy of an archived one."""
    return archive.namespace(_NAMESPACE).get(source.key.encode()) is not None
