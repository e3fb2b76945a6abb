"""Status read from single screens and from replayed sessions, against labels.

    python -m benchmarks.scrapers.status [--json] [--misses] [--all]
    python -m benchmarks.scrapers.status --set [--without-words] [--json] [--misses]
    python -m benchmarks.scrapers.status --tool 'my-tool --agent {agent}' [--json] [--misses]

The second and third forms read the public set in `golden/status` (see `status_set`): by our rules,
or by any tool that takes a screen on stdin and prints a state. `--without-words`: by packs none of
whose words stands on any screen any more, too, as after a release that reworded everything.

The first form reads:

- core: the real screens of `data/screens/status.jsonl` (`--all`: the synthetic ones too, which
  are often a few rows of a screen and stand in no session);
- frames: the driver's own captures of every recording, labelled by the moment they were taken
  (`typed` and `done` idle, `permission` blocked; after a scripted failure `done` may be error);
- timeline: the state a replay had at moments whose truth is known from the driver's log: while
  the model was answering, before a dialog was answered, when the prompt was back;
- adversarial: our own screens that quote dialogs, spinners and footers in prose.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from benchmarks import ROOT
from benchmarks.scrapers.stale_packs import stale
from benchmarks.scrapers.status_set import by_packs, by_tool, is_right, load, run
from benchmarks.scrapers.status_set import table as set_table
from benchmarks.scrapers.turns import RECORDINGS, replay

from dejavu.scrapers import Signals, State, load_packs, read
from dejavu.screen import Snapshot

SCREENS = RECORDINGS.parent / "screens" / "status.jsonl"
ADVERSARIAL = ROOT / "tests" / "scrapers" / "data" / "adversarial"

Case = tuple[str, str, str, str]  # set, name, expected, got


def core(everything: bool) -> Iterator[Case]:
    """The labelled screens of other projects."""
    for line in SCREENS.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if not everything and not case["core"]:
            continue
        snapshot = Snapshot.from_rows(case["screen"].split("\n"), title=case["osc_title"] or "")
        progress = str(case["osc_progress"] or "")
        got = read(case["agent"], snapshot, signals=Signals(progress=progress)).state.value
        yield (
            "core" if case["core"] else "synthetic",
            f"{case['id']} {case['case']}",
            case["expected"],
            got,
        )


def frames() -> Iterator[Case]:
    """The driver's captures at labelled moments."""
    labels = {"typed": "idle", "done": "idle", "permission": "blocked"}
    for path in sorted(RECORDINGS.glob("*/*/screens/*-t*-*.txt")):
        label = labels.get(path.stem.rpartition("-")[2])
        if label is None or path.parents[2].name == "amp":
            continue
        body, _, info = path.read_text(encoding="utf-8").rpartition("\n-- ")
        title = info.partition("title=")[2].partition(" cursor=")[0]
        rows = body.removesuffix("\n").split("\n")
        columns, _, _ = path.parents[1].name.partition("-")[2].partition("x")
        width = int(columns) if columns.isdigit() else None
        cursor = re.search(r"cursor=(\d+),(\d+)", info)
        column, row = cursor.groups() if cursor is not None else ("0", "0")
        snapshot = Snapshot.from_rows(
            rows, width, title=title, alternate="alt=1" in info, cursor=(int(row), int(column))
        )
        got = read(path.parents[2].name, snapshot).state.value
        name = f"{path.parents[2].name}/{path.parents[1].name}/{path.stem}"
        if label == "idle" and got == "error" and path.stem.endswith("done"):
            truth = json.loads((path.parents[1] / "truth.json").read_text(encoding="utf-8"))
            turn = int(path.stem.split("-t")[1].split("-")[0]) - 1
            if not truth["turns"][turn]["assistant"]:
                label = "error"
        yield "frames", name, label, got


def timeline() -> Iterator[Case]:
    """The state of a replay at moments whose truth the driver's log gives."""
    for cast in sorted(RECORDINGS.glob("*/*/session.cast")):
        truth = json.loads((cast.parent / "truth.json").read_text(encoding="utf-8"))
        if not any(turn["assistant"] for turn in truth["turns"]):
            continue
        changes = replay(cast, truth["agent"]).status
        name = f"{cast.parents[1].name}/{cast.parent.name}"
        for index, turn in enumerate(truth["turns"]):
            for at, expected in _moments(turn):
                got = "unknown"
                for change in changes:
                    if change.at > at:
                        break
                    got = change.state.value
                if expected == "idle" and got == "error" and not turn["assistant"]:
                    expected = "error"
                yield "timeline", f"{name} t{index + 1} at {at:.2f}", expected, got


