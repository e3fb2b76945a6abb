"""How fast and how small the screen is, beside pyte, xterm.js, libvterm and libghostty. Prints JSON.

    python -m benchmarks.terminal.speed [--rounds 5] [--size 300000] [--only NAME ...] [--quick]
    python -m benchmarks.terminal.speed --profile gradient

CPU time, all engines interleaved in one run, medians over the rounds. A ratio is the peer's time
over ours: above 1 we are faster. `--profile` says where ours and pyte's own time goes on one input.
Recordings are read where ../shared (or DEJAVU_SHARED) is.
"""

import argparse
import cProfile
import json
import pstats
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyte
from benchmarks import SHARED
from benchmarks.terminal import corpora, peers

from dejavu.screen import Terminal

Input = tuple[bytes, int, int]
_SHOWN = 10  # functions of a profile


def throughput(
    engines: dict[str, peers.Engine], inputs: dict[str, Callable[[int], Input]], rounds: int
) -> dict[str, object]:
    """Median CPU seconds a byte of each engine on each input, as MB/s and as ratios to ours.

    A flood is another one in each round, so that nobody lives off what was met before.
    """
    times: dict[str, dict[str, list[float]]] = {n: {e: [] for e in engines} for n in inputs}
    for number in range(rounds):
        for name, make in inputs.items():
            data, columns, lines = make(number)
            order = list(engines)[number % len(engines) :] + list(engines)[: number % len(engines)]
            for engine in order:
                seconds = engines[engine](data, columns, lines)
                times[name][engine].append(seconds / len(data))
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    table: dict[str, object] = {}
    ratios: dict[str, list[float]] = {e: [] for e in engines}
    for name in inputs:
        median = {e: max(1e-12, statistics.median(t)) for e, t in times[name].items()}
        row = {f"{e} MB/s": round(1e-6 / t, 2) for e, t in median.items()}
        for engine, seconds in median.items():
            ratios[engine].append(seconds / median["dejavu"])
            if engine != "dejavu":
                row[f"over {engine}"] = round(ratios[engine][-1], 2)
        table[name] = row
    summary = {
        f"over {engine}": {
            "geometric mean": round(statistics.geometric_mean(values), 2),
            "least": round(min(values), 2),
        }
        for engine, values in ratios.items()
        if engine != "dejavu"
    }
    return {"inputs": table, "summary": summary}


def _cpu(action: Callable[[], object], repeat: int) -> float:
    start = time.process_time()
    for _ in range(repeat):
        action()
    return (time.process_time() - start) / repeat


def snapshots(rounds: int) -> dict[str, object]:
    """The text of a full screen: a fresh snapshot's rows against pyte's `display`."""
    result: dict[str, object] = {}
    for name in ("plain", "ink redraw", "unicode"):
        data = corpora.flood(name, 100_000)
        ours = Terminal(corpora.COLUMNS, corpora.LINES)
        ours.feed(data)
        theirs = pyte.Screen(corpora.COLUMNS, corpora.LINES)
        peers._feed(pyte.ByteStream(theirs).feed, data)
        pairs = [
            (_cpu(lambda: ours.snapshot().rows, 2000), _cpu(lambda: theirs.display, 20))  # noqa: B023 - called before the loop moves on
            for _ in range(rounds)
        ]
        mine, his = (statistics.median(column) for column in zip(*pairs, strict=True))
        result[name] = {
            "dejavu us": round(mine * 1e6, 2),
            "pyte us": round(his * 1e6, 1),
            "ratio": round(his / mine, 1),
        }
    return result


def memory() -> dict[str, object]:
    """10,000 full lines of history: bytes allocated, by tracemalloc, ours and HistoryScreen's."""
    result: dict[str, object] = {}
    for name in ("sgr log", "unicode"):
        lines = corpora.flood(name, 3_000_000).split(b"\r\n")[: peers.HISTORY + corpora.LINES]
        data = b"\r\n".join(line.ljust(corpora.COLUMNS, b".") for line in lines)
        used: list[int] = []
        for make in (_ours, _theirs):
            tracemalloc.start()
            kept = make(data)
            used.append(tracemalloc.get_traced_memory()[0])
            tracemalloc.stop()
            del kept
        result[name] = {
            "dejavu MB": round(used[0] / 1e6, 2),
            "pyte MB": round(used[1] / 1e6, 1),
            "ratio": round(used[1] / used[0], 1),
        }
    return result


