"""A socket that is found under its name takes connections, from the first moment on."""

import contextlib
import shutil
import socket
import stat
import threading
from pathlib import Path

import pytest

from dejavu.capsule.unix_socket import Listener
from dejavu.capsule.unix_socket import listen as open_listener
from dejavu.services.daemon.daemon import Daemon
from dejavu.services.daemon.prompt_server import PromptServer
from dejavu.services.daemon.socket_thread import BACKLOG


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listen() -> Listener:
    return open_listener(Path("door"), BACKLOG, replace=True)


def test_nobody_who_finds_the_name_is_refused(folder: Path) -> None:
    refused: list[OSError] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(
                    5
                )  # or a full queue, which none of these doors empties, waits forever
                try:
                    peer.connect("door")
                except (FileNotFoundError, BlockingIOError, TimeoutError):
                    continue
                except ConnectionRefusedError as error:
                    refused.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    doors = []
    for _ in range(200):
        doors.append(listen())
        Path("door").unlink()
    over.set()
    asking.join()
    for door in doors:
        door.close()
    assert not refused


def test_a_socket_left_behind_is_replaced_and_nothing_else_lies_there(folder: Path) -> None:
    listen().close()
    Path("door.new").touch()  # of one that was killed before it had its name
    with contextlib.closing(listen()), socket.socket(socket.AF_UNIX) as peer:
        peer.connect("door")
        assert [path.name for path in folder.iterdir()] == ["door"]
        assert stat.S_IMODE(Path("door").stat().st_mode) == 0o600


def test_threads_and_daemon_go_where_their_folder_was_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    shutil.rmtree(gone)
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    server = PromptServer()
    server.start()
    server.join(10)
    assert not server.is_alive()
    assert not faults
    assert Daemon(gone, idle=0.1).run() is False
