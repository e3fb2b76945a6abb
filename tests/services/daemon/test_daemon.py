"""Hooks and daemon together: processes, the spool, the socket, the archive."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.factories.waiting import until

from dejavu.archive.access import open_archive
from dejavu.config.files import read_json
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.spool import save_lines, spool_folder
from dejavu.interfaces.hooks import capture
from dejavu.model import Vector, conversation_id
from dejavu.services.daemon import instance_lock as single
from dejavu.services.daemon.spool import Spool
from dejavu.sessions.session_store import sessions_folder

from .conftest import SESSION, payload

ID = conversation_id("claude", "local", SESSION)
HOOK = [sys.executable, "-m", "dejavu.interfaces.cli", "hook", "capture"]


@pytest.fixture
def away(home: Path) -> Iterator[Path]:
    """A home whose daemon is told to leave at the end."""
    yield home
    assert single.stop(30)


def hook(value: object, agent: str = "claude") -> None:
    done = subprocess.run(
        [*HOOK, "--agent", agent], input=json.dumps(value).encode(), capture_output=True
    )
    assert (done.returncode, done.stdout) == (0, b"")


def texts(identity: str = ID) -> list[str]:
    with open_archive() as archive:
        return [turn.text for turn in archive.get(identity).turns]


def drained() -> bool:
    return not Spool(Path(capture.folder()))


def test_a_hook_starts_the_daemon_and_what_it_told_is_archived(away: Path) -> None:
    hook(payload("UserPromptSubmit", prompt="Is anybody there?"))
    until(single.running)
    until(drained)
    hook(payload("Stop", last_assistant_message="Yes."))
    until(drained)
    assert texts() == ["Is anybody there?", "Yes."]


def test_the_daemon_stores_what_recorders_left_in_their_spool(away: Path) -> None:
    channel = Channel(Vector.OTLP, pushed_source("claude", "otlp:s", "local"))
    save_lines(spool_folder(), channel, [b"{}\n"])
    hook(payload("UserPromptSubmit", prompt="Is anybody there?"))
    until(lambda: not list(spool_folder().iterdir()))
    with open_archive() as archive:
        assert b"".join(archive.sources.raw(channel.key)) == b"{}\n"


def test_a_socket_that_somebody_removed_is_there_again(away: Path) -> None:
    hook(payload("UserPromptSubmit", prompt="Is anybody there?"))
    place = Path(capture.folder()) / capture.SOCKET
    until(place.exists)
    place.unlink()
    until(place.exists)


def test_many_hooks_at_once_lose_nothing_and_start_one_daemon(away: Path) -> None:
    def one(number: int) -> None:
        hook({**payload("UserPromptSubmit", prompt=f"p{number}"), "session_id": f"s{number % 5}"})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(40)))
    until(drained)
    assert single.stop(30)
    every = [text for n in range(5) for text in texts(conversation_id("claude", "local", f"s{n}"))]
    assert sorted(every) == sorted(f"p{number}" for number in range(40))


def test_what_is_no_event_is_put_aside(away: Path) -> None:
    hook("only a text")
    hook(payload("UserPromptSubmit", prompt="after it"))
    hook({"session_id": "s"}, agent="nobody")
    hook({"session_id": ["s"], "hook_event_name": {}, "prompt": 7, "cwd": None})
    until(lambda: drained() and single.running())
    assert single.stop(30)
    assert texts() == ["after it"]
    assert len(list((Path(capture.folder()) / "refused").iterdir())) == 3


@contextmanager
def running() -> Iterator["subprocess.Popen[bytes]"]:
    """A daemon that listens; it is ended whatever the test does."""
    with subprocess.Popen([sys.executable, "-m", "dejavu.services.daemon"]) as daemon:
        try:
            until((Path(capture.folder()) / "socket").exists)
            yield daemon
        finally:
            daemon.kill()


def test_what_cannot_be_spooled_goes_through_the_socket(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running() as daemon:
        monkeypatch.chdir(capture.folder())
        value = payload("UserPromptSubmit", prompt="the disk is full")
        capture.notify(capture.envelope("claude", json.dumps(value).encode(), 10**18))
        assert single.stop(30)
        assert daemon.wait(30) == 0
    assert texts() == ["the disk is full"]


def test_a_daemon_whose_home_was_thrown_away_goes(home: Path) -> None:
    with running() as daemon:
        local = home / ".local"
        while local.exists():  # a file that appears meanwhile keeps its folder
            shutil.rmtree(local, ignore_errors=True)
        assert daemon.wait(30) == 0


def test_letters_wait_while_the_archive_cannot_be_opened(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = away / "wrong"
    wrong.mkdir()
    (wrong / "something").write_text("else")
    monkeypatch.setenv("DEJAVU_ARCHIVE", str(wrong))
    hook(payload("UserPromptSubmit", prompt="wait for me"))
    log = Path(capture.folder()) / "daemon.log"
    until(lambda: log.exists() and "cannot be written" in log.read_text())
    assert not drained()
    assert single.stop(30)
    monkeypatch.delenv("DEJAVU_ARCHIVE")
    assert single.run(idle=0.0)
    assert texts() == ["wait for me"]


def test_a_wrapped_sessions_state_is_told(away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = sessions_folder() / "20261121-203105-3fa9"
    folder.mkdir(parents=True)
    (folder / "session.json").write_text('{"instance": "box-7"}')
    monkeypatch.setenv("DEJAVU_SESSION", folder.name)
    hook(payload("UserPromptSubmit", prompt="Go."))
    until((folder / "structured.json").exists)
    hook(payload("PermissionRequest", tool_name="Bash"))
    until(lambda: read_json(folder / "structured.json")["state"] == "blocked")
    assert texts(conversation_id("claude", "box-7", SESSION)) == ["Go."]
