from pathlib import Path

import pytest

from dejavu.record import Conversation, NotFound
from dejavu.surfaces.compose import NoArchive, full_workspace, open_archive, resolve


def test_reading_never_makes_an_archive(home: Path) -> None:
    with pytest.raises(NoArchive, match="dejavu sync"), open_archive():
        pass
    assert not (home / ".local").exists()


def test_writing_makes_a_private_one(home: Path) -> None:
    with open_archive(write=True):
        pass
    root = home / ".local/share/dejavu"
    assert root.stat().st_mode & 0o777 == 0o700
    assert (root / "archive").stat().st_mode & 0o777 == 0o700


def test_workspaces_by_name_path_and_ending(
    archived: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_archive() as archive:
        assert full_workspace(archive, None) is None
        assert full_workspace(archive, "/work/retry") == "/work/retry"
        assert full_workspace(archive, "retry") == "/work/retry"
        with pytest.raises(NotFound):
            full_workspace(archive, "try")


def test_last_is_the_newest(archived: list[Conversation]) -> None:
    with open_archive() as archive:
        assert resolve(archive, "last") == archived[0].id
        assert resolve(archive, "abc") == "abc"
