"""Reading agents over their versions: each version judged by rules that were not tuned on it.

    python -m benchmarks.scrapers.versions FOLDER [--split in|out|unseen|all] [--misses] [--json] [NAME ...]

NAME is AGENT or AGENT@VERSION.
FOLDER holds recordings of `record.py` (AGENT/VERSION/SIZE). Those of ../shared count as
well. Rules are tuned on the versions that are held in; one version an agent (`HELD_OUT`) is scored
and not tuned on, and `UNSEEN` are versions whose recordings nobody looked at. A row an agent and
version:

- status at moments whose truth the script gives: while the model answered, before a dialog got its
  key, when a turn was over, when the next prompt stood typed. `wrong` is any state but the right one
  and unknown; R and P are recall and precision of blocked;
- user and assistant: F1 over words, against those that were ever drawn (three in a row of them
  stood on the screen at some time); `lines` is F1 of the assistant's whole lines;
- calls: of those the model asked for and that were drawn, the share that came out with its command;
- lost: drawn lines of which less than half is anywhere in what came out, where no gap says so;
- unproven: rows that had scrolled off and left the transcript without a fold, a reprint or a rewind.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.scrapers.drawn import Drawn, Trigram, trigrams, words
from benchmarks.scrapers.scenario import scenario
from benchmarks.scrapers.turns import RECORDINGS, call_line, replay, text_lines, turn_lines

from dejavu.model import Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.scrapers import Packs, SessionReader
from dejavu.scrapers.row_proofs import RowAudit

HELD_OUT = {
    "claude": "2.1.185", "codex": "0.128.0", "gemini": "0.35.3", "qwen": "0.21.2",
    "kimi": "0.36.0", "opencode": "1.2.27", "copilot": "1.0.60", "pi": "0.84.4",
    "amp": "0.0.1771243550-geaf318",
}  # fmt: skip
"""The version of each agent that no rule is tuned on."""
UNSEEN = {
    "claude": "1.0.117", "codex": "0.160.1", "gemini": "0.55.1", "qwen": "0.15.6",
    "kimi": "2.0.2", "opencode": "1.17.11", "copilot": "1.0.82",
}  # fmt: skip
"""Versions recorded after the rules were written."""


@dataclass
class Score:
    """Sums over recordings."""

    recordings: int = 0
    moments: int = 0
    right: int = 0
    unknown: int = 0
    blocked: int = 0
    blocked_right: int = 0
    blocked_said: int = 0
    said: Counter[str] = field(default_factory=Counter[str])
    out: Counter[str] = field(default_factory=Counter[str])
    both: Counter[str] = field(default_factory=Counter[str])
    calls: int = 0
    calls_right: int = 0
    lost: int = 0
    gaps: int = 0
    unproven: int = 0
    drawn: int = 0
    misses: list[str] = field(default_factory=list[str])

    def add(self, other: "Score") -> None:
        """Add another recording's."""
        for each in fields(self):
            mine = getattr(self, each.name)
            setattr(self, each.name, mine + getattr(other, each.name))

    @property
    def wrong(self) -> int:
        """Moments whose state was neither right nor unknown."""
        return self.moments - self.right - self.unknown

    def f1(self, kind: str) -> float:
        """F1 of one kind of words; 1.0 where nothing was said and nothing came out."""
        total = self.said[kind] + self.out[kind]
        return 2 * self.both[kind] / total if total else 1.0

    def figures(self) -> dict[str, float | int]:
        """The cells of a row of the table."""
        moments = max(self.moments, 1)
        return {
            "n": self.recordings,
            "moments": self.moments,
            "status": round(self.right / moments, 4),
            "wrong": round(self.wrong / moments, 4),
            "R": round(self.blocked_right / max(self.blocked, 1), 3) if self.blocked else 1.0,
            "P": round(self.blocked_right / self.blocked_said, 3) if self.blocked_said else 1.0,
            "user": round(self.f1("user"), 4),
            "assistant": round(self.f1("assistant"), 4),
            "lines": round(self.f1("lines"), 4),
            "calls": round(self.calls_right / self.calls, 3) if self.calls else 1.0,
            "lost": self.lost,
            "gaps": self.gaps,
            "unproven": self.unproven,
        }


