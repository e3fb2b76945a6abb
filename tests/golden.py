"""Golden cases: what a recording or a screen must read as, in folders a person can read.

    golden/<agent>/<case>/case.toml      agent, version, size, date, why it exists
                          session.cast   input: bytes as recorded (asciicast v2)
                          screen.txt     its last screen
                          turns.json     the states, turns and number of gaps that are read

A case of one state may do without a recording. `case.toml` then says the `state` and whether the
screen was `observed` or rebuilt from words in public documents (and may say `title`, `cursor`):

    golden/<agent>/<case>/screen.txt     input: the rows of the screen
                          reading.json   the verdict: state, rule, confidence, regions; and the turns,
                                         for packs that need no styles to read them

`python -m tests.golden demo/tour` (or `make golden-update CASE=demo/tour`) rewrites the expected
files of one case and prints what changed; it refuses under CI. With `--from FILE` it makes the case:
from a recording (`--until SECONDS`: its beginning; `--at SECONDS`: the one screen at that time, drawn
with its styles) or from a text (`--state`).
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
from typing import Any

from dejavu.capsule import Output, Recording, Resize
from dejavu.extensions.testing import RecordedSession
from dejavu.interfaces.cli.replay import read_through
from dejavu.model import part_to_dict
from dejavu.scrapers import Reading, SessionReader, Transcript, default_packs, read
from dejavu.screen import Event, Line, Snapshot, Terminal
from dejavu.sessions.observer.screen_server import draw

ROOT = Path(__file__).resolve().parent.parent / "golden"
# Seconds into a one-screen recording: when it is drawn, and when every verdict is settled.
_DRAWN_AT, _SETTLED_AT = 0.1, 5.0


class _Unchanged:
    """What a transcript is told of a screen that it sees for the first time."""

    rows: tuple[int, ...] = ()
    scrolled: tuple[Line, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class Case:
    """One folder."""

    folder: Path

    @property
    def name(self) -> str:
        return str(self.folder.relative_to(ROOT))

    @property
    def facts(self) -> dict[str, Any]:
        return tomllib.loads((self.folder / "case.toml").read_text("utf-8"))

    @property
    def is_recording(self) -> bool:
        return (self.folder / "session.cast").exists()

    def read(self) -> SessionReader:
        return read_through(self.folder / "session.cast", self.facts["agent"], None)

    def snapshot(self) -> Snapshot:
        """The screen of a case without a recording."""
        columns, lines = map(int, self.facts["size"].split("x"))
        rows = (self.folder / "screen.txt").read_text("utf-8").rstrip("\n").split("\n")
        row, column = self.facts.get("cursor", (0, 0))
        rows += [""] * (lines - len(rows))
        title = self.facts.get("title", "")
        return Snapshot.from_rows(rows, columns, title=title, cursor=(row, column))

    def reading(self) -> Reading:
        return read(self.facts["agent"], self.snapshot())

    def actual(self) -> dict[str, str]:
        """File name -> what the code makes of the input today."""
        if not self.is_recording:
            return {"reading.json": reading_text(self.facts["agent"], self.snapshot())}
        recording = Recording(self.folder / "session.cast")
        return {"screen.txt": screen_text(recording), "turns.json": turns_text(self.read())}

    def expected(self) -> dict[str, str]:
        """File name -> what is in the folder."""
        names = ("screen.txt", "turns.json") if self.is_recording else ("reading.json",)
        files = [self.folder / name for name in names]
        return {file.name: file.read_text("utf-8") if file.exists() else "" for file in files}


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


def _json(value: dict[str, Any]) -> str:
    """Indented JSON, a few lines for each part, so that diffs read well."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _turns(turns: Any) -> list[dict[str, Any]]:
    return [
        {"role": str(turn.role), "parts": [part_to_dict(part) for part in turn.parts]}
        for turn in turns
    ]


def turns_text(reader: SessionReader) -> str:
    """States, turns and the number of gaps."""
    states = [str(change.state) for change in reader.status]
    return _json({"states": states, "turns": _turns(reader.turns), "gaps": len(reader.gaps)})


