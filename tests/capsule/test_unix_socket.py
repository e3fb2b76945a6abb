"""Sockets of one user, also at paths that are too long for a socket's address."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.capsule import unix_socket as module
from dejavu.capsule.unix_socket import SUN_PATH, connect, listen, socket_address


def _long(tmp_path: Path) -> Path:
    folder = tmp_path / "long" / ("x" * 90)
    folder.mkdir(parents=True)
    return folder / "control.sock"


@pytest.mark.parametrize("descriptors", ["/proc/self/fd", "/nowhere"])
def test_every_address_fits_macos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, descriptors: str
) -> None:
    monkeypatch.setattr(module, "_DESCRIPTORS", descriptors)
    path = _long(tmp_path)
    assert len(os.fsencode(path)) >= SUN_PATH
    before = set(Path("/tmp").glob("dejavu-*"))
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        with socket_address(path) as address:
            assert len(os.fsencode(address)) < SUN_PATH
            listener.bind(address)
        listener.listen()
        assert path.is_socket()
        with socket_address(path) as address:
            client.connect(address)
    assert set(Path("/tmp").glob("dejavu-*")) <= before  # the link is gone


def test_a_short_path_is_its_own_address(tmp_path: Path) -> None:
    with socket_address(Path("/tmp/s")) as address:
        assert address == "/tmp/s"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError),
        socket_address(tmp_path / ("x" * 90) / ("y" * 90) / "s"),
    ):
        pass


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
    with pytest.raises(FileExistsError, match="not a socket"):
        listen(tmp_path / "s")
    assert (tmp_path / "s").read_text() == "precious"


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        connect(tmp_path / "s", 1.0)


def test_a_socket_is_replaced_without_a_moment_in_which_none_is_there(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with listen(path) as old, listen(path, replace=True) as new, connect(path, 5.0):
        new.accept()[0].close()
        with pytest.raises(BlockingIOError):
            old.accept()
        assert path.stat().st_mode & 0o777 == 0o600
        assert [one.name for one in tmp_path.iterdir()] == ["s"]
