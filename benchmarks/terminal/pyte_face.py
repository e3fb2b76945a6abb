"""How fast `dejavu.screen.pyte` is beside pyte itself. Prints JSON.

    python -m benchmarks.terminal.pyte_face [--rounds 5] [--size 200000] [--only NAME ...]

CPU time, both interleaved in one run, medians over the rounds; a ratio is pyte's time over ours.
`feed`: bytes in chunks of 4 KiB. `feed and display`: the rows are read after every chunk. `events`:
the screen overrides `bell`, so that pyte's own parser sends events one by one. `cells`: every cell of
a full screen is read through `buffer`. pyte raises on some input; what is left of that chunk is
lost to it (in its favour).
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import pyte
from benchmarks.terminal import corpora, peers

from dejavu.screen import pyte as face

HISTORY = 1000


def screen_of(module: ModuleType, kind: str) -> Any:
    """A screen of a class of `pyte` or of ours."""
    if kind == "HistoryScreen":
        return module.HistoryScreen(corpora.COLUMNS, corpora.LINES, history=HISTORY)
    if kind == "events":

        class Ringing(module.Screen):  # type: ignore[name-defined, misc]
            rung = 0

            def bell(self, *_: Any) -> None:
                self.rung += 1

        return Ringing(corpora.COLUMNS, corpora.LINES)
    return module.Screen(corpora.COLUMNS, corpora.LINES)


def feed(module: ModuleType, kind: str, data: bytes, *, display: bool = False) -> float:
    """CPU seconds to feed a stream."""
    screen = screen_of(module, kind)
    stream = module.ByteStream(screen)

    def chunk(piece: bytes) -> None:
        stream.feed(piece)
        if display:
            assert len(screen.display) == corpora.LINES

    return peers._feed(chunk, data)


def cells(module: ModuleType, data: bytes) -> float:
    """CPU seconds to read every cell of a screen once."""
    screen = screen_of(module, "Screen")
    peers._feed(module.ByteStream(screen).feed, data)
    start = time.process_time()
    for y in range(corpora.LINES):
        line = screen.buffer[y]
        for x in range(corpora.COLUMNS):
            assert line[x].fg
    return time.process_time() - start


def measure(run: Callable[[ModuleType], float], rounds: int) -> dict[str, float]:
    """Medians of both in milliseconds, and pyte's over ours."""
    times: dict[str, list[float]] = {"pyte": [], "dejavu": []}
    for number in range(rounds):
        order = [("pyte", pyte), ("dejavu", face)]
        for name, module in order if number % 2 else order[::-1]:
            times[name].append(run(module))
    medians = {f"{name} ms": statistics.median(found) * 1e3 for name, found in times.items()}
    ratio = medians["pyte ms"] / max(1e-6, medians["dejavu ms"])
    return {**{name: round(value, 2) for name, value in medians.items()}, "ratio": round(ratio, 2)}


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=200_000, help="bytes of each input")
    parser.add_argument(
        "--only", nargs="*", default=[], help="inputs whose name holds one of these"
    )
    options = parser.parse_args()
    report: dict[str, dict[str, object]] = {}
    for name in corpora.FLOODS:
        if options.only and not any(part in name for part in options.only):
            continue
        data = corpora.flood(name, options.size)
        runs: dict[str, Callable[[ModuleType], float]] = {
            "feed Screen": partial(feed, kind="Screen", data=data),
            "feed HistoryScreen": partial(feed, kind="HistoryScreen", data=data),
            "feed and display": partial(feed, kind="Screen", data=data, display=True),
            "events": partial(feed, kind="events", data=data),
            "cells": partial(cells, data=data[:50_000]),
        }
        report[name] = {what: measure(run, options.rounds) for what, run in runs.items()}
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
