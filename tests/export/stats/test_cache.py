from pathlib import Path
from typing import Any

import pytest

from dejavu.archive import Archive
from dejavu.export.stats.cache import UsageCache
from dejavu.model import Conversation, Role, Text, Turn

NOON = 1_700_000_000.0 - 1_700_000_000.0 % 900


def _conversation(identity: str, *moments: float) -> Conversation:
    turns = tuple(Turn(role=Role.USER, at=at, parts=(Text("x"),)) for at in moments)
    return Conversation(id=identity, agent="claude", workspace="/w").with_turns(turns)


def _turns(cache: UsageCache, identity: str, since: Any = None, until: Any = None) -> int:
    summary = Conversation(id=identity, agent="claude")
    return sum(counted.turns for counted in cache.sums(summary, since, until))


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "stats.msgpack"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The conversations whose turns were read."""
    read: list[str] = []
    turns = Archive.turns

    def counting(archive: Archive, conversation: str, *more: Any) -> Any:
        read.append(conversation)
        return turns(archive, conversation, *more)

    monkeypatch.setattr(Archive, "turns", counting)
    return read


def test_only_what_changed_is_read_again(tmp_path: Path, kept: Path, read: list[str]) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        archive.put(_conversation("one", NOON))
        archive.put(_conversation("two", NOON, NOON + 9))
        assert _turns(UsageCache(archive, kept), "two") == 2
        assert sorted(read) == ["one", "two"]
        assert kept.stat().st_mode & 0o777 == 0o600
        read.clear()
        assert _turns(UsageCache(archive, kept), "one") == 1
        assert read == []
        archive.put(_conversation("one", NOON, NOON + 5000))
        assert _turns(UsageCache(archive, kept), "one") == 2
        assert read == ["one"]


def test_another_archives_file_is_not_believed(tmp_path: Path, kept: Path) -> None:
    with Archive.open(tmp_path / "a") as archive:
        archive.put(_conversation("one", NOON, NOON + 1))
        UsageCache(archive, kept)
    with Archive.open(tmp_path / "b") as archive:
        archive.put(_conversation("one", NOON))
        assert _turns(UsageCache(archive, kept), "one") == 1


@pytest.mark.parametrize("content", [b"", b"\xff", b"\x80", b"not msgpack at all"])
def test_a_spoilt_file_is_made_anew(tmp_path: Path, kept: Path, content: bytes) -> None:
    kept.write_bytes(content)
    with Archive.open(tmp_path / "archive") as archive:
        archive.put(_conversation("one", NOON))
        assert _turns(UsageCache(archive, kept), "one") == 1
    assert kept.read_bytes() != content


def test_where_nothing_can_be_written_it_counts_all_the_same(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        archive.put(_conversation("one", NOON))
        assert _turns(UsageCache(archive, tmp_path / "no" / "such" / "folder"), "one") == 1


def test_moments_are_exact_where_a_quarter_is_cut(
    tmp_path: Path, kept: Path, read: list[str]
) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        archive.put(_conversation("one", *(NOON + step for step in range(10)), NOON + 2000))
        cache = UsageCache(archive, kept)
        read.clear()
        assert _turns(cache, "one", since=NOON) == 11
        assert _turns(cache, "one", until=NOON + 900) == 10
        assert _turns(cache, "one", since=NOON + 1900) == 1
        assert read == ["one"]  # 1900 s lies within a quarter with a turn in it
        assert _turns(cache, "one", since=NOON + 2, until=NOON + 4) == 3
