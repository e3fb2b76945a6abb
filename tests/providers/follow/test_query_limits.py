"""A database without an end is refused in bounded time, and an honest one never is."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.factories import hostile_databases as hostile

from dejavu.model import UnreadableSessionError
from dejavu.providers.follow import query_limits as module
from dejavu.providers.follow.sqlite import image, reading

HOMES = Path(__file__).parents[2] / "factories" / "data" / "homes"


def _database(path: Path, rows: int = 3) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE pond (name TEXT, size INTEGER)")
        connection.executemany(
            "INSERT INTO pond VALUES (?, ?)", [(f"f{i}", i) for i in range(rows)]
        )
        connection.commit()
    return path


def _names(connection: sqlite3.Connection) -> list[str]:
    return [row["name"] for row in connection.execute("SELECT name FROM pond")]


@pytest.mark.fault("H5")
@pytest.mark.parametrize(
    ("trap", "words"),
    [
        ("endless view", "is a view or a trigger"),
        ("crossed view", "is a view or a trigger"),
        ("virtual table", "is a virtual table"),
        ("looped pages", "than its (file can hold|size explains)"),
        ("pipe as -wal", "-wal is not a regular file"),
        ("pipe as -shm", "-shm is not a regular file"),
        ("pipe as -journal", "-journal is not a regular file"),
        ("pipe as database", "is not a regular file"),
        ("holes with a log", r"a\.db: (?:there is no room|.*sparse file)|sparse file"),
    ],
)
def test_a_trap_is_refused_with_a_reason(
    trap: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.5)
    path = _database(tmp_path / "a.db")
    hostile.TRAPS[trap](path, "pond")
    with pytest.raises(UnreadableSessionError, match=words):
        reading(path, _names)


@pytest.mark.fault("H5")
def test_a_query_without_an_end_is_stopped_by_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.2)
    path = _database(tmp_path / "a.db", 300)
    slow = (
        "SELECT count(*) FROM pond a, pond b, pond c, pond d"
        " WHERE a.size + b.size + c.size + d.size < 0"
    )
    with pytest.raises(UnreadableSessionError, match="far longer than its size explains"):
        reading(path, lambda connection: connection.execute(slow).fetchone())
    assert reading(path, _names)[:2] == ["f0", "f1"]


@pytest.mark.fault("H5")
def test_all_readings_of_one_state_share_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ALL_SECONDS", 0.0)
    monkeypatch.setattr(module, "_ALL_RATE", 1e9)
    path = _database(tmp_path / "a.db", 300)
    with pytest.raises(UnreadableSessionError, match="before it changes"):
        _ = [reading(path, _names) for _ in range(1000)]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO pond VALUES ('new', 1)")
        connection.commit()
    assert reading(path, _names)[-1] == "new"


def test_values_may_not_be_more_than_any_session_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "longest_line", lambda: 1000)
    path = _database(tmp_path / "a.db", 200)
    big = "SELECT hex(zeroblob(300)) AS name FROM pond"
    with pytest.raises(UnreadableSessionError, match="more bytes than its file can hold"):
        reading(path, lambda connection: connection.execute(big).fetchall())


def test_a_log_that_claims_more_pages_than_there_are_makes_no_image(tmp_path: Path) -> None:
    path = _database(tmp_path / "a.db")
    with pytest.raises(UnreadableSessionError, match="it says that it has 2 pages"):
        reading(path, lambda connection: image(connection, 4096))
    assert reading(path, lambda connection: image(connection, 1 << 20)) == path.read_bytes()


def test_an_attached_database_is_refused(tmp_path: Path) -> None:
    path = _database(tmp_path / "a.db")
    other = _database(tmp_path / "b.db")
    with pytest.raises(UnreadableSessionError, match="opens another database"):
        reading(path, lambda connection: connection.execute("ATTACH ? AS b", (str(other),)))


@pytest.mark.fault("H5")
def test_rescue_reads_the_good_homes_and_names_the_trap(home: Path, tmp_path: Path) -> None:
    homes = tmp_path / "homes"
    for name, agent in (("a", "zed"), ("b", "zed"), ("c", "claude")):  # a copy is imported once
        shutil.copytree(HOMES / agent, homes / name)
    (database,) = (homes / "b").rglob("threads.db")
    hostile.endless_view(database, "threads")
    done = subprocess.run(
        [sys.executable, "-m", "dejavu", "rescue", str(homes)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert str(database) in done.stderr
    assert "threads is a view" in done.stderr
    listed = subprocess.run(
        [sys.executable, "-m", "dejavu", "list", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert '"instance": "a"' in listed.stdout
    assert '"instance": "c"' in listed.stdout
