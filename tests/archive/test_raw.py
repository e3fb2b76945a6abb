"""Raw bytes come back exactly, however they were appended and however often rewritten."""

import os
import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive, Batch, RawDelta, raw
from dejavu.archive.backends.transaction import Reader
from dejavu.archive.records import Chunk, unpack
from dejavu.model import ArchiveError, NotFoundError


def append(archive: Archive, offset: int, data: bytes, *, reset: bool = False) -> None:
    archive.commit(Batch(raw={"s": [RawDelta(offset, data, reset=reset)]}))


def held(archive: Archive, generation: int | None = None) -> bytes:
    return b"".join(archive.sources.raw("s", generation))


def chunks(archive: Archive) -> list[Chunk]:
    return archive.backend.read(lambda txn: [unpack(value, Chunk) for _, value in txn.items("raw")])


@settings(max_examples=25)  # each example makes an archive on disk
@given(st.lists(st.binary(min_size=1, max_size=3_000), min_size=1, max_size=12))
def test_any_cut_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    with Archive.open(tmp_path_factory.mktemp("raw") / "archive") as archive:
        whole = b""
        for piece in pieces:
            append(archive, len(whole), piece)
            whole += piece
        assert held(archive) == whole
        assert archive.sources.raw_length("s") == len(whole)


def test_many_small_appends_leave_few_chunks(archive: Archive) -> None:
    line = b'{"type":"user","n":%d}\n'
    whole = b""
    for n in range(300):
        append(archive, len(whole), line % n)
        whole += line % n
    assert held(archive) == whole
    assert len(chunks(archive)) <= 12


def test_a_large_source_is_cut_into_chunks(archive: Archive) -> None:
    whole = bytes(range(256)) * 20_000
    archive.commit(
        Batch(
            raw={"s": [RawDelta(n, whole[n : n + 700_000]) for n in range(0, len(whole), 700_000)]}
        )
    )
    assert held(archive) == whole
    assert max(chunk.length for chunk in chunks(archive)) == raw.CHUNK
    assert len(chunks(archive)) <= len(whole) // raw.CHUNK + 7  # one at the seam of each append


def test_an_append_repeated_changes_nothing(archive: Archive) -> None:
    append(archive, 0, b"one\ntwo\n")
    append(archive, 0, b"one\ntwo\n")
    append(archive, 4, b"two\nthree\n")
    assert held(archive) == b"one\ntwo\nthree\n"


def test_a_hole_is_refused(archive: Archive) -> None:
    append(archive, 0, b"one\n")
    with pytest.raises(ArchiveError, match="holds 4 bytes, cannot go on at 5"):
        append(archive, 5, b"two\n")
    assert held(archive) == b"one\n"


def test_rewriting_keeps_every_writing_and_costs_its_changes(archive: Archive) -> None:
    body = b"".join(
        b"%d: a line that says something of its own, %d\n" % (n, n * n) for n in range(3_000)
    )
    writings = []
    for n in range(40):
        writing = b'{"version":%d}\n' % n + body + b"tail %d\n" % n
        append(archive, 0, writing, reset=n > 0)
        writings.append(writing)
    for n, writing in enumerate(writings):
        assert held(archive, n) == writing
    assert held(archive) == writings[-1]
    frames = sum(len(chunk.frame) for chunk in chunks(archive))
    first = len(chunks(archive)[0].frame)
    assert frames < 2 * first


def test_rewriting_to_nothing_and_on(archive: Archive) -> None:
    append(archive, 0, b"old\n")
    append(archive, 0, b"", reset=True)
    assert held(archive) == b""
    append(archive, 0, b"new\n")
    assert (held(archive), held(archive, 0)) == (b"new\n", b"old\n")


def test_an_unknown_source_is_not_found(archive: Archive) -> None:
    with pytest.raises(NotFoundError, match="'none'"):
        list(archive.sources.raw("none"))


def test_sources_with_odd_names(root: Path) -> None:
    names = ["x" * 5_000, "\udcff/path", "a\0b"]
    with Archive.open(root) as archive:
        archive.commit(
            Batch(raw={name: [RawDelta(0, name[:3].encode("utf-8", "replace"))] for name in names})
        )
    with Archive.open(root) as archive:
        assert set(archive.sources.all_keys()) == set(names)
        assert b"".join(archive.sources.raw(names[0])) == b"xxx"


@settings(max_examples=25)
@given(
    st.lists(st.binary(min_size=1, max_size=3_000), min_size=2, max_size=8), st.integers(0, 2_000)
)
def test_chunks_that_last_never_give_what_was_replaced(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], offset: int
) -> None:
    """A chunk that grew, or another writing of its place, is read anew."""
    lasting = raw.Chunks(lasting=True)

    def read(archive: Archive, generation: int) -> bytes:
        def look(txn: Reader) -> bytes:
            source = raw.find_source(txn, "s")
            assert source is not None
            return raw.read(txn, source.number, generation, offset, 4_000, lasting)

        return archive.backend.read(look)

    with Archive.open(tmp_path_factory.mktemp("raw") / "archive") as archive:
        whole = b""
        for piece in pieces:
            append(archive, len(whole), piece)
            whole += piece
            assert read(archive, 0) == whole[offset : offset + 4_000]
        append(archive, 0, whole[::-1], reset=True)
        assert read(archive, 1) == whole[::-1][offset : offset + 4_000]
        assert read(archive, 0) == whole[offset : offset + 4_000]


def test_a_chunk_under_two_blocks_of_turns_is_unpacked_once(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(archive, 0, os.urandom(90_000))
    unpacked: list[int] = []
    real = raw.decompress

    def decompress(frame: bytes, prefix: bytes = b"", size: int = -1) -> bytes:
        unpacked.append(len(frame))
        return real(frame, prefix, size)

    monkeypatch.setattr(raw, "decompress", decompress)
    lasting = raw.Chunks(lasting=True)
    for offset in (0, 30_000, 60_000):
        archive.backend.read(
            lambda txn, offset=offset: raw.read(txn, 1, 0, offset, 30_000, lasting)
        )
    assert len(unpacked) == 1


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 700_000), st.integers(1, 90_000)), max_size=8))
def test_scattered_reads_give_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, ranges: list[tuple[int, int]]
) -> None:
    first, second = (random.Random(seed).randbytes(600_000) + b"x" * 100_000 for seed in (1, 2))
    second = first[:300_000] + second[:300_000]
    with Archive.open(tmp_path_factory.mktemp("raw") / "archive") as archive:
        append(archive, 0, first)
        append(archive, 0, second, reset=True)  # leans on the first
        for generation, whole in enumerate((first, second)):
            scattered = raw.Chunks(scattered=True)
            for offset, length in ranges:
                got = archive.backend.read(
                    partial(
                        raw.read, source=1, generation=generation, offset=offset,
                        length=length, chunks=scattered,
                    )
                )  # fmt: skip
                assert got == whole[offset : offset + length]


def test_a_scattered_read_unpacks_a_chunk_as_far_as_it_must(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(archive, 0, os.urandom(200_000))
    sizes: list[int] = []
    real = raw.decompress

    def decompress(frame: bytes, prefix: bytes = b"", size: int = -1) -> bytes:
        sizes.append(size)
        return real(frame, prefix, size)

    monkeypatch.setattr(raw, "decompress", decompress)
    for scattered in (True, False):
        chunks = raw.Chunks(scattered=scattered)
        archive.backend.read(
            partial(raw.read, source=1, generation=0, offset=10, length=50, chunks=chunks)
        )
    assert sizes == [60, -1]
