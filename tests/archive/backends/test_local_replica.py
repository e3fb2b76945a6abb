"""A copy stands in for a far server, for one thread and one block."""

import os
import threading
import time
from pathlib import Path

import psycopg
import pytest
from tests.postgres import Server

from dejavu.archive import Archive
from dejavu.archive.backends import local_replica as postgres_near
from dejavu.model import Conversation, Role, Text, Turn


def conversation(name: str) -> Conversation:
    said = Turn(role=Role.USER, parts=(Text(f"hello from {name}"),))
    return Conversation(id=name, agent="x").with_turns((said,))


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every server is far, every line fast."""
    monkeypatch.setattr(postgres_near, "FEW", 1)
    monkeypatch.setattr(postgres_near, "_TRIPS", 1e9)


def copies(archive: Archive) -> list[Path]:
    return list(archive.root.glob("near-*"))


def test_reads_of_the_block_are_of_the_copy_and_writes_are_not(far: None, url: str) -> None:
    with Archive.open(url) as archive:
        archive.put(conversation("a"))
        seen: list[int] = []
        with archive.near():
            assert len(copies(archive)) == 1
            archive.put(conversation("b"))
            assert archive.counts().conversations == 1
            with archive.near():
                assert len(copies(archive)) == 1
            other = threading.Thread(target=lambda: seen.append(archive.counts().conversations))
            other.start()
            other.join()
        assert seen == [2]
        assert copies(archive) == []
        assert archive.counts().conversations == 2


def test_an_index_made_from_a_copy_is_whole(far: None, url: str) -> None:
    with Archive.open(url) as archive:
        for name in "abc":
            archive.put(conversation(name))
        assert archive.update_index() == 3
        archive.put(conversation("d"))
        assert {hit.conversation for hit in archive.search("hello from")} == set("abcd")
        assert copies(archive) == []


def test_what_a_killed_process_left_goes_in_time(far: None, url: str) -> None:
    with Archive.open(url) as archive:
        archive.put(conversation("a"))
        old, young = archive.root / "near-old", archive.root / "near-young"
        for left in (old, young):
            left.mkdir()
        os.utime(old, (time.time() - 1e6,) * 2)
        with archive.near():
            pass
        assert copies(archive) == [young]


def test_a_copy_is_made_where_it_is_faster(server: Server, url: str) -> None:
    with psycopg.connect(url) as connection:
        cursor = connection.cursor()
        assert postgres_near.worth(cursor, 10**9, 1)
        assert not postgres_near.worth(cursor, 1_000, 10**12)


def test_a_folder_is_near(root: Path) -> None:
    with Archive.open(root) as archive, archive.near(0):
        archive.put(conversation("a"))
        assert archive.counts().conversations == 1
