"""Sources without an end, in a home that is rescued beside an honest one: they are named, and cost little.

SQLite databases turned into traps (views that count for ever, pages that point to each other, pipes as side
files, a terabyte of holes), and session files that are pipes, devices, holes or one line without an end. It
holds where the rescue ends in time, the honest session is archived, the trap is named and the archive
stays small. Tar streams without an end have an angle of their own (`remote_streams`).
"""

import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from tests.factories.hostile_databases import TRAPS, tables
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.final_sync import sync_final
from dejavu.ingest.find_homes import find_homes
from dejavu.providers import PROVIDERS, Home
from dejavu.providers.follow import query_limits

from ..budget import Budget
from ..session_files import HOMES
from . import Tally

ANGLE = "endless sources"
FINDINGS = ("H5",)
WEIGHT = 3.0

_SECONDS = 45.0  # of one rescue, on a busy machine
_MOST = 80 << 20  # bytes of an archive
_SQLITE = b"SQLite format 3\0"


def attack(budget: Budget, tally: Tally) -> None:
    """Draw databases and files, each with one of its traps."""
    databases = [path for path in sorted(HOMES.rglob("*")) if _is_database(path)]
    number = 0
    while budget.more():
        number += 1
        folder = Path(tempfile.mkdtemp(prefix="dejavu-drill-"))
        try:
            if budget.random.random() < 0.6:
                what = budget.random.choice(databases)
                name, problem = _database(what, budget.random, folder)
            else:
                name, problem = _file(budget.random, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        tally.record(not problem, f"seed {budget.seed}, attack {number}, {name}: {problem}")


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == _SQLITE


def _database(honest: Path, chance: random.Random, folder: Path) -> tuple[str, str]:
    agent = honest.relative_to(HOMES).parts[0]
    home = folder / "homes" / "trap"
    shutil.copytree(HOMES / agent, home)
    path = home / honest.relative_to(HOMES / agent)
    trap = chance.choice(tuple(TRAPS))
    table = chance.choice(tables(path))
    TRAPS[trap](path, table)
    return f"{agent}, {trap} as {table}", _rescued(folder, path, agent)


def _file(chance: random.Random, folder: Path) -> tuple[str, str]:
    trap = chance.choice(tuple(_FILES))
    path = claude_session(folder / "homes" / "trap", "one", name="trap")
    _FILES[trap](path)
    return trap, _rescued(folder, path, "claude")


def _rescued(folder: Path, trap: Path, agent: str) -> str:
    """Rescue all homes; what fell, or an empty text."""
    claude_session(folder / "homes" / "honest", "the honest session", name="honest")
    began, named = time.monotonic(), ""
    now = [time.time()]  # what is torn is waited for, but not here

    def wait(seconds: float) -> None:
        now[0] += seconds

    with (
        # Far less than the program allows, so that a drill can make many.
        patch.multiple(query_limits, SECONDS=1.0, ALL_SECONDS=4.0),
        Archive.open(folder / "archive") as archive,
    ):
        for home in find_homes(folder / "homes"):
            report = sync_final(
                archive, [Home(home.path, {}, home.instance)], clock=lambda: now[0], sleep=wait
            )
            named += " ".join(path for path, _ in report.unreadable)
        took = time.monotonic() - began
        kept = {head.native_id for head in archive.scan()}
        read = any(head.agent == agent and head.native_id != "honest" for head in archive.scan())
    size = sum(path.stat().st_blocks * 512 for path in (folder / "archive").rglob("*"))
    if took > _SECONDS:
        return f"took {took:.0f} s"
    if "honest" not in kept:
        return f"the honest session is lost ({named})"
    if size > _MOST:
        return f"wrote {size:,} bytes"
    # A trap in a table that nobody asks for leaves the conversations readable; a pipe holds nothing.
    known = agent in PROVIDERS and trap.is_file()
    return "" if read or str(trap) in named or not known else f"not named: {named!r}"


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _holes(path: Path) -> None:
    os.truncate(path, 1 << 40)


def _line(path: Path) -> None:
    path.write_bytes(b'{"type":"user","message":{"role":"user","content":"' + b"a" * (72 << 20))


_FILES: dict[str, Callable[[Path], None]] = {
    "a pipe": _pipe,
    "a link to a device": _device,
    "a terabyte of holes": _holes,
    "a line without an end": _line,
}
