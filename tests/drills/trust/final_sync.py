"""Stores that nobody reads: whatever happened to a home, its last sync names what gave no conversation.

Draws the home of an agent, changes its session files or its database (other layout, other names, other
words, random damage), and syncs it for the last time. It holds where a conversation came out, or the store
is named and its bytes are archived. A home as it was must be named by nothing.
"""

import os
import random
import shutil
import sqlite3
import string
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.final_sync import sync_final
from dejavu.model import Role
from dejavu.providers import PROVIDERS, Home
from dejavu.providers.unread_stores import known_unread

from ..budget import SCRATCH, Budget
from ..mutation import mutate_bytes
from ..session_files import HOMES
from . import Tally

ANGLE = "last syncs"
FINDINGS = ("8", "9")

_UNREAD = {agent.name for agent in known_unread()}
_LEFT_OUT = {"aider", "cursor-ide"}
"""Agents without a folder of their own, or with chats in an editor's store of everything."""
_SQLITE = b"SQLite format 3\0"
_LEAST = 64  # bytes of a file that may hold something said


def attack(budget: Budget, tally: Tally) -> None:
    """Draw homes and changes in turn."""
    agents = sorted(
        home.name
        for home in HOMES.iterdir()
        if home.name in PROVIDERS and home.name not in _UNREAD | _LEFT_OUT
    )
    number = 0
    while budget.more():
        number += 1
        agent = budget.random.choice(agents)
        change = budget.random.choice(tuple(_CHANGES))
        folder = Path(tempfile.mkdtemp(prefix="dejavu-drill-", dir=SCRATCH))
        try:
            problem = attempt(agent, change, budget.random, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        tally.record(
            not problem, f"seed {budget.seed}, attack {number}: {agent}, {change}: {problem}"
        )


def attempt(agent: str, change: str, chance: random.Random, folder: Path) -> str:
    """One home, changed and synced for the last time; what fell, or an empty text."""
    home = folder / "home"
    shutil.copytree(HOMES / agent, home)
    (home / "expected.txt").unlink(missing_ok=True)
    for script in home.rglob("*.sql"):
        script.unlink()
    paths = {one.path for one in PROVIDERS[agent].discover(Home(home, {}, "box"))}
    files = sorted(path for path in paths if path.is_file())
    left = [_CHANGES[change](path, chance) for path in files]
    now = [time.time()]

    def wait(seconds: float) -> None:
        now[0] += seconds

    for path in filter(None, left):  # documents that were written just now are waited for
        os.utime(path, (now[0] - 3600, now[0] - 3600))
    with Archive.open(folder / "archive") as archive:
        report = sync_final(
            archive, [Home(home, {}, "box")], agent=agent, clock=lambda: now[0], sleep=wait
        )
        raw = {b"".join(archive.sources.raw(key)) for key in archive.sources.all_keys()}
        said = any(
            turn.role in (Role.USER, Role.ASSISTANT)
            for head in archive.scan()
            for turn in archive.turns(head.id)
        )
    named = dict(report.unreadable)
    if change == "none":
        return f"named {named}" if named else ""
    lost = [path for path in left if path is not None and path.stat().st_size > _LEAST]
    if said or not lost or not files:
        return ""
    if not any(str(path) in named for path in lost):
        return f"nothing was named of {[path.name for path in lost]}, but {named}"
    kept = any(_is_kept(path.read_bytes(), raw) for path in lost if str(path) in named)
    return "" if kept else f"named, but not archived: {named}"


def _is_kept(data: bytes, raw: set[bytes]) -> bool:
    """Whether bytes are archived: SQLite fills its last page, and half a line waits for its end."""
    if data.startswith(_SQLITE):
        return any(one.startswith(_SQLITE) for one in raw) or data in raw
    return any(one and (data.startswith(one) or one.startswith(data)) for one in raw)


Change = Callable[[Path, random.Random], Path | None]
"""Changes a session file; the path it has then, None where nothing is left that could be lost."""


def _none(path: Path, _: random.Random) -> Path | None:
    return path


def _noise(path: Path, chance: random.Random) -> Path | None:
    path.write_bytes(chance.randbytes(chance.randint(200, 5000)))
    return path


def _prose(path: Path, chance: random.Random) -> Path | None:
    words = [
        "".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9))) for _ in "x" * 400
    ]
    path.write_text(" ".join(words) + "\n")
    return path


def _other_keys(path: Path, chance: random.Random) -> Path | None:
    """Every key has another name: a later version's records."""
    data = path.read_bytes()
    if data.startswith(_SQLITE):
        return _other_tables(path, chance)
    mark = chance.choice((b"v2_", b"x", b"frog."))
    path.write_bytes(data.replace(b'":', b'_":').replace(b'{"', b'{"' + mark))
    return path


def _other_tables(path: Path, chance: random.Random) -> Path | None:
    """Every table of a database has another name."""
    if not path.read_bytes().startswith(_SQLITE):
        return _other_keys_of_text(path)
    ending = chance.choice(("_v2", "s2", "_new"))
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.DatabaseError):
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in names:
            if not name.startswith("sqlite_"):
                connection.execute(f'ALTER TABLE "{name}" RENAME TO "{name}{ending}"')
        connection.commit()
    return None if len(names) == 0 else path


def _other_keys_of_text(path: Path) -> Path | None:
    path.write_bytes(path.read_bytes().replace(b'":', b'_":'))
    return path


def _header(path: Path, chance: random.Random) -> Path | None:
    """The beginning is overwritten."""
    data = path.read_bytes()
    path.write_bytes(chance.randbytes(min(100, len(data))) + data[100:])
    return path


def _mutated(path: Path, chance: random.Random) -> Path | None:
    data = path.read_bytes()
    for _ in range(chance.randint(1, 12)):
        data = mutate_bytes(data, chance)
    path.write_bytes(data)
    return path


def _deeper(path: Path, chance: random.Random) -> Path | None:
    """The same file a few folders further down: a later version's layout."""
    if path.read_bytes().startswith(_SQLITE):
        return _header(path, chance)
    folder = path.parent.joinpath(*("ab" for _ in range(chance.randint(3, 5))))
    folder.mkdir(parents=True, exist_ok=True)
    return path.rename(folder / path.name)


_CHANGES: dict[str, Change] = {
    "none": _none,
    "noise": _noise,
    "prose": _prose,
    "other keys": _other_keys,
    "other tables": _other_tables,
    "header": _header,
    "mutated": _mutated,
    "deeper": _deeper,
}
