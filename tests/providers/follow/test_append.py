"""Following a growing file: nothing twice, nothing lost, nothing read that need not be."""

import os
import re
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import UnreadableSessionError
from dejavu.providers import RawDelta
from dejavu.providers.follow.append import follow_append, open_plain, read_plain


def read(
    path: Path, since: bytes | None = None, *, json: bool = True
) -> tuple[bytes, list[RawDelta]]:
    deltas = list(follow_append(path, since, json=json))
    place = deltas[0].offset if deltas else 0
    for delta in deltas:
        assert delta.offset == place, "deltas join"
        place += len(delta.data)
    return b"".join(delta.data for delta in deltas), deltas


def test_reads_what_is_new_and_then_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    data, deltas = read(path)
    assert data == b"one\ntwo\n"
    assert read(path, deltas[-1].cursor) == (b"", [])
    with path.open("ab") as file:
        file.write(b"three\n")
    data, deltas = read(path, deltas[-1].cursor)
    assert (data, deltas[0].offset, deltas[0].reset) == (b"three\n", 8, False)
    assert read(path, deltas[-1].cursor)[1] == []


def test_a_torn_tail_waits_for_its_newline(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b'{"a": 1}\n{"b": ')
    data, deltas = read(path)
    assert data == b'{"a": 1}\n'
    assert read(path, deltas[-1].cursor)[1] == [], "a torn tail costs one stat, too"
    with path.open("ab") as file:
        file.write(b"2}\n")
    assert read(path, deltas[-1].cursor)[0] == b'{"b": 2}\n'


def test_a_whole_object_needs_no_newline_but_text_does(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b'{"a": 1}\n{"b": 2}')
    data, deltas = read(path)
    assert data == b'{"a": 1}\n{"b": 2}'
    assert read(path, json=False)[0] == b'{"a": 1}\n'
    with path.open("ab") as file:
        file.write(b'\n{"c": 3}\n')
    assert read(path, deltas[-1].cursor)[0] == b'\n{"c": 3}\n'


@pytest.mark.parametrize("tail", [b"1", b'"a"', b'{"a": 1', b'{"a": {"b": 1}', b"12}"])
def test_what_may_still_grow_waits(tail: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"{}\n" + tail)
    assert read(path)[0] == b"{}\n"


@pytest.mark.parametrize(
    "after", [b"ONE\ntwo\nthree\n", b"ONE\n", b"one\ntwO\n" + b"x\n" * 9], ids=str
)
def test_a_rewritten_file_starts_anew(after: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    _, deltas = read(path)
    path.write_bytes(after)
    data, anew = read(path, deltas[-1].cursor)
    assert (data, anew[0].offset, anew[0].reset) == (after, 0, True)
    assert not any(delta.reset for delta in anew[1:])
    assert read(path, anew[-1].cursor)[1] == []


def test_a_rewrite_is_seen_at_the_end_of_what_was_read_too(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 5000 + b"\n" + b"y" * 5000 + b"\n")
    _, deltas = read(path)
    path.write_bytes(b"x" * 5000 + b"\n" + b"z" * 5000 + b"\n" + b"more\n")
    assert read(path, deltas[-1].cursor)[1][0].reset


@pytest.mark.parametrize("left", [0, 3, 4, 7])
def test_a_cut_off_file_loses_nothing_that_was_read(left: int, tmp_path: Path) -> None:
    path, whole = tmp_path / "a", b"one\ntwo\nthree\n"
    path.write_bytes(whole)
    _, deltas = read(path)
    path.write_bytes(whole[:left])
    data, cut = read(path, deltas[-1].cursor)
    assert (data, [delta.reset for delta in cut]) == (b"", [False])
    assert read(path, cut[-1].cursor)[1] == []
    with path.open("ab") as file:
        file.write(b"\nfour\n")
    data, more = read(path, cut[-1].cursor)
    assert data.endswith(b"\nfour\n")
    assert (more[0].offset, more[0].reset) == (len(whole), False), "it follows after what was read"
    with path.open("ab") as file:
        file.write(b"five\n")
    data, last = read(path, more[-1].cursor)
    assert (data, last[0].offset) == (b"five\n", len(whole) + len(more[0].data))


def test_a_file_cut_off_and_mended_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    path, whole = tmp_path / "a", b"one\n" * 5000
    path.write_bytes(whole)
    _, deltas = read(path)
    path.write_bytes(whole[:9001])
    _, cut = read(path, deltas[-1].cursor)
    path.write_bytes(whole + b"two\n")
    data, more = read(path, cut[-1].cursor)
    assert (data, more[0].offset, more[0].reset) == (b"two\n", len(whole), False)


def test_a_shorter_file_of_another_content_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"".join(b"%d\n" % n for n in range(9000)))
    _, deltas = read(path)
    path.write_bytes(path.read_bytes()[:20_000].replace(b"2500\n", b"twen\n"))
    assert read(path, deltas[-1].cursor)[1][0].reset


