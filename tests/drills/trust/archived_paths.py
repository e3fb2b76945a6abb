"""Attack: the path of a session file, as a colleague or the maker of a backup wrote it down, led elsewhere.

Draws paths with `..`, links' names, other folders, control characters and other homes into the archive's
record of a session, then puts the session back into a home. Held means: nothing is written outside of the
folders where the agent keeps its sessions, no instructions of the agent's, and nothing is replaced.
"""

import os
import random
import re
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.channel import SOURCES
from dejavu.ingest.sync import sync_homes
from dejavu.model import DejavuError
from dejavu.providers import Home
from dejavu.services.undelete.carry_out import carry_out
from dejavu.services.undelete.plan import make_plan

from ..budget import Budget
from . import Tally

ANGLE, FINDINGS = "paths in the archive", ("33.P1",)
_TARGETS = (
    ".bashrc", ".config/autostart/x.desktop", "CLAUDE.md", ".claude/CLAUDE.md", ".claude/settings.json",
    ".claude/projects/-w/memory/MEMORY.md", ".ssh/authorized_keys", ".claude/commands/x.md", "../outside",
    "../../tmp/dejavu-drill-outside",
)  # fmt: skip
_MEMORY = re.compile(r"/home/\.claude/projects/[^/]+/memory/")
_MIDDLES = (
    "..",
    ".",
    "-work-x",
    "a/..",
    "sessions",
    "\x1b]0;x\x07",
    "todos",
    "tasks",
    "file-history",
    "",
)


def _path(chance: random.Random, home: Path) -> str:
    """A path that reads like a session's and may lead anywhere."""
    root = chance.choice((str(home), "/home/other", "/root", "", "/"))
    begin = chance.choice(("/.claude/projects/", "/.claude/", "/.claude/todos/", "/"))
    middle = "/".join(chance.choices(_MIDDLES, k=chance.randint(0, 5)))
    return f"{root}{begin}{middle}/{chance.choice(_TARGETS)}"


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "/.local/" not in str(path)
    }


def attack(budget: Budget, tally: Tally) -> None:
    """Change the record, and undelete."""
    chance = budget.random
    earlier = os.environ.get("DEJAVU_DATA_HOME")
    with tempfile.TemporaryDirectory() as name:
        os.environ["DEJAVU_DATA_HOME"] = f"{name}/data"
        try:
            while budget.more():
                with tempfile.TemporaryDirectory(dir=name) as place:
                    _try(chance, Path(place), tally)
        finally:
            os.environ.pop("DEJAVU_DATA_HOME", None)
            if earlier is not None:
                os.environ["DEJAVU_DATA_HOME"] = earlier


def _try(chance: random.Random, place: Path, tally: Tally) -> None:
    home = place / "a" / "b" / "home"
    session = claude_session(home, "touch a file")
    with Archive.open(place / "archive") as archive:
        sync_homes(archive, [Home(home, {})], agent="claude")
        (head,) = archive.scan()
        session.unlink()
        kept = home / ".bashrc"
        kept.write_text("mine")
        wanted = _path(chance, home)
        records = archive.namespace(SOURCES)
        for key in archive.sources.of(head.id):
            record = msgspec.msgpack.decode(records.get(key.encode()) or b"")
            records.put(key.encode(), msgspec.msgpack.encode({**record, "path": wanted}))
        before = _tree(place / "a")
        with suppress(DejavuError, OSError, ValueError):
            carry_out(make_plan(archive, head.id, Home(home, {})))
    after = _tree(place / "a")
    roots = tuple(
        f"{home}/.claude/{one}/" for one in ("projects", "todos", "tasks", "file-history")
    )
    new = [path for path in after if path not in before]
    bad = [path for path in new if not path.startswith(roots) or _MEMORY.search(path)]
    outside = Path("/tmp/dejavu-drill-outside").exists()
    held = not bad and not outside and all(after[path] == text for path, text in before.items())
    tally.record(held, f"{wanted!r} wrote {bad}")
