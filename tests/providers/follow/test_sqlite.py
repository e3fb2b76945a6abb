"""Reading SQLite without leaving a trace: live, left behind, copied, damaged."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.model import UnreadableSessionError
from dejavu.providers.follow.sqlite import columns, reading
from dejavu.providers.follow.stamp import database_stamp

AGENT = """
import itertools, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode=wal")
connection.execute("CREATE TABLE frog (name TEXT)")
for name in itertools.chain(["bull"], sys.stdin):
    connection.execute("INSERT INTO frog VALUES (?)", (name.strip(),))
    connection.commit()
    print("done", flush=True)
connection.close()
"""


class Agent:
    """Another process at work on a database: nothing but its log holds the rows."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", AGENT, str(path)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.wait()

    def wait(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "done\n"

    def add(self, name: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        self.wait()

    def leave(self) -> None:
        self.process.communicate()


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Agent]:
    agent = Agent(tmp_path / "a.db")
    yield agent
    agent.leave()


def names(connection: sqlite3.Connection) -> list[str]:
    return [row["name"] for row in connection.execute("SELECT name FROM frog")]


def listing(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    files = sorted(folder.iterdir())
    return {p.name: (p.stat().st_size, p.stat().st_mtime_ns, p.read_bytes()) for p in files}


def test_sees_the_live_log_and_changes_nothing(live: Agent, tmp_path: Path) -> None:
    before = listing(tmp_path)
    assert set(before) == {"a.db", "a.db-shm", "a.db-wal"}
    assert reading(tmp_path / "a.db", names) == ["bull"]
    assert listing(tmp_path) == before
    seen = database_stamp(tmp_path / "a.db")
    live.add("tree")
    assert database_stamp(tmp_path / "a.db") != seen
    assert reading(tmp_path / "a.db", names) == ["bull", "tree"]


def test_reads_a_closed_database_without_a_file_beside_it(live: Agent, tmp_path: Path) -> None:
    live.leave()
    before = listing(tmp_path)
    assert set(before) == {"a.db"}
    assert reading(tmp_path / "a.db", names) == ["bull"]
    assert listing(tmp_path) == before


@pytest.mark.parametrize("left", [("a.db", "a.db-wal"), ("a.db", "a.db-wal", "a.db-shm")])
def test_reads_a_copied_log_without_its_agent(
    left: tuple[str, ...], live: Agent, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in left:
        shutil.copy(tmp_path / name, home)
    before = listing(home)
    assert reading(home / "a.db", names) == ["bull"]
    assert listing(home) == before


def test_says_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    with pytest.raises(UnreadableSessionError, match=r"a\.db cannot be read"):
        reading(tmp_path / "a.db", names)
    with pytest.raises(FileNotFoundError):
        reading(tmp_path / "gone.db", names)
    (tmp_path / "link.db").symlink_to(tmp_path / "a.db")
    with pytest.raises(UnreadableSessionError, match="regular file"):
        reading(tmp_path / "link.db", names)


def test_columns_and_text_that_is_no_utf8(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE frog (name TEXT)")
    connection.execute("INSERT INTO frog VALUES (CAST(x'66ff67' AS TEXT))")
    connection.commit()
    connection.close()
    assert reading(tmp_path / "a.db", names) == ["f�g"]
    assert reading(tmp_path / "a.db", lambda db: columns(db, "frog")) == {"name"}
    assert reading(tmp_path / "a.db", lambda db: columns(db, "newt")) == set()


def test_a_schema_that_is_no_utf8_is_a_damaged_database(tmp_path: Path) -> None:
    """SQLite quotes it in its message, which then cannot be decoded."""
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE frog (name TEXT)")
    connection.commit()
    connection.close()
    data = (tmp_path / "a.db").read_bytes()
    (tmp_path / "a.db").write_bytes(
        data.replace(b"CREATE TABLE frog (name", b"CREATE TABLE frog \x96name")
    )
    with pytest.raises(UnreadableSessionError, match=r"a\.db cannot be read"):
        reading(tmp_path / "a.db", lambda db: columns(db, "frog"))


def test_a_schema_without_a_column_of_ours_is_a_damaged_database(tmp_path: Path) -> None:
    def read(db: sqlite3.Connection) -> str:
        return str(db.execute("SELECT * FROM frog").fetchone()["name"])

    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE frog (nbme TEXT)")
    connection.execute("INSERT INTO frog VALUES ('tim')")
    connection.commit()
    connection.close()
    with pytest.raises(UnreadableSessionError, match=r"a\.db cannot be read"):
        reading(tmp_path / "a.db", read)


def test_a_copied_home_is_copied_once_for_as_long_as_it_stands(live: Agent, tmp_path: Path) -> None:
    restored = tmp_path / "restored"
    restored.mkdir()
    for name in ("a.db", "a.db-wal"):
        shutil.copy(tmp_path / name, restored)
    path = restored / "a.db"

    def opened(connection: sqlite3.Connection) -> str:
        return str(connection.execute("PRAGMA database_list").fetchone()["file"])

    first = reading(path, opened)
    assert not Path(first).is_relative_to(restored)
    assert reading(path, opened) == first
    assert reading(path, names) == ["bull"]
    live.add("tree")
    shutil.copy(tmp_path / "a.db-wal", restored)
    assert reading(path, names) == ["bull", "tree"]
    assert not Path(first).exists()
