"""What agents write that our parsers did not know: counted by agent and version.

Takes what an import met; keeps it in a namespace of the archive and gives it back to `dejavu doctor`.
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
from dejavu.providers.formats.json_coerce import mapping, text
from dejavu.providers.formats.json_lines import key_paths

from .source_registry import put_all

_NAMESPACE = "drift"
_LOOKS = "looks"
_SAMPLES = 4  # records of a delta
_LONGEST = 1 << 16  # bytes; longer records are not looked at
_MOST = 2000  # paths and unknown things kept of a version
_NAME = re.compile(r"[A-Za-z_$(][\w$)-]{0,39}")
_EVERY = 60.0  # seconds: looks that found nothing are noted no more often


class Seen(msgspec.Struct):
    """What one version of one agent wrote; moments are Unix seconds."""

    first: float
    last: float
    unknown: dict[str, int] = {}
    paths: set[str] = set()


class Look(msgspec.Struct):
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

    def met(self, key: Key, unknown: Mapping[str, int], paths: Iterable[str]) -> None:
        """Add what a source of this agent had."""
        if unknown:
            self.unknown.setdefault(key, Counter()).update(unknown)
        self.paths.setdefault(key, set()).update(paths)

    def keep(self, archive: Archive, now: float) -> None:
        """Put it in the namespace; nothing is written where nothing is new."""
        namespace = archive.namespace(_NAMESPACE)
        for key, paths in self.paths.items():
            name = "\0".join(key).encode("utf-8", "replace")
            held = namespace.get(name)
            seen = Seen(now, now) if held is None else msgspec.msgpack.decode(held, type=Seen)
            unknown = self.unknown.get(key)
            if held is not None and not unknown and paths <= seen.paths:
                continue
            seen.last = now
            seen.paths |= set(sorted(paths - seen.paths)[: max(0, _MOST - len(seen.paths))])
            counts = Counter(seen.unknown)
            counts.update({what: n for what, n in (unknown or {}).items() if _named(what)})
            seen.unknown = dict(counts.most_common(_MOST))
            namespace.put(name, msgspec.msgpack.encode(seen))
        self.unknown.clear()
        self.paths.clear()


def sample(data: bytes) -> set[str]:
    """The key paths of a few records of `data`: lines of JSON, or one document."""
    found: set[str] = set()
    step = max(1, len(data) // _SAMPLES)
    place = 0
    while place < len(data):
        start = data.rfind(b"\n", 0, place) + 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if 2 < end - start <= _LONGEST:
            found |= _paths(data[start:end])
        place = max(end + 1, place + step)
    return found


def _paths(line: bytes) -> set[str]:
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return set()
    kind = text(mapping(record).get("type"))
    told = f"{kind} " if 0 < len(kind) < 60 else ""
    return {told + path for path in key_paths(record) if _named(path)}


@lru_cache(8192)
def _named(path: str) -> bool:
    """Whether every key of a path is a name: an id, a file or a sentence as a key is none."""
    keys = path.rpartition(" ")[2].split(".")
    return all(key == "[]" or (_NAME.fullmatch(key) and _digits(key) < 4) for key in keys)


def _digits(key: str) -> int:
    return sum(letter.isdigit() for letter in key)


def looked(archive: Archive, sources: Mapping[str, int], now: float) -> None:
    """Note that the traces of these agents were looked at; `sources` counts them."""
    namespace = archive.namespace(_LOOKS)
    due: dict[bytes, bytes] = {}
    for agent, count in sources.items():
        held = namespace.get(agent.encode())
        last = None if held is None else msgspec.msgpack.decode(held, type=Look)
        if last is None or now - last.at >= _EVERY:
            due[agent.encode()] = msgspec.msgpack.encode(Look(now, count))
    if due:
        put_all(archive, _LOOKS, due)


def looks(archive: Archive) -> dict[str, Look]:
    """When each agent's traces were last looked at."""
    items = archive.namespace(_LOOKS).items()
    return {key.decode(): msgspec.msgpack.decode(value, type=Look) for key, value in items}


def seen(archive: Archive) -> dict[Key, Seen]:
    """What every version of every agent wrote."""
    found: dict[Key, Seen] = {}
    for name, value in archive.namespace(_NAMESPACE).items():
        agent, _, version = name.decode().partition("\0")
        found[Key(agent, version)] = msgspec.msgpack.decode(value, type=Seen)
    return found
