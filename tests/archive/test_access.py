from pathlib import Path

import pytest
from tests.postgres import PASSWORD, Server

from dejavu.archive.access import NoArchiveError, full_workspace, open_archive, resolve
from dejavu.model import ArchiveError, Conversation, NotFoundError


def test_reading_never_makes_an_archive(home: Path) -> None:
    with pytest.raises(NoArchiveError, match="dejavu sync"), open_archive():
        pass
    assert not (home / ".local").exists()


def test_writing_makes_a_private_one(home: Path) -> None:
    with open_archive(write=True):
        pass
    root = home / ".local/share/dejavu"
    assert root.stat().st_mode & 0o777 == 0o700
    assert (root / "archive").stat().st_mode & 0o777 == 0o700


def test_a_server_without_an_archive_is_none_yet(
    home: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.url(schema=server.new_schema(), password=PASSWORD)
    monkeypatch.setenv("DEJAVU_ARCHIVE", url)
    refused = pytest.raises(NoArchiveError, match="no archive at postgresql://keeper@127")
    with refused as said, open_archive():
        pass
    assert PASSWORD not in str(said.value)
    with open_archive(write=True) as made, open_archive() as read:
        assert made.backend is read.backend


def test_workspaces_by_name_path_and_ending(
    archived: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_archive() as archive:
        assert full_workspace(archive, None) is None
        assert full_workspace(archive, "/work/retry") == "/work/retry"
        assert full_workspace(archive, "retry") == "/work/retry"
        with pytest.raises(NotFoundError):
            full_workspace(archive, "try")


def test_a_link_that_leads_nowhere_is_not_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk that it leads to may not be there just now."""
    (home / "link").symlink_to(home / "elsewhere")
    monkeypatch.setenv("DEJAVU_ARCHIVE", str(home / "link"))
    with pytest.raises(ArchiveError, match="is a symbolic link"), open_archive():
        pass


def test_last_is_the_newest(archived: list[Conversation]) -> None:
    with open_archive() as archive:
        assert resolve(archive, "last") == archived[0].id
        assert resolve(archive, "abc") == "abc"


def test_a_conversation_without_a_date_is_not_the_newest(archived: list[Conversation]) -> None:
    undated = Conversation(id="undated-1", agent="demo", workspace="/w", captured_at=4e9)
    with open_archive(write=True) as archive:
        archive.put(undated)
        assert [summary.id for summary in archive.scan()][-1] == "undated-1"
        assert resolve(archive, "last") == archived[0].id


def test_a_conversation_without_a_date_is_the_last_where_there_is_no_other(home: Path) -> None:
    undated = Conversation(id="undated-1", agent="demo", workspace="/w")
    with open_archive(write=True) as archive:
        archive.put(undated)
        assert resolve(archive, "last") == "undated-1"
