"""What agents write that our parsers did not know: counted by agent and version.

`dejavu doctor` shows it; it is kept in a namespace of the archive.
Unknown record types come from the parsers; the key paths (three keys deep) are those of a few
records out of every megabyte, so that a new field shows up whatever the parser makes of it.
Values are never kept, and keys only where they look like names. O(4 records a delta).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.providers.formats.json_coerce import as_dict, as_str
from dejavu.providers.formats.json_lines import key_paths

from .channel import put_many

_NAMESPACE = "drift"
_SCANS = "looks"
_SAMPLES = 4  # records of a delta
_LONGEST = 1 << 16  # bytes; longer records are not looked at
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
        namespace = archive.namespace(_NAMESPACE)
        for key, paths in self.paths.items():
            name = "\0".join(key).encode("utf-8", "replace")
            stored = namespace.get(name)
            schema = (
                SeenSchema(now, now)
                if stored is None
                else msgspec.msgpack.decode(stored, type=SeenSchema)
            )
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
        if 2 < end - start <= _LONGEST:
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
        stored = namespace.get(agent.encode())
        last = None if stored is None else msgspec.msgpack.decode(stored, type=LastScan)
        if last is None or now - last.at >= _EVERY:
            due[agent.encode()] = msgspec.msgpack.encode(LastScan(now, count))
    if due:
        put_many(archive, _SCANS, due)


def last_scans(archive: Archive) -> dict[str, LastScan]:
    """When each agent's traces were last looked at."""
    items = archive.namespace(_SCANS).items()
    return {key.decode(): msgspec.msgpack.decode(value, type=LastScan) for key, value in items}


def seen_schemas(archive: Archive) -> dict[Key, SeenSchema]:
    """What every version of every agent wrote."""
    result: dict[Key, SeenSchema] = {}
    for name, value in archive.namespace(_NAMESPACE).items():
        agent, _, version = name.decode().partition("\0")
        result[Key(agent, version)] = msgspec.msgpack.decode(value, type=SeenSchema)
    return result
