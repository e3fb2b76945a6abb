"""The public registry of session formats, imported: what came of each fixture beside what its page says.

    .venv/bin/python benchmarks/providers_registry.py

Copies each fixture of ../shared/data/registry to where its agent keeps its sessions, in a home of its
own, and prints a row each: conversations and messages found and expected, files whose bytes stand in
the archive of those in the fixture (a database counts once its messages do), and the bytes that a
second import adds. Names the files that are not kept. Exit code 1 where a count differs.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.ingest.test_public_formats import DATABASES, PLACES, placed  # noqa: E402 - of this folder

from dejavu.archive import Archive  # noqa: E402 - after the path is set
from dejavu.ingest.sync import sync_homes  # noqa: E402 - as above
from dejavu.model import Role  # noqa: E402 - as above
from dejavu.providers import Home  # noqa: E402 - as above


def row(name: str, shared: Path, folder: Path) -> tuple[str, bool, list[str]]:
    """A fixture's row, whether it is as expected, and the files that are not kept."""
    home = placed(shared, name, folder / "home")
    *_, sessions, messages = PLACES[name]
    with Archive.open(folder / "archive") as archive:
        report = sync_homes(archive, [Home(home, {})])
        conversations = [archive.get(summary.id) for summary in archive.scan()]
        said = sum(
            turn.role in (Role.USER, Role.ASSISTANT) and bool(turn.text)
            for conversation in conversations
            for turn in conversation.turns
        )
        raw = [b"".join(archive.raw(key)) for key in archive.source_keys()]
        again = sync_homes(archive, [Home(home, {})]).bytes
    files = [path for path in sorted(home.rglob("*")) if path.is_file()]
    kept = [path for path in files if path.name in DATABASES.values() or path.read_bytes() in raw]
    left = [str(path.relative_to(home)) for path in files if path not in kept]
    right = (len(conversations), said, again) == (sessions, messages, 0) and not report.unreadable
    cells = f"{len(conversations)}/{sessions:<4} {said}/{messages:<6} {len(kept)}/{len(files):<6} {again:6}"
    return f"{name:14} {cells}", right, left


def main() -> int:
    """Print the table."""
    shared = ROOT.parent / "shared"
    print(f"{'fixture':14} conv. messages files kept again")
    complete, unkept = True, list[str]()
    for name in PLACES:
        with tempfile.TemporaryDirectory() as folder:
            line, right, left = row(name, shared, Path(folder))
        print(line + ("" if right else "   differs"))
        complete &= right
        unkept += [f"{name}: {path}" for path in left]
    print(*("not kept: " + one for one in unkept), sep="\n")
    return 0 if complete else 1


if __name__ == "__main__":
    raise SystemExit(main())
