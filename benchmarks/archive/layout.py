"""Where the text of turns should live: three layouts measured on the same generated sessions.

`inline`: turns as msgpack, zstd level 1, raw beside them. `paths`: msgpack whose long strings are
replaced by (offset, length) of their JSON in raw. `prefix`: turns as JSON within msgpack,
compressed with the raw bytes of their spans as zstd prefix (what `archive/turns.py` does).
Prints JSON: bytes as a share of raw, CPU seconds (median of five, interleaved), raw not counted.

    python -m benchmarks.archive.layout [MEGABYTES]
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import msgspec
from benchmarks.archive.corpus import sessions

from dejavu.archive.raw import CHUNK
from dejavu.archive.records import compress
from dejavu.model import Turn

BLOCK = 32
Session = tuple[bytes, list[Turn]]
_pack = msgspec.msgpack.Encoder()
_json = msgspec.json.Encoder()


def raw(given: list[Session]) -> int:
    return sum(
        len(compress(data[place : place + CHUNK]))
        for data, _ in given
        for place in range(0, len(data), CHUNK)
    )


def inline(given: list[Session]) -> int:
    return sum(len(compress(_pack.encode(block))) for _, _, block in blocks(given))


def paths(given: list[Session]) -> int:
    size = 0
    for data, (low, high), block in blocks(given):
        found = [_replaced(msgspec.to_builtins(turn), data, low, high) for turn in block]
        size += len(compress(_pack.encode(found)))
    return size


def prefix(given: list[Session]) -> int:
    return sum(
        len(compress(_pack.encode([_json.encode(turn) for turn in block]), data[low:high]))
        for data, (low, high), block in blocks(given)
    )


def blocks(given: list[Session]) -> Any:
    for data, turns in given:
        for place in range(0, len(turns), BLOCK):
            block = turns[place : place + BLOCK]
            last = block[-1].spans[-1]
            yield data, (block[0].spans[0].offset, last.offset + last.length), block


def _replaced(value: Any, data: bytes, low: int, high: int) -> Any:
    if isinstance(value, str) and len(value) >= 64:
        text = _json.encode(value)[1:-1]
        place = data.find(text, low, high)
        return value if place < 0 else {"$": [place, len(text)]}
    if isinstance(value, dict):
        return {key: _replaced(item, data, low, high) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(item, data, low, high) for item in value]
    return value


def main() -> None:
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 20_000_000
    given: list[Session] = []
    for session in sessions(size):
        lines = list(session.lines())
        given.append((b"".join(line for line, _ in lines), [turn for _, turn in lines if turn]))
    total = sum(len(data) for data, _ in given)
    layouts: dict[str, Callable[[list[Session]], int]] = {
        "raw": raw, "inline": inline, "paths": paths, "prefix": prefix,
    }  # fmt: skip
    spent: dict[str, list[float]] = {name: [] for name in layouts}
    sizes: dict[str, int] = {}
    for _ in range(5):
        for name, layout in layouts.items():
            start = time.process_time()
            sizes[name] = layout(given)
            spent[name].append(time.process_time() - start)
    result = {
        name: {
            "share_of_raw": round(sizes[name] / total, 4),
            "cpu_seconds": round(statistics.median(spent[name]), 3),
        }
        for name in layouts
    }
    print(json.dumps({"raw_bytes": total, "layouts": result}))


if __name__ == "__main__":
    main()
