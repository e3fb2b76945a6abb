"""States by the agents' own reports and by rules alone, against what the rig's driver knows.

    python benchmarks/status_reports.py FOLDER [--misses]

FOLDER holds recordings as the rig writes them (AGENT/RUN/session.cast and truth.json), made inside
a wrapper that answers the query for program status. Each is replayed twice: as it is, and without
its OSC 7501. Moments whose truth is beyond doubt: while the model was answering, before a dialog's
key was sent, when a turn was over, and when the next prompt stood typed (unless the turn before had
failed: what a person's first key ends, agents see differently). Prints right, wrong and
unknown for both, whether blocked came with a question, and how often reports and rules differ; then,
by agent and version, what an agent reported for longer than a second while its screen denied it.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.scrapers import SessionReader, Situation
from dejavu.scrapers.state import Disagreement

REPORT = re.compile("\x1b\\]7501;[^\x07\x1b]*(?:\x07|\x1b\\\\)")
Moment = tuple[float, str]


def moments(truth: dict[str, Any], began: float) -> Iterator[Moment]:
    """Seconds of the recording, and the state at them."""
    failed = True  # before the first prompt a dialog may stand
    for turn in truth["turns"]:
        played: list[dict[str, Any]] = turn.get("played") or []
        for reply in played:
            if "t0" not in reply:  # an error is sent at once
                continue
            at = reply["t0"] + 0.3
            while at < reply["t1"] - 0.1:
                yield at - began, "working"
                at += 0.25
        for dialog in turn["dialogs"]:
            for before in (0.45, 0.25, 0.05):
                yield dialog["t"] - before - began, "blocked"
        if not failed:
            yield turn["submitted_at"] - 0.2 - began, "idle"
        failed = bool(played) and "error" in played[-1]
        for before in (0.3, 0.0):
            yield turn["done_at"] - before - began, "error" if failed else "idle"


def states(
    cast: Path, agent: str, wanted: list[Moment], *, reports: bool
) -> tuple[list[tuple[str, Situation]], SessionReader, set[Disagreement]]:
    """The state and situation at each of the `wanted` moments, which are in order; what was denied."""
    result: list[tuple[str, Situation]] = []
    denied: dict[float, Disagreement] = {}
    with cast.open(encoding="utf-8") as lines:
        header = json.loads(next(lines))
        reader = SessionReader(agent, header["width"], header["height"])
        rest = list(wanted)
        carry = ""
        for line in lines:
            at, kind, data = json.loads(line)
            while rest and rest[0][0] < at:
                reader.tick(rest.pop(0)[0])
                result.append((reader.state.value, reader.situation))
                if (found := reader.disagreement) is not None:
                    denied[found.since] = found
            if kind == "o":
                text = carry + data
                carry = ""
                if not reports:
                    text = REPORT.sub("", text)
                    cut = text.rfind("\x1b]7501")
                    if cut >= 0:
                        text, carry = text[:cut], text[cut:]
                reader.output(text.encode(), at)
            elif kind == "r":
                columns, _, rows = data.partition("x")
                reader.resize(int(columns), int(rows), at)
    return result, reader, set(denied.values())


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--misses", action="store_true")
    arguments = options.parse_args()
    totals = {"reports": Counter[str](), "rules": Counter[str]()}
    agreement = Counter[tuple[str, str, str]]()
    denied = Counter[tuple[str, str, str, str]]()
    print(f"{'recording':34} {'by':8} {'right':>5} {'wrong':>5} {'unknown':>7} {'question':>8}")
    for cast in sorted(arguments.folder.glob("*/*/session.cast")):
        truth = json.loads((cast.parent / "truth.json").read_text(encoding="utf-8"))
        with cast.open(encoding="utf-8") as lines:
            began = json.loads(next(lines))["rig_t0"]
        wanted = sorted(moments(truth, began))
        name = f"{cast.parents[1].name}/{cast.parent.name}"
        for mode, total in totals.items():
            got, reader, found = states(cast, truth["agent"], wanted, reports=mode == "reports")
            count = Counter[str]()
            for (at, expected), (state, situation) in zip(wanted, got, strict=False):
                outcome = (
                    "right" if state == expected else "unknown" if state == "unknown" else "wrong"
                )
                count[outcome] += 1
                asked = situation.blocked
                count["blocked"] += expected == "blocked"
                count["question"] += (
                    expected == "blocked" and asked is not None and bool(asked.question)
                )
                if outcome != "right" and arguments.misses:
                    print(f"  {name} {mode} {at:.2f}: expected {expected}, got {state}")
            total += count
            asks = f"{count['question']}/{count['blocked']}"
            print(
                f"{name:34} {mode:8} {count['right']:5} {count['wrong']:5} "
                f"{count['unknown']:7} {asks:>8}"
            )
            if mode == "reports":
                version = str(truth.get("version", ""))
                denied.update(
                    (truth["agent"], version, str(one.reported), str(one.read)) for one in found
                )
                agreement.update(
                    {(source, str(a), str(b)): n for (source, a, b), n in reader.agreement.items()}
                )
    for (agent, version, reported, read), times in sorted(denied.items()):
        print(f"{agent} {version}: said {reported} while its screen showed {read}: {times}")
    for mode, total in totals.items():
        print(
            f"{'all':34} {mode:8} {total['right']:5} {total['wrong']:5} {total['unknown']:7} "
            f"{total['question']}/{total['blocked']}"
        )
    differing = {pair: n for pair, n in agreement.items() if pair[1] != pair[2]}
    print(f"signals and rules: {agreement.total()} frames, differing {dict(differing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
