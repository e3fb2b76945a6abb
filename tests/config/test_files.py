"""Files are replaced whole, privately, and durably where that is asked for."""

import fcntl
import os
import resource
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.config.files import create_file, fsync, read_regular_file, replace_file


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


def test_a_write_that_finds_no_room_names_the_file_and_leaves_no_other(tmp_path: Path) -> None:
    path = tmp_path / "small.json"
    path.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
        with pytest.raises(OSError, match=r"small\.json") as caught:
            replace_file(path, "x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert caught.value.filename == str(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["small.json"]
    assert path.read_text() == "before"


def test_pieces_permissions_and_durability(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    path = tmp_path / "tool"
    replace_file(path, (piece for piece in (b"a", b"b")), mode=0o700, durable=True)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"ab", 0o700)
    assert len(synced) == 2, "the file and its folder"
    replace_file(path, "c")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"c", 0o600)
    assert len(synced) == 2


def test_a_producer_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_text("before")

    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - the producer's own
        replace_file(path, pieces())
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [
        ("small", "before")
    ]


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / f".small.{os.getpid()}").symlink_to(target)
    with pytest.raises(OSError, match="small"):
        replace_file(tmp_path / "small", "x")
    assert target.read_text() == "precious"


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    file, link, pipe = (tmp_path / name for name in ("file", "link", "pipe"))
    file.write_bytes(b"settings")
    link.symlink_to(file)
    os.mkfifo(pipe)
    assert read_regular_file(file) == read_regular_file(link) == b"settings"
    for other in (pipe, tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError, match="not a regular file"):
            read_regular_file(other)
    with pytest.raises(FileNotFoundError):
        read_regular_file(tmp_path / "missing")


def test_a_new_file_never_takes_anothers_place(tmp_path: Path) -> None:
    path = tmp_path / "a"
    create_file(path, [b"one", b"two"], durable=True)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"onetwo", 0o600)
    with pytest.raises(FileExistsError) as refused:
        create_file(path, b"three")
    assert refused.value.filename == str(path)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "link", b"four")
    assert path.read_bytes() == b"onetwo"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "link"]


def test_a_new_file_where_there_are_no_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    create_file(tmp_path / "a", b"one")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "a", b"two")
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"one"
