"""Screens of recordings at moments whose state is beyond doubt, for `golden/status`.

    python tools/status_screens.py RECORDINGS INTO [--held-out] [--most N]

RECORDINGS holds runs as a driver of real agents writes them (AGENT/RUN/session.cast and truth.json:
what was typed, when the model had said its last word, when dialogs were answered), or as
`benchmarks/scrapers/record.py` does (AGENT/VERSION/SIZE). Each is replayed and the screen written
at those moments: while the model was answering, just before a dialog's key, and when the prompt was
back. A screen that looks like one before of the same agent and state is left out, clocks and
spinners not counted, and so is one that does not show yet what the log knows.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.screen import Snapshot, Terminal

_AGENTS = {"claude-inline": "claude", "codex-inline": "codex", "amp-old": "amp"}
_MOVING = re.compile(r"\d+|[\u2800-\u28ff·✢✳✶✻✽∗*◐◑◒◓🌑-🌘]|\s+")


def moments(truth: dict[str, Any]) -> Iterator[tuple[float, str, str]]:
    """Seconds of the recording, the state then ("": not beyond doubt), and how that is known."""
    before_failed = True  # before the first prompt a dialog may stand
    for number, turn in enumerate(truth["turns"], 1):
        start, end, done = turn["submitted_at"], turn["responded_at"], turn["done_at"]
        answered = [dialog["answered_at"] for dialog in turn["dialogs"]]
        failed = not turn["assistant"] or turn["assistant"][-1]["type"] == "error"
        for at in answered:
            why = f"Turn {number}: a dialog asks; its key was pressed 0.05 s later."
            yield at - 0.05, "blocked", why
        if end is not None and not answered and not failed:
            for share in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
                at = start + (end - start) * share
                if start + 1.0 < at < end - 0.25:
                    left = f"{end - at:.1f} s before its last word"
                    yield at, "working", f"Turn {number}: the model was answering, {left}."
        why = f"Turn {number}: the prompt stands typed; Enter came 0.1 s later."
        yield start - 0.1, "" if before_failed else "idle", why
        before_failed = failed
        if done is not None:
            state = "error" if failed else "idle"
            said = "the request was refused" if failed else "the answer was complete"
            yield done, state, f"Turn {number}: {said}, and the driver saw the prompt again."


def moments_of_version(truth: dict[str, Any]) -> Iterator[tuple[float, str, str]]:
    """The same of a recording that tells when each reply of the model began and ended."""
    was_heard = True
    for number, turn in enumerate(truth["turns"], 1):
        steps = 1 + sum(part["type"] == "tool_call" for part in turn["assistant"])
        replies, stopped = turn["replies"][:steps], turn["interrupted_at"]
        for reply in replies:
            start, end = reply["from"] + 0.6, reply["to"] - 0.25
            if stopped is not None:
                end = min(end, stopped - 0.2)
            for share in (0.1, 0.5, 0.9):
                if end > start:
                    at = start + (end - start) * share
                    left = f"{reply['to'] - at:.1f} s before its last word"
                    yield at, "working", f"Turn {number}: the model was answering, {left}."
        calls = [reply["to"] for reply in replies if reply["calls"]]
        for dialog in turn["dialogs"]:
            at = dialog["answered_at"]
            before = max((end for end in calls if end < at - 0.6), default=None)
            if before is not None and not any(before < r["from"] < at for r in turn["replies"]):
                why = f"Turn {number}: a dialog asks; its key was pressed 0.1 s later."
                yield at - 0.1, "blocked", why
        heard_before, was_heard = (
            was_heard,
            stopped is None or any(r["cut"] for r in turn["replies"]),
        )
        if (
            turn["typed_at"] is not None
            and turn["resized_at"] is None
            and number > 1
            and heard_before
        ):
            why = f"Turn {number}: the prompt stands typed; Enter came 0.2 s later."
            yield turn["submitted_at"] - 0.2, "idle", why
        busy = any(r["from"] < turn["done_at"] < r["to"] + 1 for r in turn["replies"])
        if replies and not turn["timed_out"] and stopped is None and not busy:
            why = f"Turn {number}: the answer was complete, and the driver saw the prompt again."
            yield turn["done_at"] - 0.1, "idle", why


def spread(labels: list[tuple[float, str, str]], most: int) -> list[tuple[float, str, str]]:
    """At most so many moments of each state, evenly spread over the recording."""
    chosen: list[tuple[float, str, str]] = []
    for state in {state for _, state, _ in labels}:
        of_state = [label for label in labels if label[1] == state]
        count = min(most, len(of_state)) if state else len(of_state)
        chosen += [of_state[int((n + 0.5) * len(of_state) / count)] for n in range(count)]
    return sorted(chosen)


def screens(cast: Path, wanted: list[float]) -> Iterator[tuple[float, Snapshot]]:
    """The screen at each of the `wanted` seconds, which are in order."""
    with cast.open(encoding="utf-8") as lines:
        header = json.loads(next(lines))
        terminal = Terminal(header["width"], header["height"], history=0, graphemes=True)
        for line in lines:
            at, kind, data = json.loads(line)
            while wanted and wanted[0] < at:
                yield wanted.pop(0), terminal.snapshot()
            if kind == "o":
                terminal.feed(data.encode())
            elif kind == "r":
                columns, _, rows = data.partition("x")
                terminal.resize(int(columns), int(rows))
    for at in wanted:
        yield at, terminal.snapshot()


def document(fields: dict[str, Any], rows: list[str]) -> str:
    """A screen's file: what is known of it as TOML, a line of dashes, its rows."""
    head = "".join(
        f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items()
    )
    return f"{head}---\n" + "".join(f"{row.rstrip()}\n" for row in rows)


