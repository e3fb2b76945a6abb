"""What is written is made durable by the call that waits for the drive, on every system."""

import fcntl
import os
from pathlib import Path

import pytest

from dejavu.config.durable import fsync


def test_macos_waits_for_the_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda fd, command: asked.append(command))
    monkeypatch.setattr(os, "fsync", lambda fd: pytest.fail("that one does not wait"))
    with (tmp_path / "a").open("w") as file:
        fsync(file.fileno())
    assert asked == [51]


def test_a_file_system_without_it_gets_the_ordinary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def refuse(fd: int, command: int) -> int:
        raise OSError(45, "not supported")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    monkeypatch.setattr(os, "fsync", asked.append)
    with (tmp_path / "a").open("w") as file:
        fsync(file.fileno())
        assert asked == [file.fileno()]


def test_a_closed_file_is_an_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    os.close(writer)
    with pytest.raises(OSError, match="Bad file descriptor"):
        fsync(writer)