def _ours(data: bytes) -> object:
    terminal = Terminal(corpora.COLUMNS, corpora.LINES, history=peers.HISTORY)
    terminal.feed(data)
    return terminal


def _theirs(data: bytes) -> object:
    screen = pyte.HistoryScreen(corpora.COLUMNS, corpora.LINES, history=peers.HISTORY, ratio=0.5)
    peers._feed(pyte.ByteStream(screen).feed, data)
    return screen


def profile(make: Callable[[int], Input]) -> dict[str, object]:
    """The functions in which ours and pyte.Screen spend most, as shares of their own time."""
    data, columns, lines = make(0)
    result: dict[str, object] = {}
    for name, engine in (("dejavu", peers.dejavu), ("pyte.Screen", peers.pyte_screen)):
        measured = cProfile.Profile(time.process_time)
        measured.runcall(engine, data, columns, lines)
        spent = {  # (file, line, function) -> calls, primitive calls, own seconds, ...
            f"{Path(place[0]).name}:{place[2]}": (figures[0], figures[2])
            for place, figures in pstats.Stats(measured).stats.items()  # type: ignore[attr-defined]
        }
        total = sum(own for _, own in spent.values())
        most = sorted(spent.items(), key=lambda item: -item[1][1])[:_SHOWN]
        result[name] = {
            "calls a byte": round(sum(calls for calls, _ in spent.values()) / len(data), 3),
            "own time": {place: round(own / total, 3) for place, (_, own) in most},
        }
    return result


def _flood(name: str, size: int, number: int) -> Input:
    return corpora.flood(name, size, number), corpora.COLUMNS, corpora.LINES


def _recording(path: Path, size: int, _: int) -> Input:
    data, columns, lines = corpora.output_of(path)
    return data[:size], columns, lines


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=300_000, help="bytes of each input")
    parser.add_argument(
        "--only", nargs="*", default=[], help="inputs whose name holds one of these"
    )
    parser.add_argument("--engines", nargs="*", help="peers to run, of those there are")
    parser.add_argument("--quick", action="store_true", help="throughput only")
    parser.add_argument(
        "--profile", choices=corpora.FLOODS, help="where the time goes on one input"
    )
    options = parser.parse_args()
    if options.profile:
        print(json.dumps(profile(partial(_flood, options.profile, options.size)), indent=1))
        return
    engines: dict[str, peers.Engine] = {
        "dejavu": peers.dejavu,
        "pyte.Screen": peers.pyte_screen,
        "pyte.HistoryScreen": peers.pyte_history,
    }
    node = peers.node_folder()
    xterm = peers.Xterm(node) if node else None
    if xterm:
        engines["xterm.js"] = xterm.run
    if vterm := peers.libvterm():
        engines["libvterm"] = vterm
    if ghostty := peers.libghostty():
        engines["libghostty"] = ghostty
    if options.engines is not None:
        engines = {n: e for n, e in engines.items() if n in ("dejavu", *options.engines)}
    inputs: dict[str, Callable[[int], Input]] = {
        name: partial(_flood, name, options.size) for name in corpora.FLOODS
    }
    for name, path in corpora.recordings(SHARED).items():
        inputs[name] = partial(_recording, path, options.size)
    if options.only:
        inputs = {n: i for n, i in inputs.items() if any(part in n for part in options.only)}
    try:
        report = {"throughput": throughput(engines, inputs, options.rounds)}
        if not options.quick:
            report |= {"snapshot text": snapshots(options.rounds), "10,000 lines": memory()}
    finally:
        if xterm:
            xterm.close()
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