def answers(turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The replies that answered: agents also ask, behind a turn, what the next prompt may be."""
    steps = 1 + sum(part["type"] == "tool_call" for part in turn["assistant"])
    replies: list[dict[str, Any]] = turn.get("replies", [])
    return replies[:steps]


def was_heard(turn: dict[str, Any]) -> bool:
    """Whether a turn was not interrupted, or stopped when it was."""
    stopped = any(reply["cut"] for reply in turn.get("replies", ()))
    return turn.get("interrupted_at") is None or stopped


def unanswered(turns: list[dict[str, Any]], index: int) -> list[dict[str, Any]]:
    """A turn, the one before it, and those before that which nothing has answered since."""
    first = max(0, index - 1)
    while first > 0 and not turns[first].get("replies", True):
        first -= 1
    return turns[first : index + 1]


def unrecorded(turn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a turn says by the script whose replies the recorder missed, as around an interrupt."""
    if "replies" not in turn:
        return
    for scripted in scenario()["turns"]:
        if scripted["user"] == turn["user"]:
            for block in (block for reply in scripted["reply"] for block in reply):
                if "text" in block:
                    yield {"type": "text", "content": block["text"]}


def moments(turn: dict[str, Any]) -> Iterator[tuple[float, str]]:
    """Moments of a turn whose state is beyond doubt."""
    ends: list[float] = []
    for reply in answers(turn):
        start, end = reply["from"] + 0.6, reply["to"] - 0.15
        if turn["interrupted_at"] is not None:
            end = min(end, turn["interrupted_at"] - 0.1)
        count = max(0, min(8, int((end - start) / 0.5) + 1)) if end > start else 0
        for number in range(count):
            yield start + number * (end - start) / max(count - 1, 1), "working"
        if reply["calls"]:
            ends.append(reply["to"])
    for dialog in turn["dialogs"]:
        # A dialog's key may also have been sent to what merely looked like one.
        answered = dialog["answered_at"]
        after = (r["from"] for r in answers(turn) if r["from"] > answered - 0.5)
        if any(end < answered - 0.6 for end in ends) and not any(f < answered for f in after):
            yield answered - 0.5, "blocked"
            yield answered - 0.1, "blocked"
    if turn["typed_at"] is not None and turn["resized_at"] is None:
        yield turn["submitted_at"] - 0.2, "idle"
    if not turn["timed_out"] and (turn["replies"] or turn["interrupted_at"] is not None):
        yield turn["done_at"] - 0.1, "idle"


def shared_moments(turn: dict[str, Any]) -> Iterator[tuple[float, str]]:
    """The same for the recordings of ../shared, which say less."""
    start, end, answered = turn["submitted_at"], turn["responded_at"], turn["dialogs"]
    for dialog in answered:
        yield dialog["answered_at"] - 0.05, "blocked"
    failed = any(part["type"] == "error" for part in turn["assistant"])
    if end is not None and not answered and not failed:
        first, last = start + max(0.8, (end - start) * 0.65), end - 0.2
        if first < last:
            for number in range(5):
                yield first + number * (last - first) / 4, "working"
    if turn["done_at"] is not None and turn["assistant"] and not failed:  # then it may be error
        yield turn["done_at"], "idle"


def score_status(truth: dict[str, Any], reader: SessionReader, score: Score) -> None:
    """Compare the states of a replay with the script."""
    of_turn = moments if "says" in truth else shared_moments
    busy = [
        (reply["from"], reply["to"])
        for turn in truth["turns"] for reply in answers(turn)
    ]  # fmt: skip
    for index, turn in enumerate(truth["turns"]):
        for at, expected in of_turn(turn):
            if index == 0 and expected == "idle" and at < turn["submitted_at"]:
                continue  # before the first prompt a dialog may stand
            if expected == "idle" and any(start < at < end + 1 for start, end in busy):
                continue
            if expected == "idle" and not all(map(was_heard, unanswered(truth["turns"], index))):
                continue  # the key that interrupts had no effect
            state, rule = "unknown", ""
            for change in reader.status:
                if change.at > at:
                    break
                state, rule = change.state.value, f"{change.rule}: {change.detail}"
            score.moments += 1
            score.right += state == expected
            score.unknown += state == "unknown" != expected
            score.blocked += expected == "blocked"
            score.blocked_right += expected == state == "blocked"
            score.blocked_said += state == "blocked"
            if state != expected:
                score.misses.append(f"t{index + 1} {at:.2f} {expected} read {state} ({rule[:90]})")


def all_text(turns: tuple[Turn, ...]) -> Iterator[str]:
    """Every word that came out, whoever it is ascribed to."""
    for turn in turns:
        for part in turn.parts:
            match part:
                case Text() | Reasoning():
                    yield part.content
                case ToolCall():
                    yield f"{part.name} {' '.join(map(str, (part.arguments or {}).values()))}"
                case ToolCallResponse():
                    yield str(part.response)
                case _:
                    pass


def score_text(truth: dict[str, Any], reader: SessionReader, drawn: Drawn, score: Score) -> None:
    """Compare what came out with what was said and drawn."""
    turns = reader.turns
    said: dict[str, list[str]] = {"user": [], "assistant": [], "tool": []}
    for turn in truth["turns"]:
        said["user"].append(turn["user"])
        start = len(said["assistant"])
        for part in turn["assistant"] or unrecorded(turn):
            if part["type"] == "text":
                text = part["content"]
                missed = not turn["assistant"]
                if missed or (turn.get("interrupted_at") is not None and was_heard(turn)):
                    text = drawn.begun(text)
                if text not in said["assistant"][start:]:  # a request that was sent again
                    said["assistant"].append(text)
            elif part["type"] == "tool_call":
                line = call_line(part["name"], part["arguments"])
                if len(drawn.of(line)) * 2 > len(words(line)):
                    said["tool"].append(line)
    came = {
        role.value: [p.content for t in turns if t.role is role for p in t.parts
                     if isinstance(p, Text)]
        for role in (Role.USER, Role.ASSISTANT)
    }  # fmt: skip
    for role, texts in came.items():
        shown = Counter(
            word for text in said[role] for line in text_lines(text) for word in drawn.of(line)
        )
        out = Counter(word for text in texts for line in text_lines(text) for word in words(line))
        _compare(score, role, shown, out)
        for label, rest in (("-", shown - out), ("+", out - shown)):
            if rest:
                score.misses.append(f"{label} {role}: {rest.total()}: {' '.join(rest)[:150]}")
    whole = [line for text in said["assistant"] for line in text_lines(text)
             if len(drawn.of(line)) == len(words(line))]  # fmt: skip
    lines = turn_lines(turns)
    _compare(score, "lines", Counter(whole), lines["assistant"])
    calls = Counter(said["tool"])
    score.calls += calls.total()
    score.calls_right += (calls & lines["tool"]).total()
    score.misses += [f"- call: {call}" for call in (calls - lines["tool"]).elements()]
    score.misses += [f"+ call: {call}" for call in (lines["tool"] - calls).elements()]
    _count_lost(score, [*said["user"], *whole], reader, drawn)


def _compare(score: Score, kind: str, said: Counter[str], out: Counter[str]) -> None:
    score.said[kind] += said.total()
    score.out[kind] += out.total()
    score.both[kind] += (said & out).total()


def _count_lost(score: Score, texts: list[str], reader: SessionReader, drawn: Drawn) -> None:
    """Count lines that were drawn and are nowhere, unless a gap was declared."""
    score.gaps += len(reader.gaps)
    out: set[Trigram] = set()
    for text in all_text(reader.turns):
        out.update(trigrams(words(text)))
        out.update((word,) for word in words(text))
        out.update(pairwise(words(text)))
    for line in (line for text in texts for line in text_lines(text)):
        runs = [run for run in trigrams(drawn.of(line)) if run in drawn.seen]
        score.drawn += bool(runs)
        if runs and sum(run in out for run in runs) * 2 < len(runs):
            score.lost += not reader.gaps
            score.misses.append(f"- {'lost' if not reader.gaps else 'in a gap'}: {line[:120]}")


def score_recording(folder: Path, packs: Packs | None = None) -> tuple[str, str, Score]:
    """One recording: its agent, its version and its score, by the built-in packs or others."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    version = truth["version"] if "says" in truth else _plain(truth["version"])
    score, audits = Score(recordings=1), (RowAudit(), RowAudit())

    def audit(reader: SessionReader) -> None:
        for each, buffer in zip(audits, reader.buffered, strict=True):
            each.observe(buffer.rows, buffer.top)

    reader = replay(folder / "session.cast", truth["agent"], packs, audit)
    score.unproven = sum(len(each.lost) for each in audits)
    score_status(truth, reader, score)
    score_text(truth, reader, Drawn(folder / "session.cast"), score)
    name = f"{truth['agent']}@{version} {folder.parent.name}/{folder.name}"
    score.misses = [f"{name} {miss}" for miss in score.misses]
    return truth["agent"].removesuffix("-old").removesuffix("-inline"), version, score


def _plain(version: str) -> str:
    found = re.search(r"\d+(?:\.\d+)+(?:-g\w+)?", version)
    return found.group() if found is not None else version


def recordings(folder: Path) -> Iterator[Path]:
    """The folders of all recordings whose model answered."""
    for root in (folder, RECORDINGS):
        for path in sorted(root.rglob("truth.json")):
            if not (path.parent / "session.cast").exists():
                continue
            truth = json.loads(path.read_text(encoding="utf-8"))
            if any(turn.get("assistant") for turn in truth["turns"]):
                yield path.parent


def held(agent: str, version: str) -> str:
    """Which part a version belongs to: in, out or unseen."""
    parts = {"out": HELD_OUT, "unseen": UNSEEN}
    return next((part for part, of in parts.items() if of.get(agent) == version), "in")


def is_wanted(folder: Path, split: str, names: list[str]) -> bool:
    """Whether a recording is of the versions that are asked for."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    agent, version = truth["agent"], truth["version"]
    if split not in ("all", held(agent, version)):
        return False
    return not names or agent in names or f"{agent}@{version}" in names


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("versions", nargs="*", metavar="AGENT[@VERSION]")
    options.add_argument("--split", choices=["in", "out", "unseen", "all"], default="in")
    options.add_argument("--misses", action="store_true")
    options.add_argument("--json", action="store_true")
    asked = options.parse_intermixed_args()
    folders = [f for f in recordings(asked.folder) if is_wanted(f, asked.split, asked.versions)]
    rows: dict[tuple[str, str], Score] = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for agent, version, score in pool.map(score_recording, folders):
            rows.setdefault((agent, version), Score()).add(score)
    total = {"in": Score(), "out": Score(), "unseen": Score()}
    table: list[dict[str, Any]] = []
    for (agent, version), score in sorted(rows.items()):
        split = held(agent, version)
        total[split].add(score)
        table.append({"agent": agent, "version": version, "held": split, **score.figures()})
        if asked.misses:
            print("\n".join(f"  {miss}" for miss in score.misses))
    table += [
        {"agent": "all", "version": "", "held": split, **score.figures()}
        for split, score in total.items() if score.recordings
    ]  # fmt: skip
    if asked.json:
        print(json.dumps(table, indent=1))
        return 0
    heads = list(table[0])[3:] if table else []
    print(f"{'agent':9} {'version':24} {'held':4} " + " ".join(f"{head:>9}" for head in heads))
    for row in table:
        cells = " ".join(f"{row[head]:>9}" for head in heads)
        print(f"{row['agent']:9} {row['version'][:24]:24} {row['held']:4} {cells}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
