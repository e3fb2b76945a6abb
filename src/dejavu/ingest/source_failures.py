"""What goes wrong with sources: those that failed, and what agents write that our parsers do not know.

Whatever reading or parsing a source raises is that source's failure: it is counted with its first
and last time, `sync` names it, `dejavu doctor` shows it, and it is tried again at the next sync.
One record a failing source; nothing is written while no source fails.

Drift is counted by agent and version, in a namespace of the archive, and shown by `dejavu doctor`.
Unknown record types come from the parsers; the key paths (three keys deep) are those of a few
records out of every megabyte, so that a new field shows up whatever the parser makes of it.
Values are never kept, and keys only where they look like names. O(4 records a delta).

On a team's server the failures are each member's own, while drift and looks are everyone's. Any
member may write these, so one that cannot be read is taken for none and written again.
"""

import logging
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from dejavu.archive import Archive
from dejavu.archive.namespace import Namespace, NamespaceTxn
from dejavu.config.paths import is_server
from dejavu.config.settings import load_config, own_instance
from dejavu.model import CorruptArchiveError, DejavuError
from dejavu.model.blake2 import blake2b
from dejavu.providers.formats.json_lines import as_dict, as_str, key_paths

from .channel import put_many

_NAMESPACE = "source_failures"
_LONG_RECORDS = "long_records"
_log = logging.getLogger(__name__)
T = TypeVar("T")
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
        self._owner = _owner_of(archive)
        self._failed: dict[bytes, tuple[str, str, str]] = {}
        self._cleared: set[bytes] = set()

    def record(self, agent: str, location: str, reason: str) -> None:
        """A source failed."""
        self._failed[self._key(agent, location)] = agent, location, reason

    def clear(self, agent: str, location: str) -> None:
        """A source works. Costs nothing where none ever failed."""
        if self._stored and (key := self._key(agent, location)) in self._stored:
            self._cleared.add(key)

    def _key(self, agent: str, location: str) -> bytes:
        seed = f"{self._owner}{agent}\0".encode("utf-8", "surrogateescape") + os.fsencode(location)
        return blake2b(seed, digest_size=16).digest()

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


def _owner_of(archive: Archive) -> str:
    """What keeps the failures of one login and machine apart on a server; nothing in a folder."""
    if not is_server(archive.name):
        return ""
    login = urlsplit(archive.name).username or ""
    return f"{login}\0{own_instance(load_config())}\0"


_DRIFT = "drift"
_SCANS = "looks"
_SAMPLES = 4  # records of a delta
_LONGEST_SCANNED = 1 << 16  # bytes; longer records are not looked at
_MOST = 2000  # paths and unknown things kept of a version
_NAME = re.compile(r"[A-Za-z_$(][\w$)-]{0,39}")
_EVERY = 60.0  # seconds: looks that found nothing are noted no more often


class SeenSchema(msgspec.Struct):
    """What one version of one agent wrote; moments are Unix seconds."""

    first: float
    last: float
    unknown: dict[str, int] = {}
    paths: set[str] = set()


class LastScan(msgspec.Struct):
    """When an agent's traces were last looked at, and how many there were."""

    at: float
    sources: int


class Key(NamedTuple):
    """An agent and its version; "" where its traces do not tell."""

    agent: str
    version: str


class Drift:
    """What one import met."""

    def __init__(self) -> None:
        self.unknown: dict[Key, Counter[str]] = {}
        self.paths: dict[Key, set[str]] = {}

    def observe(self, key: Key, unknown: Mapping[str, int], paths: Iterable[str]) -> None:
        """Add what a source of this agent had."""
        if unknown:
            self.unknown.setdefault(key, Counter()).update(unknown)
        self.paths.setdefault(key, set()).update(paths)

    def save(self, archive: Archive, now: float) -> None:
        """Store it; nothing is written where nothing is new."""
        namespace = archive.namespace(_DRIFT)
        for key, paths in self.paths.items():
            name = "\0".join(key).encode("utf-8", "replace")
            stored = _counter(namespace, name, SeenSchema)
            schema = stored or SeenSchema(now, now)
            unknown = self.unknown.get(key)
            if stored is not None and not unknown and paths <= schema.paths:
                continue
            schema.last = now
            schema.paths |= set(sorted(paths - schema.paths)[: max(0, _MOST - len(schema.paths))])
            counts = Counter(schema.unknown)
            counts.update({what: n for what, n in (unknown or {}).items() if _named(what)})
            schema.unknown = dict(counts.most_common(_MOST))
            namespace.put(name, msgspec.msgpack.encode(schema))
        self.unknown.clear()
        self.paths.clear()


def sample_keys(data: bytes) -> set[str]:
    """The key paths of a few records of `data`: lines of JSON, or one document."""
    result: set[str] = set()
    step = max(1, len(data) // _SAMPLES)
    place = 0
    while place < len(data):
        start = data.rfind(b"\n", 0, place) + 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if 2 < end - start <= _LONGEST_SCANNED:
            result |= _paths(data[start:end])
        place = max(end + 1, place + step)
    return result


def _paths(line: bytes) -> set[str]:
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return set()
    kind = as_str(as_dict(record).get("type"))
    prefix = f"{kind} " if 0 < len(kind) < 60 else ""
    return {prefix + path for path in key_paths(record) if _named(path)}


@lru_cache(8192)
def _named(path: str) -> bool:
    """Whether every key of a path is a name: an id, a file or a sentence as a key is none."""
    keys = path.rpartition(" ")[2].split(".")
    return all(key == "[]" or (_NAME.fullmatch(key) and _digits(key) < 4) for key in keys)


def _digits(key: str) -> int:
    return sum(letter.isdigit() for letter in key)


def record_scan(archive: Archive, sources: Mapping[str, int], now: float) -> None:
    """Note that the traces of these agents were looked at; `sources` counts them."""
    namespace = archive.namespace(_SCANS)
    due: dict[bytes, bytes] = {}
    for agent, count in sources.items():
        last = _counter(namespace, agent.encode(), LastScan)
        if last is None or now - last.at >= _EVERY:
            due[agent.encode()] = msgspec.msgpack.encode(LastScan(now, count))
    if due:
        put_many(archive, _SCANS, due)


def last_scans(archive: Archive) -> dict[str, LastScan]:
    """When each agent's traces were last looked at."""
    return {
        key.decode("utf-8", "replace"): scan
        for key, scan in _counters(archive.namespace(_SCANS), LastScan)
    }


def seen_schemas(archive: Archive) -> dict[Key, SeenSchema]:
    """What every version of every agent wrote."""
    result: dict[Key, SeenSchema] = {}
    for name, schema in _counters(archive.namespace(_DRIFT), SeenSchema):
        agent, _, version = name.decode("utf-8", "replace").partition("\0")
        result[Key(agent, version)] = schema
    return result


def _counter(namespace: Namespace, key: bytes, kind: type[T]) -> T | None:
    with suppress(CorruptArchiveError, msgspec.DecodeError):
        value = namespace.get(key)
        return None if value is None else msgspec.msgpack.decode(value, type=kind)
    return None


def _counters(namespace: Namespace, kind: type[T]) -> Iterator[tuple[bytes, T]]:
    for key, value in namespace.sound_items():
        with suppress(msgspec.DecodeError):
            yield key, msgspec.msgpack.decode(value, type=kind)
