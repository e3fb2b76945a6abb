"""A small archive that the program 1.0.0 wrote, with what it answered; today's program is asked the same.

It needs no history of git, so it is tried in every clone. `release.py` has the sessions and the queries.

    python -m tests.drills.release_archive     # writes it, once; golden/archive/release-1.0.0/README.md
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.drills import release
from tests.drills.release import OLD, ROOT

GOLDEN = ROOT / "golden" / "archive" / "release-1.0.0"
_HOME = Path("/tmp/release-1.0.0")
_COPIES = 2
_ARCHIVE = Path(".local/share/dejavu/archive")
_KEPT = ("archive.json", "data.mdb")  # what is derived is made again


def write() -> None:
    """Have the program 1.0.0 write the archive and answer; refuse where it is there."""
    if GOLDEN.exists():
        raise SystemExit(f"{GOLDEN} is there; it is never written again")
    with tempfile.TemporaryDirectory() as scratch:
        tree = release.unpacked(OLD, Path(scratch))
        try:
            ids = release.fill(tree, _HOME, _COPIES)
            found = release.answers(tree, _HOME, ids)
            GOLDEN.mkdir()
            for name in _KEPT:
                shutil.copyfile(_HOME / _ARCHIVE / name, GOLDEN / name)
        finally:
            shutil.rmtree(_HOME, ignore_errors=True)
    text = json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True)
    (GOLDEN / "answers.json").write_text(text + "\n", "utf-8")


def tried(home: Path) -> dict[str, Any]:
    """Put the archive into a new home, ask the same, and follow its sessions there.

    Raises:
        RuntimeError: the program failed.
    """
    before: dict[str, Any] = json.loads((GOLDEN / "answers.json").read_text("utf-8"))
    archive = home / _ARCHIVE
    archive.mkdir(parents=True, mode=0o700)
    for name in _KEPT:
        shutil.copyfile(GOLDEN / name, archive / name)
    ids = [query.partition(" ")[2] for query in before if query.startswith("show ")]
    figures = release.compared(before, release.answers(ROOT, home, ids))
    release.write_home(home, _COPIES)
    figures |= release.followed(home)
    listed = json.loads(release.run(ROOT, home, "list", "--limit", "100", "--json")[1])
    turns = {one["id"]: one["turn_count"] for one in listed["conversations"]}
    old = {name: before[f"show {name}"]["answer"]["turn_count"] for name in ids}
    more = sum(turns.values()) - sum(old.values())
    return {**figures, "queries": len(before), "conversations": len(turns), "more turns": more}


if __name__ == "__main__":
    sys.exit(write())
