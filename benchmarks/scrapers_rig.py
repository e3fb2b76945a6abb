"""Status and turns read from recordings as the rig leaves them, against what was said in them.

    python benchmarks/scrapers_rig.py [--misses] RECORDING...

RECORDING is a folder with `session.cast` and `truth.json` of `tests/e2e/rig_agents.py` or of the rig
itself. Rows, columns and rules as in `scrapers_versions.py`; the moments are fewer, for the rig
notes when a model's reply ended, but not when its words began.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from scrapers_versions import score_recording

_PACKS = {"pi-now": "pi"}
"""The agents whose name on the rig is not their pack's."""


def converted(truth: dict[str, Any], started: float) -> dict[str, Any]:
    """The rig's truth with times from the cast's start, and parts instead of played blocks."""
    return {
        "agent": _PACKS.get(truth["agent"], truth["agent"]),
        "version": truth["version"],
        "turns": [_turn(turn, started) for turn in truth["turns"] if turn.get("played")],
    }


def answers(played: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The replies that answered: agents also ask, behind a turn, what the next prompt may be."""
    kept: list[dict[str, Any]] = []
    for one in played:
        if one.get("background"):
            continue
        again = [o for o in kept if o["step"] == one["step"] and "error" not in o and "t1" in o]
        # One that began before the first had ended is that one's other form (a title, say).
        if not any(o["t1"] <= one.get("t0", o["t1"]) for o in again):
            kept.append(one)
    return kept


def _turn(turn: dict[str, Any], started: float) -> dict[str, Any]:
    played = answers(turn["played"])
    parts: list[dict[str, Any]] = []
    for one in played:
        if "error" in one:
            parts.append({"type": "error"})
            continue
        mapped = iter(one["mapped"])
        for block in one["blocks"]:
            if "text" in block:
                parts.append({"type": "text", "content": block["text"]})
            elif "tool" in block:
                name, arguments = next(mapped)
                parts.append({"type": "tool_call", "name": name, "arguments": arguments})
    # A request that is sent again is no second answer.
    unique = [part for place, part in enumerate(parts) if part not in parts[:place]]
    ends = [one["t1"] - started for one in played if "t1" in one]
    return {
        "user": turn["user"],
        "typed_at": None,
        "submitted_at": turn["submitted_at"] - started,
        "responded_at": max(ends, default=None),
        "done_at": turn["done_at"] - started,
        "dialogs": [{"answered_at": one["t"] - started} for one in turn["dialogs"]],
        "assistant": unique,
        "interrupted_at": None,
    }


def main() -> None:
    """Print a row a recording."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("recordings", type=Path, nargs="+")
    options.add_argument("--misses", action="store_true")
    asked = options.parse_args()
    for recording in asked.recordings:
        with (recording / "session.cast").open(encoding="utf-8") as cast:
            started = json.loads(cast.readline())["rig_t0"]
        truth = json.loads((recording / "truth.json").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / recording.parent.name / recording.name
            folder.mkdir(parents=True)
            (folder / "session.cast").symlink_to((recording / "session.cast").absolute())
            (folder / "truth.json").write_text(json.dumps(converted(truth, started)))
            agent, version, score = score_recording(folder)
        figures = "  ".join(f"{key} {value}" for key, value in score.figures().items())
        print(f"{agent}@{version} {recording.name}: {figures}")
        if asked.misses:
            print(*(f"    {miss.partition(' ')[2]}" for miss in score.misses), sep="\n")


if __name__ == "__main__":
    main()
