import os
import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.sessions import local_socket as module
from dejavu.sessions.local_socket import connect, listen


@pytest.mark.parametrize("depth", [0, 20])  # the second is too long for a socket's address
def test_who_owns_it_gets_through(tmp_path: Path, depth: int) -> None:
    folder = tmp_path / "/".join(["deeper"] * depth)
    folder.mkdir(parents=True, exist_ok=True)
    old = os.umask(0)
    try:
        listener = listen(folder / "s")
    finally:
        os.umask(old)
    with listener, connect(folder / "s", 5.0) as client:
        server, _ = listener.accept()
        with server:
            server.sendall(b"hello")
            assert client.recv(10) == b"hello"
        assert (folder / "s").stat().st_mode & 0o777 == 0o600


def test_another_user_is_turned_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_same_user", lambda _: False)
    with listen(tmp_path / "s") as listener, connect(tmp_path / "s", 5.0) as client:
        with pytest.raises(ConnectionAbortedError):
            listener.accept()
        assert client.recv(10) == b""


def test_a_dead_process_leaves_a_place_a_running_one_does_not(tmp_path: Path) -> None:
    path = tmp_path / "s"
    leave = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])"
    subprocess.run([sys.executable, "-c", leave, str(path)], check=True)
    with listen(path), pytest.raises(FileExistsError, match="answers"):
        listen(path)


def test_a_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("precious")
    with pytest.raises(FileExistsError, match="no socket"):
        listen(tmp_path / "s")
    assert (tmp_path / "s").read_text() == "precious"


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        connect(tmp_path / "s", 1.0)