def _moments(turn: dict[str, Any]) -> Iterator[tuple[float, str]]:
    """Moments of a turn whose state is beyond doubt."""
    start, end, done = turn["submitted_at"], turn["responded_at"], turn["done_at"]
    answered = [dialog["answered_at"] for dialog in turn["dialogs"]]
    for at in answered:
        yield at - 0.05, "blocked"
    if (
        end is not None
        and not answered
        and not any(p["type"] == "error" for p in turn["assistant"])
    ):
        # An agent may take its time to show that it got the prompt: the last third is safe.
        first, last = start + max(0.8, (end - start) * 0.65), end - 0.2
        if first < last:
            for number in range(5):
                yield first + number * (last - first) / 4, "working"
    if done is not None:
        yield done, "idle"


def adversarial() -> Iterator[Case]:
    """Our own screens that quote chrome: the first line says agent, state and title."""
    for path in sorted(ADVERSARIAL.glob("*.txt")):
        head, _, body = path.read_text(encoding="utf-8").partition("\n")
        agent, expected, *title = head.removeprefix("# ").split(" ", 2)
        rows = body.removesuffix("\n").split("\n")
        snapshot = Snapshot.from_rows(rows, title="".join(title))
        yield "adversarial", path.stem, expected, read(agent, snapshot).state.value


def right(expected: str, got: str) -> bool:
    """Whether a verdict agrees with its label (`not:X` is any other state)."""
    if expected.startswith("not:"):
        return got != expected.removeprefix("not:")
    return got == expected


def table(cases: list[Case]) -> dict[str, dict[str, float | int]]:
    """Figures per set and over all."""
    sets: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        sets[case[0]].append(case)
        sets["all"].append(case)
    figures: dict[str, dict[str, float | int]] = {}
    for name, members in sets.items():
        pairs = Counter((expected, got) for _, _, expected, got in members)
        row: dict[str, float | int] = {
            "n": len(members),
            "right": round(sum(right(e, g) for _, _, e, g in members) / len(members), 4),
            "abstained": round(sum(g == State.UNKNOWN for *_, g in members) / len(members), 4),
        }
        for state in ("blocked", "working", "idle"):
            hits = pairs[state, state]
            wrong = sum(n for (e, g), n in pairs.items() if g == state and not right(e, g))
            missed = sum(n for (e, g), n in pairs.items() if e == state and g != state)
            row[f"{state}_P"] = round(hits / max(hits + wrong, 1), 4)
            row[f"{state}_R"] = round(hits / max(hits + missed, 1), 4)
        figures[name] = row
    return figures


def public_set(given: argparse.Namespace) -> int:
    """Score a tool, or our rules, on the public set."""
    screens = load()
    readers = {
        "tool" if given.tool else "rules": by_tool(given.tool) if given.tool else by_packs(None)
    }
    if given.without_words:
        readers["rules without words"] = by_packs(load_packs(stale("words")))
    tables: dict[str, dict[str, dict[str, float | int]]] = {}
    for name, ask in readers.items():
        verdicts = run(screens, ask)
        if given.misses:
            for screen, got in verdicts:
                if not is_right(screen, got) and (screen.tuned or given.all):
                    print(f"  {name}: {screen.name}: {screen.state}, got {got}. {screen.reason}")
        tables[name] = set_table(verdicts)
    if given.json:
        print(json.dumps(tables, indent=1))
        return 0
    for name, rows in tables.items():
        heads = list(next(iter(rows.values())))
        print(f"{name:20} " + " ".join(f"{head:>10}" for head in heads))
        for group, row in rows.items():
            print(f"{group:20} " + " ".join(f"{row[head]:>10}" for head in heads))
    if given.without_words:
        with_words, without = (rows["all"]["right"] for rows in tables.values())
        print(f"without words: {100 * (with_words - without):.1f} points less of all screens")
    return 0


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--json", action="store_true")
    options.add_argument("--misses", action="store_true")
    options.add_argument("--all", action="store_true")
    options.add_argument("--no-timeline", action="store_true")
    options.add_argument("--set", action="store_true")
    options.add_argument("--without-words", action="store_true")
    options.add_argument("--tool")
    given = options.parse_args()
    if given.set or given.tool or given.without_words:
        return public_set(given)
    cases = [*core(given.all), *frames(), *adversarial()]
    if not given.no_timeline:
        cases += timeline()
    if given.misses:
        for group, name, expected, got in cases:
            if not right(expected, got):
                print(f"  {group:12} {name}: expected {expected}, got {got}")
    figures = table(cases)
    if given.json:
        print(json.dumps(figures, indent=1))
        return 0
    heads = list(next(iter(figures.values())))
    print(f"{'set':12} " + " ".join(f"{head:>10}" for head in heads))
    for name, row in figures.items():
        print(f"{name:12} " + " ".join(f"{row[head]:>10}" for head in heads))
    print("others, on their own choice of screens: herdr 81.7 %, ccmanager 80.4 %, CAO 63.8 %")
    return 0


if __name__ == "__main__":
    started = time.process_time()
    code = main()
    print(f"cpu {time.process_time() - started:.1f} s", file=sys.stderr)
    sys.exit(code)
