"""Whether what agents wrote is kept byte for byte, and read the same again from what was kept.

Takes folders `<recordings>/<agent>/<run>/native/` and a folder of session files; prints a table (or
JSON with `--json`) and exits 1 where anything is wrong:

- `recordings`: each home is archived; the archive's raw of each trace is compared with the file's
  own bytes (a database has none: its rows are read anew instead), then every turn is rebuilt from
  that raw (`reparse`) and compared with what it was.
- `sessions`: every file is given to the parser of every agent whose files end so, whole and cut
  anywhere; none may raise.
"""

import argparse
import contextlib
import json
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import SHARED

from dejavu.archive import Archive
from dejavu.ingest.channel import load_session_log
from dejavu.ingest.reparse import reparse
from dejavu.ingest.sync import sync_homes
from dejavu.providers import PROVIDERS, Home, Kind, Source

ENDINGS = {".json", ".jsonl", ".md"}
CUTS = (1, 7, 64, 1000)


def homes(root: Path) -> Iterator[Path]:
    """The homes of the recordings."""
    yield from sorted(path for path in root.glob("*/*/native") if path.is_dir())


def kept(home: Path) -> dict[str, Any]:
    """What became of one home's traces in an archive of its own."""
    row = {"run": "/".join(home.parts[-3:-1]), "sources": 0, "rows": 0, "raw_differs": 0}
    with (
        tempfile.TemporaryDirectory() as folder,
        Archive.open(Path(folder) / "archive") as archive,
    ):
        report = sync_homes(archive, [Home(home, {}, "kept")])
        before = {head.id: archive.get(head.id) for head in archive.scan()}
        for key in archive.sources.all_keys():
            source = load_session_log(archive, key)
            row["sources"] += 1
            if source is None or source.kind is Kind.DATABASE:
                row["rows"] += 1
            elif b"".join(archive.sources.raw(key)) != source.path.read_bytes():
                row["raw_differs"] += 1
        again = reparse(archive)
        after = {head.id: archive.get(head.id) for head in archive.scan()}
        changed = sum(after[name].turns != before[name].turns for name in before)
        row |= {
            "conversations": len(before), "turns": sum(one.turn_count for one in before.values()),
            "reparse_differs": changed + len(after.keys() ^ before.keys()) + len(again.left),
            "unreadable": len(report.unreadable), "not_whole": int(not archive.maintenance.verify().clean),
        }  # fmt: skip
    return row


def readers(path: Path) -> Iterator[tuple[str, Source]]:
    """Every agent's view of a file."""
    kind = Kind.WHOLE if path.suffix == ".json" else Kind.APPEND
    for agent in PROVIDERS:
        yield agent, Source(agent, path, "kept", kind, path.stem)


def read(path: Path) -> tuple[int, list[str]]:
    """How many parsers took the file, and what went wrong."""
    data, wrong, taken = path.read_bytes(), list[str](), 0
    for agent, source in readers(path):
        for cut in (len(data) or 1, *CUTS):
            try:
                parser = PROVIDERS[agent].parser(source)
                for place in range(0, min(len(data), 200 * cut), cut):
                    parser.feed(data[place : place + cut], place)
                parser.take()
                PROVIDERS[agent].parser(source, parser.state()).take()
            except Exception as error:  # what is counted here
                place = traceback.extract_tb(error.__traceback__)[-1]
                wrong.append(f"{agent} {path.name}: {error!r} in {place.filename}:{place.lineno}")
        taken += 1
    return taken, wrong


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--recordings", type=Path, default=SHARED / "data/recordings")
    options.add_argument("--sessions", type=Path, default=SHARED / "data/sessions")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    table = [kept(home) for home in homes(given.recordings)]
    files = sorted(p for p in given.sessions.rglob("*") if p.suffix in ENDINGS and p.is_file())
    taken, wrong = 0, list[str]()
    for path in files:
        count, faults = read(path)
        taken, wrong = taken + count, wrong + faults
    faults = ("raw_differs", "reparse_differs", "unreadable", "not_whole")
    bad = len(wrong) + sum(row[name] for row in table for name in faults)
    if given.json:
        print(
            json.dumps(
                {"recordings": table, "files": len(files), "readings": taken, "wrong": wrong}
            )
        )
    else:
        heads = ("sources", "rows", "conversations", "turns", *faults)
        print(f"{'run':28}" + "".join(f"{name:>16}" for name in heads))
        for row in table:
            print(f"{row['run']:28}" + "".join(f"{row[name]:>16}" for name in heads))
        print(f"{len(files)} session files, {taken} readings, {len(wrong)} exceptions")
        with contextlib.suppress(IndexError):
            print("\n".join(wrong[:20]), file=sys.stderr)
    return 2 if not table or not files else int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
