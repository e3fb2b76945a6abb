"""Reading agents whose rules are taken away: leave one agent out, beside leave one version out.

    python -m benchmarks.scrapers.left_out FOLDER [--split in|out|unseen|all] [--misses] [--json]
        [--read-by own,any,learnt] [AGENT ...]

FOLDER holds recordings of `record.py`; those of ../shared (or DEJAVU_SHARED) count as well.
A row is an agent and how it was read:

- own: by its own pack. With `--split out` these are versions that no rule was tuned on;
- any: its pack removed, so that the rules for any agent read it;
- learnt: its pack removed, then rules proposed by `dejavu packs learn` from its other recordings that
  have a native trace. Agents with fewer than two such recordings have no such row.

The columns are those of `versions.py`. `status` is right, `wrong` any state but the right
one and unknown. `kept` is the share of the drawn lines that came out or stand in a gap. It exits with
1 where a pack reads worse than the rules for any agent do.
"""

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.scrapers.self_check import labelled, sessions
from benchmarks.scrapers.turns import RECORDINGS
from benchmarks.scrapers.versions import Score, is_wanted, recordings, score_recording

from dejavu.scrapers import Packs, default_packs, load_packs
from dejavu.scrapers.learn import propose
from dejavu.scrapers.packs import GENERIC, built_in_texts

MODES = ("own", "any", "learnt")
COLUMNS = (
    "status",
    "wrong",
    "unknown",
    "user",
    "assistant",
    "calls",
    "kept",
    "lost",
    "gaps",
    "unproven",
)


def agent_of(folder: Path) -> str:
    """The name of the pack that reads a recording."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    return default_packs()[truth["agent"]].spec.agent


@cache
def without(agent: str) -> Packs:
    """The built-in packs but the agent's own."""
    texts = built_in_texts()
    return Packs({file: text for file, text in texts.items() if file != f"{agent}.toml"})


def learnt(folder: Path, agent: str) -> Packs | None:
    """The rules for any agent, with what its other recordings teach; None where there are none."""
    lines = built_in_texts()[f"{GENERIC}.toml"].splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith(("aliases = ", "agent = ")))
    base, file = f'agent = "{agent}"\n{text}', f"{agent}.toml"
    others = [
        session for session in sessions()
        if default_packs()[session.agent].spec.agent == agent and session.cast.parent != folder
    ]  # fmt: skip
    if not others:
        return None
    packs = load_packs({file: base})
    proposal = propose(base, [labelled(other, packs) for other in others])
    return load_packs({file: proposal.text})


def score(folder: Path, mode: str) -> tuple[str, str, Score] | None:
    """A recording read in one way."""
    agent = agent_of(folder)
    packs = {
        "own": default_packs,
        "any": lambda: without(agent),
        "learnt": lambda: learnt(folder, agent),
    }[mode]()
    if packs is None:
        return None
    return agent, mode, score_recording(folder, packs)[2]


def figures(score: Score) -> dict[str, Any]:
    """The cells of a row."""
    row = score.figures()
    row["unknown"] = round(score.unknown / max(score.moments, 1), 4)
    row["kept"] = round(1 - score.lost / max(score.drawn, 1), 4)
    return {
        "n": score.recordings,
        "moments": score.moments,
        **{name: row[name] for name in COLUMNS},
    }


def table(rows: dict[tuple[str, str], Score]) -> Iterator[dict[str, Any]]:
    """A row an agent and mode, then all of each mode."""
    totals = {mode: Score() for mode in MODES}
    for (agent, mode), of_agent in sorted(
        rows.items(), key=lambda row: (row[0][0], MODES.index(row[0][1]))
    ):
        totals[mode].add(of_agent)
        yield {"agent": agent, "read by": mode, **figures(of_agent)}
    for mode, total in totals.items():
        if total.recordings:
            yield {"agent": "all", "read by": mode, **figures(total)}


def is_worse(own: Score, other: Score) -> bool:
    """Whether a pack is right less often than the rules for any agent, or wrong more often.

    A moment, or one in a hundred, does not count: it may be at the very edge of a turn.
    """
    return own.right < other.right or own.wrong > other.wrong + max(1, own.moments // 100)


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path, nargs="?", default=RECORDINGS)
    options.add_argument("agents", nargs="*", metavar="AGENT")
    options.add_argument("--split", choices=["in", "out", "unseen", "all"], default="all")
    options.add_argument("--read-by", default=",".join(MODES), help="own, any, learnt; by commas")
    options.add_argument("--misses", action="store_true")
    options.add_argument("--json", action="store_true")
    given = options.parse_intermixed_args()
    folders = sorted(
        {f for f in recordings(given.folder) if is_wanted(f, given.split, given.agents)}
    )
    rows: dict[tuple[str, str], Score] = defaultdict(Score)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [(folder, mode) for folder in folders for mode in given.read_by.split(",")]
        for done in pool.map(score, *zip(*jobs, strict=True)):
            if done is not None:
                rows[done[0], done[1]].add(done[2])
                if given.misses:
                    print("\n".join(f"  {done[1]}: {miss}" for miss in done[2].misses))
    shown = list(table(rows))
    if not shown:
        options.error("no such recordings")
    if given.json:
        print(json.dumps(shown, indent=1))
    else:
        print(
            f"{'agent':10} {'read by':7} " + " ".join(f"{head:>9}" for head in list(shown[0])[2:])
        )
        for row in shown:
            cells = " ".join(f"{cell:>9}" for cell in list(row.values())[2:])
            print(f"{row['agent']:10} {row['read by']:7} {cells}")
    worse = [
        agent for (agent, mode), own in rows.items()
        if mode == "own" and (agent, "any") in rows and is_worse(own, rows[agent, "any"])
    ]  # fmt: skip
    if worse:
        print(
            f"wrong more often than by the rules for any agent: {', '.join(worse)}", file=sys.stderr
        )
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
