"""Frames give back what went in, lean on a prefix, and notice damage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive.records import compress, compress_parts, decompress
from dejavu.model import CorruptArchiveError


@given(st.binary(max_size=5_000), st.binary(max_size=5_000))
def test_round_trip_with_any_prefix(data: bytes, prefix: bytes) -> None:
    assert decompress(compress(data, prefix), prefix) == data


def test_what_the_prefix_holds_costs_almost_nothing() -> None:
    data = bytes(range(256)) * 4_000
    noise = b"".join(hash((n, "x")).to_bytes(8, "little", signed=True) for n in range(20_000))
    assert len(compress(noise, data + noise)) < len(noise) / 100


@pytest.mark.parametrize("prefix", [b"", b"a prefix of some length"])
def test_every_damaged_byte_is_noticed(prefix: bytes) -> None:
    frame = compress(b"some text that matters, and more of it", prefix)
    for place in range(len(frame)):
        damaged = frame[:place] + bytes((frame[place] ^ 0x40,)) + frame[place + 1 :]
        try:
            data = decompress(damaged, prefix)
        except CorruptArchiveError:
            continue
        assert data == b"some text that matters, and more of it"  # a bit that says nothing


def test_another_prefix_is_noticed() -> None:
    frame = compress(b"the quick brown fox jumps", b"the quick brown fox jumps over")
    with pytest.raises(CorruptArchiveError):
        decompress(frame, b"THE QUICK BROWN FOX JUMPS OVER")


@given(st.lists(st.binary(max_size=300), max_size=8))
def test_parts_are_one_frame(parts: list[bytes]) -> None:
    assert decompress(compress_parts(parts)) == b"".join(parts)
