import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.providers import PROVIDERS, Home, Source
from dejavu.sessions.observer.session_log_follower import SessionLogFollower


def _follower(home: Path, since: float, workspace: str = "/work/x") -> SessionLogFollower:
    return SessionLogFollower("claude", workspace, since, Home(home, {}))


def test_only_what_was_touched_since_is_read(home: Path, tmp_path: Path) -> None:
    old = claude_session(home, "old", name="old")
    os.utime(old, (1000.0, 1000.0))
    with Archive.open(tmp_path / "a") as archive:
        follower = _follower(home, 1_790_000_000.0 - 1e9)
        claude_session(home, "new", name="new")
        os.utime(old, (1000.0, 1000.0))
        assert follower.look(archive)
        assert [head.native_id for head in archive.scan()] == ["new"]
        assert not follower.look(archive)
        claude_session(home, "new", "newer", name="new")
        assert follower.look(archive)
        assert (
            archive.get(archive.resolve(next(iter(follower.report.conversations)))).turn_count == 4
        )


def test_conversations_of_other_workspaces_are_not_this_session(home: Path, tmp_path: Path) -> None:
    claude_session(home, "new")
    with Archive.open(tmp_path / "a") as archive:
        follower = _follower(home, 0.0, "/work/elsewhere")
        follower.look(archive)
        assert follower.conversations(archive) == []
        follower = _follower(home, 0.0)
        follower.look(archive)
        assert len(list(archive.scan())) == 1


def test_conversations_that_ended_before_are_not_this_session(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "new")  # its turns are of November 2026
    os.utime(path, None)
    with Archive.open(tmp_path / "a") as archive:
        follower = _follower(home, time.time() + 10 * 365 * 86400)
        os.utime(path, (time.time() + 11 * 365 * 86400,) * 2)
        follower.look(archive)
        assert follower.report.conversations
        assert follower.conversations(archive) == []


def test_an_agent_without_a_provider_is_not_known(home: Path, tmp_path: Path) -> None:
    follower = SessionLogFollower("nobody", "/w", 0.0, Home(home, {}))
    with Archive.open(tmp_path / "a") as archive:
        assert not follower.has_provider
        assert not follower.look(archive)


def test_looks_are_spaced(home: Path) -> None:
    assert _follower(home, 0.0).pause >= 1.0


def test_what_has_changed_is_known_without_the_archive(home: Path, tmp_path: Path) -> None:
    claude_session(home, "new")
    follower = _follower(home, 0.0)
    changed = follower.changed()
    assert changed
    with Archive.open(tmp_path / "a") as archive:
        assert follower.look(archive, changed)
        assert follower.changed() == []
        claude_session(home, "new", "newer")
        assert follower.look(archive, follower.changed())


def test_sources_that_cannot_be_looked_for_are_the_looks_business(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = _follower(home, 0.0)

    def fail(_: Home) -> Iterator[Source]:
        raise OSError("no such disk")
        yield

    with Archive.open(tmp_path / "a") as archive:
        monkeypatch.setattr(PROVIDERS["claude"], "discover", fail)
        assert follower.changed() is None
        assert not follower.look(archive)
        assert follower.unreadable
        monkeypatch.undo()
        claude_session(home, "new")
        assert follower.changed() is None  # the archive still has the failure
        assert follower.look(archive)
        assert follower.changed() == []
