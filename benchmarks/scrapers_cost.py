"""What reading a screen costs: CPU milliseconds a frame, and CPU share of a busy session.

    python benchmarks/scrapers_cost.py

Prints JSON. `frame_ms` is segmentation and verdict of one 120x40 screen, each agent's pack on its
own adversarial screens, median of 5 rounds, when nearly all rows stood in the frame before;
`unseen_ms` with the making of a screen of which every row is new; `peer_ratio` the first against
one plain `re.search` of a 40-row screen per rule (what a naive detector does at the least).
`redraws_60` is the CPU share of a `SessionReader` fed 60 spinner redraws a second for ten seconds
of session time.
"""

import json
import re
import statistics
import time
from collections.abc import Callable

import scrapers_adversarial as drawn
from scrapers_adversarial import AGENTS, QUOTES

from dejavu.scrapers import SessionReader, Signals, classify, default_packs, segment
from dejavu.screen import Snapshot


def cpu(work: Callable[[], object], times: int) -> float:
    """CPU seconds of one call, median of 5 rounds of `times`."""
    rounds: list[float] = []
    for _ in range(5):
        started = time.process_time()
        for _ in range(times):
            work()
        rounds.append((time.process_time() - started) / times)
    return statistics.median(rounds)


def frame(agent: str) -> dict[str, float]:
    """Milliseconds of one frame, and of the naive peer on the same screen."""
    pack = default_packs()[agent]
    rows, title = AGENTS[agent](QUOTES["box"] * 3, "working")
    rows = ([""] * 40 + rows)[-40:]
    snapshot = Snapshot.from_rows(rows, 120, title=title)
    text = "\n".join(rows)
    spec = pack.spec
    count = len(spec.region) + len(spec.state)
    naive = [re.compile(rf"esc to interrupt{n}|[\u2800-\u28ff] Work{n}") for n in range(count)]
    ours = cpu(lambda: classify(pack, snapshot, segment(pack, snapshot), Signals()), 40)
    new_rows = [f"{row} {{}}" if row else row for row in rows]
    count_up = iter(range(1 << 30))

    def unseen() -> None:
        number = next(count_up)
        fresh = Snapshot.from_rows([row.format(number) for row in new_rows], 130, title=title)
        classify(pack, fresh, segment(pack, fresh), Signals())

    peer = cpu(lambda: [pattern.search(text) for pattern in naive], 40)
    return {
        "frame_ms": round(ours * 1000, 3),
        "unseen_ms": round(cpu(unseen, 40) * 1000, 3),
        "peer_ratio": round(ours / peer, 1),
    }


def redraws() -> float:
    """CPU share of a session that redraws 60 times a second."""
    reader = SessionReader("claude", 120, 40)
    rows, _ = AGENTS["claude"](QUOTES["box"] * 3, "working")
    body = "\x1b[?1049h\x1b[H" + "\r\n".join(rows)
    reader.output(body.encode(), 0.0)
    spinner = next(n for n, row in enumerate(rows) if row.startswith("✢"))
    started = time.process_time()
    for tick in range(600):
        glyph = "·✢✳✶✻✽"[tick % 6]
        line = f"\x1b[{spinner + 1};1H{glyph} Whisking… ({tick // 60}s · ↓ {tick} tokens)"
        reader.output(line.encode(), 0.1 + tick / 60)
    return (time.process_time() - started) / 10


def main() -> None:
    drawn.COLUMNS, drawn.RULE = 120, "─" * 120
    figures = {agent: frame(agent) for agent in AGENTS}
    print(json.dumps({"frame": figures, "redraws_60_cpu_share": round(redraws(), 4)}, indent=1))


if __name__ == "__main__":
    main()
