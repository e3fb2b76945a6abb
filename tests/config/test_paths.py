import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories.archive import Result
from tests.other_user import UID, needs_other_user

from dejavu.config import paths
from dejavu.config.paths import (
    archive_shown,
    local_folder,
    private_folder,
    without_password,
    without_secrets,
)
from dejavu.interfaces.hooks.inject import location
from dejavu.model import ConfigError
from dejavu.services import hook_protocol
from dejavu.sessions.observer_address import observer_log


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


@pytest.fixture
def foreign(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder that another user made ready, with places for everyone to write to."""
    state = home / "state"
    for folder in (state, state / "sessions", state / "observers", state / "hooks"):
        folder.mkdir()
        os.chown(folder, UID, UID)
        folder.chmod(0o777)
    monkeypatch.setenv("DEJAVU_STATE_HOME", str(state))
    return state


@needs_other_user
@pytest.mark.fault("33.O2")
def test_a_folder_of_another_user_is_refused_by_name(
    foreign: Path, dejavu: Callable[..., Result]
) -> None:
    for folder in (foreign, foreign / "sessions"):
        with pytest.raises(ConfigError, match=rf"{foreign}: another user .*DEJAVU_STATE_HOME"):
            paths.private_folder(folder)
    for words in (["status"], ["sync"], ["list", "--json"], ["send", "x", "y"]):
        done = dejavu(*words)
        assert done.code == 2
        assert f"{foreign}: another user owns this folder" in done.err
    told = dejavu("doctor")
    assert f"{foreign} belongs to another user" in told.out
    ran = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.run", "sh", "-c", "echo ran; exit 3"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (3, "ran\n")
    assert f"nothing is captured: {foreign}: another user" in ran.stderr
    assert [path.name for path in foreign.rglob("*") if not path.is_dir()] == []


@needs_other_user
def test_a_folder_below_ours_that_another_user_made_is_refused(
    foreign: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = home / "ours"
    ours.mkdir(mode=0o700)
    (foreign / "sessions").rename(ours / "sessions")
    monkeypatch.setenv("DEJAVU_STATE_HOME", str(ours))
    paths.check_homes()
    with pytest.raises(ConfigError, match="another user"):
        paths.private_folder(ours / "sessions")
    (ours / "sessions").chmod(0o775)  # a volume of a container's group
    assert paths.private_folder(ours / "sessions").is_dir()


def test_an_export_goes_where_others_write_too(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert paths.private_folder(shared) == shared


@pytest.mark.fault("33.O1")
def test_no_log_is_written_through_a_link(home: Path) -> None:
    kept = home / "kept"
    kept.write_text("mine")
    log = paths.private_folder(paths.state_home()) / "observer.log"
    log.symlink_to(kept)
    assert observer_log() == os.devnull
    log.unlink()
    assert observer_log() == str(log)
    log.write_text("")
    assert observer_log() == str(log)


def test_an_empty_home_is_the_one_of_the_password_database(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    own = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert paths.user_home() == own
    assert paths.state_home() == own / ".local/state/dejavu"
    assert hook_protocol.folder() == f"{own}/.local/state/dejavu/hooks"
    assert location() == f"{own}/.local/share/dejavu/archive"

    def unknown(_uid: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(RuntimeError, match="set HOME"):
        paths.user_home()


@pytest.mark.parametrize(
    ("url", "printable"),
    [
        ("/a/folder", "/a/folder"),
        ("postgresql://db/x", "postgresql://db/x"),
        ("postgresql://ann@db:5433/x?sslmode=require", "postgresql://ann@db:5433/x?sslmode=require"),
        ("postgresql://ann:s3cret@db/x", "postgresql://ann@db/x"),
        ("postgresql://ann:s3c/r:e@t@db/x", "postgresql://ann@db/x"),
        ("postgresql://:s3cret@db/x", "postgresql://@db/x"),
        ("postgresql:///x?user=ann&password=s3cret", "postgresql:///x?user=ann&password=***"),
        ("postgresql:///x?sslpassword=s3cret&port=1", "postgresql:///x?sslpassword=***&port=1"),
        ("postgresql://a:s3cret@one,two:2/x", "postgresql://a@one,two:2/x"),
    ],
)  # fmt: skip
def test_a_url_is_shown_without_its_password(url: str, printable: str) -> None:
    assert without_password(url) == printable


@given(st.text(min_size=6, max_size=20))
def test_no_password_is_shown(password: str) -> None:
    secret = f"~{password}~"
    assert secret not in without_password(f"postgresql://ann:{secret}@db/x")


def test_what_is_local_does_not_hang_on_the_password(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = local_folder("postgresql://ann:one@db/x")
    assert folder.parent == home / ".local/share/dejavu/teams"
    assert folder == local_folder("postgresql://ann:two@db/x")
    assert folder != local_folder("postgresql://ann:one@db/y")
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(home / "ours"))
    folder = local_folder("postgresql://db/x")
    private_folder(folder)
    private_folder(folder)
    assert folder.parent == home / "ours/teams"
    assert {path.stat().st_mode & 0o777 for path in (folder, folder.parent)} == {0o700}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("no role postgres on postgres:5432", "no role postgres on postgres:5432"),
        ("postgresql://ann:postgres@db/x", "postgresql://ann:***@db/x"),
        ("postgresql://postgres:postgres@postgres/postgres",
         "postgresql://postgres:***@postgres/postgres"),
        ("host=postgres password=postgres", "host=postgres password=***"),
        ("password='postgres' user=postgres", "password='***' user=postgres"),
        ("?sslpassword=postgres&port=1", "?sslpassword=***&port=1"),
        ("password authentication failed for user postgres",
         "password authentication failed for user postgres"),
    ],
)  # fmt: skip
def test_a_password_is_masked_in_its_own_place_only(said: str, told: str) -> None:
    assert without_secrets(said, ["postgres"]) == told


@given(st.text(min_size=3, max_size=12))
def test_no_address_in_a_message_shows_a_password(password: str) -> None:
    secret = f"~{password}~"
    said = f"cannot connect to postgresql://ann:{secret}@db/x or password={secret}"
    assert secret not in without_secrets(said, [secret])