def reading_text(agent: str, snapshot: Snapshot) -> str:
    """The verdict on one screen, and its turns where the pack needs no styles for them."""
    reading = read(agent, snapshot)
    value: dict[str, Any] = {
        "state": str(reading.state),
        "rule": reading.rule,
        "confidence": str(reading.confidence),
        "regions": [
            f"{region.name}: rows {region.top + 1} to {region.bottom}"
            for region in reading.regions
            if region.bottom > region.top
        ],
    }
    if not default_packs()[agent].styled:
        transcript = Transcript(agent)
        transcript.feed(snapshot, _Unchanged(), 0.0)
        value["turns"] = _turns(transcript.turns)
    return _json(value)


def difference(case: Case, expected: dict[str, str], actual: dict[str, str]) -> str:
    """What changed, as unified diffs; empty if nothing did."""
    return "".join(
        line
        for name in actual
        for line in difflib.unified_diff(
            expected[name].splitlines(keepends=True),
            actual[name].splitlines(keepends=True),
            f"{case.name}/{name} (expected)",
            f"{case.name}/{name} (actual)",
        )
    )


def create(case: Case, source: Path, options: argparse.Namespace) -> None:
    """Write the input and `case.toml` of a new case."""
    case.folder.mkdir(parents=True, exist_ok=True)
    facts: dict[str, Any] = {"agent": case.folder.parent.name, "version": options.agent_version}
    if source.suffix == ".txt":
        text = source.read_text("utf-8")
        rows = text.rstrip("\n").split("\n")
        (case.folder / "screen.txt").write_text(text, "utf-8")
        facts["size"] = options.size or f"{max(80, *map(len, rows))}x{max(24, len(rows))}"
        facts |= {"state": options.state, "observed": options.observed}
        if options.title:
            facts["title"] = options.title
    else:
        header, events = _excerpt(source, options.at, options.until)
        lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in [header, *events])
        (case.folder / "session.cast").write_text("".join(lines), "utf-8")
        facts["size"] = f"{header['width']}x{header['height']}"
    facts |= {"date": datetime.now(UTC).date().isoformat(), "why": options.why}
    text = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in facts.items()
    )
    (case.folder / "case.toml").write_text(text, "utf-8")


def _excerpt(
    source: Path, at: float | None, until: float | None
) -> tuple[dict[str, Any], list[list[Any]]]:
    """The header and events of a recording, or of its screen `at`, or of what came `until`.

    Of the header only what every recording has: no path or program of the machine it was made on.
    """
    first, *rest = source.read_text("utf-8").splitlines()
    header = {key: json.loads(first)[key] for key in ("version", "width", "height")}
    end = at if at is not None else until
    events = [json.loads(line) for line in rest]
    events = [event for event in events if end is None or event[0] <= end]
    if at is None:
        return header, events
    snapshot = RecordedSession(source, graphemes=True).forward(at).snapshot
    drawing = draw(snapshot, list(snapshot.rows), snapshot.title)
    header |= {"width": snapshot.columns, "height": snapshot.lines}
    return header, [[_DRAWN_AT, "o", drawing], [_SETTLED_AT, "o", ""]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="make golden-update")
    parser.add_argument("case", help="such as demo/tour")
    parser.add_argument("--from", dest="source", type=Path, help="a recording, or rows as .txt")
    parser.add_argument("--until", type=float, help="seconds of the recording to take")
    parser.add_argument("--at", type=float, help="take one screen of the recording")
    parser.add_argument("--state", default="", help="of a text: the state it shows")
    parser.add_argument("--observed", action="store_true", help="of a text: a real screen")
    parser.add_argument("--title", default="", help="of a text: the window's title")
    parser.add_argument("--size", default="", help="of a text: columns x lines")
    parser.add_argument("--agent-version", default="")
    parser.add_argument("--why", default="")
    options = parser.parse_args()
    if os.environ.get("CI"):
        print("golden cases are never rewritten under CI", file=sys.stderr)
        return 2
    case = Case(ROOT / options.case)
    if options.source:
        create(case, options.source, options)
    if not (case.folder / "case.toml").exists():
        names = ", ".join(case.name for case in cases())
        print(f"no golden case {options.case!r}; there are: {names}", file=sys.stderr)
        return 2
    expected, actual = case.expected(), case.actual()
    for name, text in actual.items():
        (case.folder / name).write_text(text, "utf-8")
    print(difference(case, expected, actual) or f"{case.name}: nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
