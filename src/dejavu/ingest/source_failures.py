"""Sources that failed: a small record of each until it works again.

Whatever reading or parsing a source raises is that source's failure: it is counted with its first
and last time, `sync` names it, `dejavu doctor` shows it, and it is tried again at the next sync.
One record a failing source; nothing is written while no source fails.
"""

import logging
import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

import msgspec

from dejavu.archive import Archive
from dejavu.archive.namespace import NamespaceTxn
from dejavu.model import DejavuError

_NAMESPACE = "source_failures"
_LONG_RECORDS = "long_records"
_log = logging.getLogger(__name__)
_LONGEST = 300  # characters of a reason: an exception may quote what it was given


class SourceFailure(msgspec.Struct, frozen=True):
    """A source of `agent` that failed `count` times; `first` and `last` are Unix seconds."""

    agent: str
    location: bytes
    reason: str
    first: float
    last: float
    count: int = 1

    @property
    def name(self) -> str:
        """The path (or agent and home), other bytes than UTF-8 as lone surrogates (PEP 383)."""
        return os.fsdecode(self.location)


def describe(error: BaseException) -> str:
    """One line on what went wrong; of a fault of ours, its type too."""
    text = error.strerror if isinstance(error, OSError) and error.filename else None
    message = (text or str(error)).encode("utf-8", "backslashreplace").decode()
    if not isinstance(error, (DejavuError, OSError)) or not message:
        message = f"{type(error).__name__}: {message}"
    return message[:_LONGEST]


def reason_alone(location: str, reason: str) -> str:
    """Return `reason` without the location it begins with, for a line that has named it."""
    return reason.removeprefix(location).lstrip(": ") or reason


class SourceFailures:
    """Failures of one import. `save` writes what changed."""

    def __init__(self, archive: Archive, namespace: str = _NAMESPACE) -> None:
        self._archive = archive
        self._namespace = namespace
        self._stored = {key for key, _ in archive.namespace(namespace).items()}
        self._failed: dict[bytes, tuple[str, str, str]] = {}
        self._cleared: set[bytes] = set()

    def record(self, agent: str, location: str, reason: str) -> None:
        """A source failed."""
        self._failed[_key(agent, location)] = agent, location, reason

    def clear(self, agent: str, location: str) -> None:
        """A source works. Costs nothing where none ever failed."""
        if self._stored and (key := _key(agent, location)) in self._stored:
            self._cleared.add(key)

    def save(self, now: float) -> None:
        """Write what failed and what works again, in one transaction."""
        failed, cleared = self._failed, self._cleared - self._failed.keys()
        if not failed and not cleared:
            return

        def change(txn: NamespaceTxn) -> None:
            for key in cleared:
                txn.delete(key)
            for key, (agent, location, reason) in failed.items():
                stored = txn.get(key)
                before = None if stored is None else _decode(stored)
                first, count = (now, 1) if before is None else (before.first, before.count + 1)
                failure = SourceFailure(agent, os.fsencode(location), reason, first, now, count)
                txn.put(key, msgspec.msgpack.encode(failure))

        self._archive.namespace(self._namespace).change(change)
        self._stored = (self._stored | failed.keys()) - cleared
        self._failed, self._cleared = {}, set()


def record_source_failure(
    archive: Archive, agent: str, location: str, error: Exception, now: float
) -> None:
    """Record that one source failed, at once, and log what it raised."""
    log_failure(agent, location, error)
    failures = SourceFailures(archive)
    failures.record(agent, location, describe(error))
    failures.save(now)


def log_failure(agent: str, location: str, error: BaseException) -> None:
    """Log a source's failure; with a traceback where it may be a fault of ours."""
    ours = not isinstance(error, (DejavuError, OSError))
    _log.info("%r of %s failed: %s", location, agent, describe(error), exc_info=ours)


def source_failures(archive: Archive) -> list[SourceFailure]:
    """The sources that failed when they were last read, by name; not those that are gone."""
    return _by_name(archive, _NAMESPACE)


def record_long_records(
    archive: Archive, sources: Iterable[tuple[str, str, int]], now: float
) -> None:
    """Record sources (agent, path, count) with records too long to be read whole."""
    failures = SourceFailures(archive, _LONG_RECORDS)
    for agent, path, count in sources:
        failures.record(agent, path, f"{count} of its records too long to be read whole: kept raw")
    failures.save(now)


def long_records(archive: Archive) -> list[SourceFailure]:
    """The sources that hold records too long to be read whole, by name; not those that are gone."""
    return _by_name(archive, _LONG_RECORDS)


def _by_name(archive: Archive, namespace: str) -> list[SourceFailure]:
    failures = (_decode(value) for _, value in archive.namespace(namespace).items())
    return sorted(_present(failures), key=lambda failure: failure.location)


def _present(failures: Iterable[SourceFailure]) -> Iterable[SourceFailure]:
    for failure in failures:
        path = Path(failure.name)
        if not path.is_absolute() or os.path.lexists(path):
            yield failure


def _decode(record: bytes) -> SourceFailure:
    return msgspec.msgpack.decode(record, type=SourceFailure)


def _key(agent: str, location: str) -> bytes:
    return blake2b(f"{agent}\0".encode() + os.fsencode(location), digest_size=16).digest()
