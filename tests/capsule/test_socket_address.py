"""Paths that are too long for a socket's address, with Linux's way to them and without it."""

import os
import socket
from pathlib import Path

import pytest

from dejavu.capsule import socket_address as module
from dejavu.capsule.socket_address import SUN_PATH, socket_address


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