def main() -> int:
    """Write the screens, and say how many of which state."""
    options = argparse.ArgumentParser()
    options.add_argument("recordings", type=Path)
    options.add_argument("into", type=Path)
    options.add_argument("--held-out", action="store_true", help="no rule is tuned on them")
    options.add_argument("--most", type=int, default=1000, help="of each state and recording")
    given = options.parse_args()
    seen: set[tuple[str, str, str]] = set()
    counts: dict[str, int] = {}
    casts = [
        *given.recordings.glob("*/*/session.cast"),
        *given.recordings.glob("*/*/*/session.cast"),
    ]
    for cast in sorted(casts):
        truth = json.loads((cast.parent / "truth.json").read_text(encoding="utf-8"))
        if not any(turn["assistant"] for turn in truth["turns"]):
            continue
        folders = cast.relative_to(given.recordings).parts[:-1]
        agent = _AGENTS.get(folders[0], folders[0])
        of_truth = moments_of_version if "says" in truth else moments
        labels = spread(sorted(of_truth(truth)), given.most)
        found = screens(cast, [at for at, *_ in labels])
        errors = [
            str(part["message"]).partition("\n")[0][:30]
            for turn in truth["turns"]
            for part in turn["assistant"]
            if part["type"] == "error"
        ]
        idle_look = ""
        for number, ((at, state, why), (_, snapshot)) in enumerate(zip(labels, found, strict=True)):
            rows = [row.rstrip() for row in snapshot.rows]
            look = _MOVING.sub("", "\n".join(rows))
            if state in ("idle", ""):
                idle_look = look
            if not state or (agent, state, look) in seen or not look:
                continue
            # What the log knows and the screen does not show yet is no fault of who reads it.
            if (state == "working" and look == idle_look) or (
                state == "error" and not any(error in "\n".join(rows) for error in errors)
            ):
                continue
            seen.add((agent, state, look))
            run = "-".join(folders)
            fields = {
                "agent": agent,
                "version": truth.get("version") or "",
                "size": f"{snapshot.columns}x{snapshot.lines}",
                "title": snapshot.title,
                "alternate": snapshot.alternate,
                "cursor": list(snapshot.cursor),
                "state": state,
                "also": ["idle"] if state == "error" else [],
                "reason": why,
                "origin": "ours",
                "source": f"recording {run} at {at:.2f} s",
                "tuned": not given.held_out,
            }
            folder = given.into / agent
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{run}-{number:02}-{state}.txt").write_text(document(fields, rows), "utf-8")
            counts[state] = counts.get(state, 0) + 1
    print(counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
