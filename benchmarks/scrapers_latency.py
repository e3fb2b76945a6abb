"""How long after a screen shows a state the event comes, on the recordings' own clock.

    python benchmarks/scrapers_latency.py

Every recording is replayed twice: once judged after every chunk of output (the earliest anyone
could know), once through `SessionReader`. The delay of an event is its time less the moment the
screen last came to show that state. Prints JSON: seconds, p50, p95 and worst, per state.
"""

import json
import statistics
from collections import defaultdict
from pathlib import Path

from scrapers_turns import RECORDINGS, replay

from dejavu.scrapers import Signals, classify, default_packs, segment
from dejavu.screen import Terminal


def shown(cast: Path, agent: str) -> list[tuple[float, str]]:
    """When the screen came to show which state, judged after every chunk."""
    pack = default_packs()[agent]
    changes: list[tuple[float, str]] = []
    with cast.open(encoding="utf-8") as lines:
        header = json.loads(next(lines))
        graphemes = pack.spec.graphemes
        terminal = Terminal(header["width"], header["height"], graphemes=graphemes)
        for line in lines:
            at, kind, data = json.loads(line)
            if kind != "o":
                continue
            terminal.feed(data.encode())
            if terminal.synchronized:
                continue
            snapshot = terminal.snapshot()
            state = classify(pack, snapshot, segment(pack, snapshot), Signals()).state.value
            if not changes or changes[-1][1] != state:
                changes.append((at, state))
    return changes


def main() -> None:
    delays: dict[str, list[float]] = defaultdict(list)
    for cast in sorted(RECORDINGS.glob("*/*/session.cast")):
        agent = cast.parents[1].name
        seen = shown(cast, agent)
        for change in replay(cast, agent).status:
            since = [at for at, state in seen if state == change.state and at <= change.at]
            if since and change.state.value in ("working", "blocked", "idle", "error"):
                delays[change.state.value].append(change.at - since[-1])
    figures: dict[str, dict[str, float | int]] = {}
    for state, values in sorted(delays.items()):
        values.sort()
        figures[state] = {
            "events": len(values),
            "p50": round(statistics.median(values), 3),
            "p95": round(values[min(len(values) - 1, int(len(values) * 0.95))], 3),
            "worst": round(values[-1], 3),
        }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