def test_a_touched_or_moved_file_gives_only_a_cursor(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\n")
    _, deltas = read(path)
    os.utime(path, ns=(1, 1))
    data, again = read(path, deltas[-1].cursor)
    assert (data, [delta.reset for delta in again]) == (b"", [False])
    moved = path.rename(tmp_path / "b")
    moved.write_bytes(moved.read_bytes() + b"two\n")
    assert read(moved, again[-1].cursor)[0] == b"two\n"


def test_a_long_line_is_one_delta_of_its_own_length(tmp_path: Path) -> None:
    path = tmp_path / "a"
    line = b'{"a": "' + b"x" * 5_000_000 + b'"}\n'
    path.write_bytes(b"{}\n" * 10 + line + b"{}\n" * 10)
    data, deltas = read(path)
    assert data == path.read_bytes()
    assert max(len(delta.data) for delta in deltas) <= len(line)


def test_reads_little_of_a_large_file_with_one_new_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 99 + b"\n" + (b"y" * 999 + b"\n") * 5000)
    _, deltas = read(path)
    with path.open("ab") as file:
        file.write(b"one line more\n")
    asked: list[int] = []
    pread = os.pread

    def counted(descriptor: int, length: int, offset: int) -> bytes:
        data = pread(descriptor, length, offset)
        asked.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counted)
    assert read(path, deltas[-1].cursor)[0] == b"one line more\n"
    assert sum(asked) <= 64 * 1024


def test_links_pipes_and_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"secret\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="it is a symbolic link"):
        open_plain(tmp_path / "link")
    with socket.socket(socket.AF_UNIX) as plain:
        plain.bind(str(tmp_path / "socket"))
        with pytest.raises(OSError, match="not a regular file"):
            open_plain(tmp_path / "socket")
    for name in ("pipe", "."):
        with pytest.raises(UnreadableSessionError, match="regular file"):
            open_plain(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        list(follow_append(tmp_path / "gone"))


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_however_it_grows_the_stream_is_the_file(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("grow") / "a"
    path.write_bytes(b"")
    got, cursor = b"", None
    for piece in [*pieces, b"\n"]:
        with path.open("ab") as file:
            file.write(piece)
        os.utime(path, ns=(len(got), path.stat().st_size))
        for delta in follow_append(path, cursor):
            assert delta.offset == len(got)
            assert not delta.reset
            got, cursor = got + delta.data, delta.cursor
    assert got == path.read_bytes()


def test_what_stands_beside_a_trace_is_a_small_regular_file(tmp_path: Path) -> None:
    side = tmp_path / "state.json"
    side.write_bytes(b"{}")
    assert read_plain(side) == b"{}"
    os.truncate(side, (64 << 20) + 1)
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "state.json")
    for path in (side, pipe, link, tmp_path, tmp_path / "none"):
        with pytest.raises(OSError, match=re.escape(str(path))):
            read_plain(path)


def test_a_file_that_is_a_terabyte_of_holes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n": 1}\n')
    os.truncate(path, 1 << 40)
    with pytest.raises(UnreadableSessionError, match=r"a\.jsonl is a sparse file"):
        list(follow_append(path))
    os.truncate(path, 1 << 20)  # what a power cut leaves is read
    assert b"".join(delta.data for delta in follow_append(path)).startswith(b'{"n": 1}')
