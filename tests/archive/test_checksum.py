"""A value is told from what was not written under its key."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive.backends.transaction import is_wrapped, unwrap, wrap
from dejavu.model import CorruptArchiveError


@given(st.binary(max_size=300), st.binary(max_size=300), st.integers(0))
def test_every_flipped_bit_is_found(key: bytes, value: bytes, bit: int) -> None:
    stored = wrap(key, value)
    assert unwrap(key, stored) == value
    assert is_wrapped(stored)
    assert msgpack.unpackb(stored)[1] == value
    bit %= 8 * len(stored)
    flipped = bytearray(stored)
    flipped[bit // 8] ^= 1 << bit % 8
    with pytest.raises(CorruptArchiveError, match="checksum"):
        unwrap(key, bytes(flipped))
    with pytest.raises(CorruptArchiveError, match="checksum"):
        unwrap(key + b"x", stored)
