"""Turns read from recordings alone, against what was really said.

    python -m benchmarks.scrapers.turns [--json] [--misses] [FOLDER ...]

Every folder that holds `session.cast` (asciicast v2) and `truth.json` is replayed through
`SessionReader`, which sees nothing but the bytes and their times. Scored by lines, each counted
as often as it occurs: markdown marks are stripped on both sides, white space is folded. Truth
that repeats a text or call within a turn (the recorder also heard background requests) counts once.

- F1 of user, assistant text and tool calls (a call counts by its command or file name);
- duplicated: lines that came out more often than they were said, of all that came out;
- lost: lines said that did not come out.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import SHARED

from dejavu.model import Role, Text, ToolCall, Turn
from dejavu.scrapers import Packs, SessionReader

RECORDINGS = SHARED / "data" / "recordings"
KINDS = ("user", "assistant", "tool")

_FENCE = re.compile(r"^\s*```\w*\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]*-{3,}[\s:|-]*$")
_MARKS = re.compile(r"^\s*(#{1,6}\s+|>\s?|[-*+•]\s+)")
_INLINE = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


def text_lines(text: str) -> list[str]:
    """Lines of a text without markdown's marks, white space folded, blank ones dropped."""
    lines: list[str] = []
    for line in text.splitlines():
        if _FENCE.match(line) or _TABLE_RULE.match(line):
            continue
        line = _MARKS.sub("", line)
        if line.strip().startswith("|"):
            line = line.replace("|", " ")
        line = " ".join(_INLINE.sub("", line).split())
        if line:
            lines.append(line)
    return lines


def call_line(name: str, arguments: object) -> str:
    """What names a call: its command, or the last part of its path, or else its name."""
    value = ""
    if isinstance(arguments, dict):
        value = next((str(v) for v in arguments.values() if isinstance(v, str)), "")
    value = " ".join(value.split())
    if value.startswith("/") or re.fullmatch(r"[\w.~-]+(/[\w.~-]+)*\.\w+", value):
        value = value.rpartition("/")[2]
    return value or name


def truth_lines(truth: dict[str, Any]) -> dict[str, Counter[str]]:
    """What was said in a recording, by kind."""
    said = {kind: Counter[str]() for kind in KINDS}
    for turn in truth["turns"]:
        said["user"].update(text_lines(turn["user"]))
        heard: set[str] = set()
        for part in turn["assistant"]:
            if part["type"] == "text" and part["content"] not in heard:
                heard.add(part["content"])
                said["assistant"].update(text_lines(part["content"]))
            elif part["type"] == "tool_call":
                line = call_line(part["name"], part["arguments"])
                if line not in heard:
                    heard.add(line)
                    said["tool"].update([line])
    return said


def turn_lines(turns: tuple[Turn, ...]) -> dict[str, Counter[str]]:
    """What came out of a replay, by kind."""
    out = {kind: Counter[str]() for kind in KINDS}
    for turn in turns:
        for part in turn.parts:
            if isinstance(part, Text) and turn.role in (Role.USER, Role.ASSISTANT):
                out[turn.role.value].update(text_lines(part.content))
            elif isinstance(part, ToolCall):
                out["tool"].update([call_line(part.name, part.arguments)])
    return out


def replay(
    cast: Path,
    agent: str,
    packs: Packs | None = None,
    each: Callable[[SessionReader], object] = lambda _: None,
    *,
    keys: bool = True,
) -> SessionReader:
    """A recording through a `SessionReader`, which `each` gets behind every event.

    keys: whether the reader is told of what was typed, as it is by the wrapper.
    """
    with cast.open(encoding="utf-8") as lines:
        header = json.loads(next(lines))
        reader = SessionReader(agent, header["width"], header["height"], packs=packs)
        at = 0.0
        for line in lines:
            at, kind, data = json.loads(line)
            if kind == "o":
                reader.output(data.encode(), at)
            elif kind == "i" and keys:
                reader.keys(data.encode(), at)
            elif kind == "r":
                columns, _, rows = data.partition("x")
                reader.resize(int(columns), int(rows), at)
            each(reader)
        reader.exit(0, at + 1.0)
    return reader


@dataclass
class Score:
    """Counts of one kind of lines."""

    said: int = 0
    out: int = 0
    both: int = 0
    repeated: int = 0
    missing: list[str] = field(default_factory=list[str])
    extra: list[str] = field(default_factory=list[str])

    def add(self, said: Counter[str], out: Counter[str]) -> None:
        """Count one recording's lines."""
        self.said += said.total()
        self.out += out.total()
        self.both += (said & out).total()
        self.repeated += sum(n - said[line] for line, n in out.items() if n > said[line] > 0)
        self.missing += (said - out).elements()
        self.extra += (out - said).elements()

    @property
    def f1(self) -> float:
        """Line-F1; 1.0 where nothing was said and nothing came out."""
        return 2 * self.both / (self.said + self.out) if self.said + self.out else 1.0


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("folders", nargs="*", type=Path)
    options.add_argument("--json", action="store_true")
    options.add_argument("--misses", action="store_true")
    given = options.parse_args()
    folders = given.folders or sorted(path.parent for path in RECORDINGS.glob("*/*/session.cast"))
    total = {kind: Score() for kind in KINDS}
    rows: list[dict[str, Any]] = []
    for folder in folders:
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        said = truth_lines(truth)
        if not said["assistant"]:
            continue
        started = time.process_time()
        reader = replay(folder / "session.cast", truth["agent"])
        out = turn_lines(reader.turns)
        spent = time.process_time() - started
        scores = {kind: Score() for kind in KINDS}
        for kind in KINDS:
            scores[kind].add(said[kind], out[kind])
            total[kind].add(said[kind], out[kind])
        prompts = [turn["user"] for turn in truth["turns"]]
        shown = [turn.text for turn in reader.turns if turn.role is Role.USER]
        rows.append(
            {
                "recording": f"{folder.parent.name}/{folder.name}",
                **{kind: round(scores[kind].f1, 4) for kind in KINDS},
                "repeated": sum(score.repeated for score in scores.values()),
                "prompts_in_order": prompts == shown,
                "gaps": len(reader.gaps),
                "cpu_s": round(spent, 2),
            }
        )
        if given.misses:
            for kind in KINDS:
                for label, lines in (("-", scores[kind].missing), ("+", scores[kind].extra)):
                    for line in lines:
                        print(f"  {folder.parent.name}/{folder.name} {label} {kind}: {line[:150]}")
    said_all = sum(score.said for score in total.values())
    out_all = sum(score.out for score in total.values())
    summary = {
        **{kind: round(total[kind].f1, 4) for kind in KINDS},
        "duplicated": round(sum(s.repeated for s in total.values()) / max(out_all, 1), 5),
        "lost": round(sum(len(s.missing) for s in total.values()) / max(said_all, 1), 5),
        "recordings": len(rows),
    }
    if given.json:
        print(json.dumps({"recordings": rows, "total": summary}, indent=1))
    else:
        print(
            f"{'recording':34} {'user':>7} {'assist':>7} {'tool':>7} {'dup':>4} "
            f"{'order':>6} {'gaps':>4} {'cpu s':>6}"
        )
        for row in rows:
            order = "yes" if row["prompts_in_order"] else "NO"
            print(
                f"{row['recording']:34} {row['user']:7.4f} {row['assistant']:7.4f} "
                f"{row['tool']:7.4f} {row['repeated']:4} {order:>6} {row['gaps']:4} "
                f"{row['cpu_s']:6.2f}"
            )
        print(json.dumps(summary))
    return 0


if __name__ == "__main__":
    sys.exit(main())
