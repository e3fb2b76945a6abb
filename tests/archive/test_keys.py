"""Keys sort as the things they name."""

from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive.keys import (
    after,
    block_key,
    block_of,
    chunk_key,
    chunk_of,
    number_key,
    number_of,
    text_hash,
    timestamp_key,
)

moments = st.floats(allow_nan=False)
numbers = st.integers(0, 2**63)


@given(st.lists(moments))
def test_moments_sort(values: list[float]) -> None:
    assert [timestamp_key(v) for v in sorted(values)] == sorted(timestamp_key(v) for v in values)


def test_no_moment_sorts_first() -> None:
    assert timestamp_key(None) < timestamp_key(float("-inf"))
    assert timestamp_key(float("nan")) == timestamp_key(None)


@given(numbers, st.integers(0, 2**32 - 1), numbers)
def test_keys_round_trip(number: int, small: int, offset: int) -> None:
    assert number_of(number_key(number)) == number
    assert block_of(block_key(number, small)) == (number, small)
    assert chunk_of(chunk_key(number, small, offset)) == (number, small, offset)


@given(st.binary(max_size=8), st.binary(max_size=4))
def test_after_bounds_a_prefix(prefix: bytes, rest: bytes) -> None:
    bound = after(prefix)
    if bound is None:
        assert prefix.strip(b"\xff") == b""
    else:
        assert prefix + rest < bound


def test_hashes_take_any_text() -> None:
    assert len(text_hash("\udcff path", 16)) == 16
