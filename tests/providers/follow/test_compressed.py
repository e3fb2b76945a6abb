"""Following a file that its agent compresses while we look."""

import os
from pathlib import Path

import pytest

from dejavu.model import UnreadableSessionError
from dejavu.providers.follow.append import follow_append
from dejavu.providers.follow.compressed import follow_compressed, head_of, zstd


def pack(path: Path, data: bytes) -> Path:
    path.write_bytes(zstd.compress(data))
    return path


def test_gives_the_uncompressed_stream(tmp_path: Path) -> None:
    data = b'{"n": 1}\n' * 300_000
    path = pack(tmp_path / "a.jsonl.zst", data)
    deltas = list(follow_compressed(path))
    assert b"".join(delta.data for delta in deltas) == data
    assert list(follow_compressed(path, deltas[-1].cursor)) == []
    assert head_of(path, 8) == b'{"n": 1}'


def test_goes_on_where_the_plain_file_was_left_and_back(tmp_path: Path) -> None:
    plain = tmp_path / "a.jsonl"
    plain.write_bytes(b"one\ntwo\n" * 900)
    *_, last = follow_append(plain)
    packed = pack(tmp_path / "a.jsonl.zst", plain.read_bytes() + b"three\n")
    new = list(follow_compressed(packed, last.cursor))
    assert [delta.data for delta in new if delta.data] == [b"three\n"]
    assert not any(delta.reset for delta in new)
    plain.write_bytes(plain.read_bytes() + b"three\nfour\n")
    assert b"".join(d.data for d in follow_append(plain, new[-1].cursor)) == b"four\n"


def test_another_content_starts_anew(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.jsonl.zst", b"one\ntwo\n")
    *_, last = follow_compressed(path)
    pack(path, b"1\ntwo\nthree\n")
    first, *_ = follow_compressed(path, last.cursor)
    assert (first.offset, first.data, first.reset) == (0, b"1\ntwo\nthree\n", True)


def test_a_cut_off_file_gives_its_whole_lines(tmp_path: Path) -> None:
    data = b"".join(
        b'{"n": %d, "x": "%s"}\n' % (n, os.urandom(20).hex().encode()) for n in range(9000)
    )
    path = pack(tmp_path / "a.jsonl.zst", data)
    path.write_bytes(path.read_bytes()[:-40_000])
    got = b"".join(delta.data for delta in follow_compressed(path))
    assert data.startswith(got)
    assert got.endswith(b"\n")


@pytest.mark.parametrize("content", [b"", b"no frame at all"])
def test_what_is_no_frame_gives_nothing(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(content)
    assert b"".join(delta.data for delta in follow_compressed(path)) == b""


def test_a_file_that_unpacks_without_an_end_stops_and_keeps_what_came(tmp_path: Path) -> None:
    bomb = zstd.ZstdCompressor()
    line = b'{"n": 1}\n' * 100_000
    data = b"".join(bomb.compress(line) for _ in range(120)) + bomb.flush()
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(data)
    came: list[int] = []
    with pytest.raises(UnreadableSessionError, match=r"a\.jsonl\.zst: .* unpack to more than"):
        came.extend(len(delta.data) for delta in follow_compressed(path))
    assert 60 << 20 < sum(came) <= 64 << 20
