"""What an archive has of a run on the rig, beside what was said in it.

    .venv/bin/python -m tests.e2e.completeness RECORDING...

For each prompt, answer, thought and call of `truth.json`: how often it is in the conversations that
`dejavu sync` makes of the home that the agent left (`native/HOME`). An answer that was played twice,
for the agent asked twice, may be there twice. What stands in no file of the agent's counts as not
written, for nobody can read it there. Prints a row a recording; exit code 1 where a prompt, an answer
or a call that was written is missing, or is there more often than it was said.
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.archive import Archive
from dejavu.ingest.sync import sync_homes
from dejavu.model import Reasoning, Role, Text, ToolCall, Turn
from dejavu.providers import Home

KINDS = "prompt", "text", "call", "thinking"
_REQUIRED = KINDS[:3]


class Tally(NamedTuple):
    """How many of one kind were said, are in the archive, are there too often, and stand in no file."""

    said: int
    kept: int
    repeated: int
    unwritten: int


def said(truth: dict[str, Any]) -> Counter[tuple[str, str]]:
    """Each prompt, answer, thought and call, and how often it was played."""
    found: Counter[tuple[str, str]] = Counter()
    for turn in truth["turns"]:
        played = [one for one in turn.get("played", ()) if not one.get("background")]
        found[("prompt", turn["user"])] += bool(played)
        for one in played:
            if "error" in one or one.get("client_gone"):
                continue
            for block in one["blocks"]:
                found += Counter(
                    (kind, block[kind]) for kind in ("text", "thinking") if kind in block
                )
            found += Counter(("call", _call(name, given)) for name, given in one["mapped"])
    return found


def _call(name: str, given: dict[str, Any]) -> str:
    """A call by its longest argument: names and spellings of the others differ by agent."""
    return max(
        (str(value) for value in given.values() if isinstance(value, str)), key=len, default=name
    )


def kept(turns: list[Turn]) -> dict[str, list[str]]:
    """The same of an archive: all strings of each kind."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for turn in turns:
        for part in turn.parts:
            if isinstance(part, Text):
                if turn.role is Role.USER:
                    found["prompt"].append(part.content)
                elif turn.role is Role.ASSISTANT:
                    found["text"].append(part.content)
            elif isinstance(part, Reasoning):
                found["thinking"].append(part.content)
            elif isinstance(part, ToolCall):
                found["call"] += ["\n".join(_strings(part.arguments))]
    return found


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        if value[:1] in "{[":
            try:
                return _strings(json.loads(value))
            except ValueError:
                return [value]
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inside for text in _strings(one)]


def compare(recording: Path, archive: Archive) -> dict[str, Tally]:
    """Sync the home of a recording into `archive`, and count."""
    truth = json.loads((recording / "truth.json").read_text("utf-8"))
    report = sync_homes(archive, [Home(recording / "native" / "HOME", {})])
    assert not report.unreadable, report.unreadable
    turns = [turn for summary in archive.scan() for turn in archive.get(summary.id).turns]
    there = kept(turns)
    files = [
        path.read_bytes() for path in (recording / "native" / "HOME").rglob("*") if path.is_file()
    ]
    tallies: dict[str, Tally] = {}
    for kind in KINDS:
        wanted = {text: times for (of, text), times in said(truth).items() if of == kind and times}
        counts = {
            text: sum(_squash(text) in _squash(one) for one in there[kind]) for text in wanted
        }
        tallies[kind] = Tally(
            len(wanted),
            sum(count > 0 for count in counts.values()),
            sum(count > wanted[text] for text, count in counts.items()),
            sum(not count and not _stands_in(text, files) for text, count in counts.items()),
        )
    assert sync_homes(archive, [Home(recording / "native" / "HOME", {})]).bytes == 0
    return tallies


def _stands_in(text: str, files: list[bytes]) -> bool:
    """Whether the first line of `text` stands in a file, as it is or as JSON has it."""
    line = next(filter(str.strip, text.splitlines()), "")[:60]
    forms = [
        line.encode(),
        *(json.dumps(line, ensure_ascii=a)[1:-1].encode() for a in (True, False)),
    ]
    return any(form in data for form in forms for data in files)


def _squash(text: str) -> str:
    return " ".join(text.split())


def is_complete(tallies: dict[str, Tally]) -> bool:
    """Whether every prompt, answer and call that was written is there, and no more often than said."""
    return all(
        tally.kept + tally.unwritten == tally.said and not tally.repeated
        for kind, tally in tallies.items()
        if kind in _REQUIRED
    )


def main(recordings: list[str]) -> int:
    """Print a row a recording."""
    complete = True
    for recording in map(Path, recordings):
        with (
            tempfile.TemporaryDirectory(prefix="dejavu-rig-") as folder,
            Archive.open(Path(folder)) as archive,
        ):
            tallies = compare(recording, archive)
        row = "  ".join(
            f"{kind} {tally.kept}/{tally.said}"
            + (f" ({tally.repeated} repeated)" if tally.repeated else "")
            + (f" ({tally.unwritten} not written)" if tally.unwritten else "")
            for kind, tally in tallies.items()
        )
        print(f"{recording.parent.name + '/' + recording.name:36} {row}")  # noqa: T201 - a command
        complete &= is_complete(tallies)
    return 0 if complete else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
