"""Golden cases: what a recording must give, in folders a person can read.

    golden/<agent>/<case>/session.cast   the bytes, as recorded (asciicast v2)
                          screen.txt     the last screen of it
                          turns.json     the turns and status that are read
                          case.toml      agent, version, size, date, why it exists

`python -m tests.golden demo/tour` (or `make golden-update CASE=demo/tour`) rewrites the last three
of one case and prints what changed; it refuses under CI. With `--from FILE.cast` it makes the case.
"""

import argparse
import difflib
import json
import os
import re
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dejavu.capsule import Output, Recording, Resize
from dejavu.interfaces.cli.replay import read_through
from dejavu.model import part_to_dict
from dejavu.scrapers import SessionReader
from dejavu.screen import Terminal

ROOT = Path(__file__).resolve().parent.parent / "golden"


@dataclass(frozen=True)
class Case:
    """One folder."""

    folder: Path

    @property
    def name(self) -> str:
        return str(self.folder.relative_to(ROOT))

    @property
    def about(self) -> dict[str, str]:
        return tomllib.loads((self.folder / "case.toml").read_text("utf-8"))

    def read(self) -> SessionReader:
        return read_through(self.folder / "session.cast", self.about["agent"], None)

    def recording(self) -> Recording:
        return Recording(self.folder / "session.cast")

    def made(self) -> dict[str, str]:
        """File name -> what the code makes of the recording today."""
        reader = self.read()
        return {"screen.txt": screen_text(self.recording()), "turns.json": turns_text(reader)}

    def kept(self) -> dict[str, str]:
        return {
            name: (self.folder / name).read_text("utf-8") if (self.folder / name).exists() else ""
            for name in ("screen.txt", "turns.json")
        }


def cases() -> list[Case]:
    """Every case, by its name."""
    return [Case(path.parent) for path in sorted(ROOT.glob("*/*/case.toml"))]


def screen_text(recording: Recording) -> str:
    """The last screen of the session, row by row, trailing blanks cut.

    Of an agent in the alternate screen that is what stood there before it left it: most leave
    nothing else behind.
    """
    columns, lines = recording.columns or 80, recording.lines or 24
    terminal, text, left = Terminal(columns, lines, graphemes=True), "", ""
    for event in recording:
        match event:
            case Output(_, data):
                for piece in re.split(rb"(?=\x1b\[\?1049l)", data):
                    text = _rows(terminal) or text
                    if terminal.snapshot().alternate and piece.startswith(b"\x1b[?1049l"):
                        left = text
                    terminal.feed(piece)
            case Resize(_, columns, lines):
                terminal.resize(columns, lines)
            case _:
                pass
    return (left or _rows(terminal) or text) + "\n"


def _rows(terminal: Terminal) -> str:
    return "\n".join(row.rstrip() for row in terminal.snapshot().rows).strip("\n")


def turns_text(reader: SessionReader) -> str:
    """Turns and states as indented JSON, one part a few lines, so that diffs read well."""
    value = {
        "states": [str(change.state) for change in reader.status],
        "turns": [
            {"role": str(turn.role), "parts": [part_to_dict(part) for part in turn.parts]}
            for turn in reader.turns
        ],
        "gaps": len(reader.gaps),
    }
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def difference(case: Case, kept: dict[str, str], made: dict[str, str]) -> str:
    """What changed, as unified diffs; empty if nothing did."""
    return "".join(
        line
        for name in made
        for line in difflib.unified_diff(
            kept[name].splitlines(keepends=True),
            made[name].splitlines(keepends=True),
            f"{case.name}/{name} (kept)",
            f"{case.name}/{name} (made)",
        )
    )


def _create(case: Case, recording: Path, agent_version: str, why: str) -> None:
    case.folder.mkdir(parents=True, exist_ok=True)
    first, events = recording.read_bytes().split(b"\n", 1)
    # Only what every recording has: no path or program of the machine it was made on.
    header = {key: json.loads(first)[key] for key in ("version", "width", "height")}
    (case.folder / "session.cast").write_bytes(json.dumps(header).encode() + b"\n" + events)
    facts = {
        "agent": case.folder.parent.name,
        "version": agent_version,
        "size": f"{header['width']}x{header['height']}",
        "date": datetime.now(UTC).date().isoformat(),
        "why": why,
    }
    text = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in facts.items()
    )
    (case.folder / "case.toml").write_text(text, "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make golden-update")
    parser.add_argument("case", help="such as demo/tour")
    parser.add_argument(
        "--from", dest="recording", type=Path, help="make the case from a recording"
    )
    parser.add_argument("--agent-version", default="")
    parser.add_argument("--why", default="")
    options = parser.parse_args()
    if os.environ.get("CI"):
        print("golden cases are never rewritten under CI", file=sys.stderr)
        return 2
    case = Case(ROOT / options.case)
    if options.recording:
        _create(case, options.recording, options.agent_version, options.why)
    if not (case.folder / "case.toml").exists():
        known = ", ".join(known.name for known in cases())
        print(f"no golden case {options.case!r}; there are: {known}", file=sys.stderr)
        return 2
    kept, made = case.kept(), case.made()
    for name, text in made.items():
        (case.folder / name).write_text(text, "utf-8")
    print(difference(case, kept, made) or f"{case.name}: nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
