from pathlib import Path

import pytest

from dejavu.config import paths
from dejavu.config.archive_address import archive_shown


def test_own_variables_win_over_xdg(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/xdg")
    assert paths.data_home() == Path("/xdg/dejavu")
    monkeypatch.setenv("DEJAVU_DATA_HOME", "/ours")
    assert paths.data_home() == Path("/ours")


def test_relative_xdg_paths_are_ignored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert paths.config_home() == home / ".config" / "dejavu"


def test_defaults_lie_below_home(home: Path) -> None:
    assert paths.config_home() == home / ".config/dejavu"
    assert paths.data_home() == home / ".local/share/dejavu"
    assert paths.state_home() == home / ".local/state/dejavu"
    assert paths.archive_location() == str(home / ".local/share/dejavu/archive")


def test_archive_may_be_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEJAVU_ARCHIVE", "postgresql://db/x")
    assert paths.archive_location() == archive_shown() == "postgresql://db/x"
    monkeypatch.setenv("DEJAVU_ARCHIVE", "postgresql://ann:s3cret@db/x")
    assert archive_shown() == "postgresql://ann@db/x"
    monkeypatch.delenv("DEJAVU_ARCHIVE")
    assert archive_shown() == str(home / ".local/share/dejavu/archive")


def test_private_folders_are_private_all_the_way(tmp_path: Path) -> None:
    made = paths.private_folder(tmp_path / "a" / "b")
    assert made.stat().st_mode & 0o777 == 0o700
    assert made.parent.stat().st_mode & 0o777 == 0o700
    assert paths.private_folder(made) == made
