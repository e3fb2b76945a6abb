from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.panes.tmux_client import PENDING, SLICE, PaneStream


def looked() -> PaneStream:
    stream = PaneStream("%1")
    stream.looked = True
    return stream


@given(st.lists(st.binary(max_size=9), max_size=20), st.integers(1, 9))
def test_what_came_is_read_in_order(pieces: list[bytes], most: int) -> None:
    stream = looked()
    assert all(map(stream.output, pieces))
    read = b""
    while stream.waits:
        piece = stream.take(most)
        assert 0 < len(piece) <= most
        read += piece
    assert read == b"".join(pieces)


def test_a_screen_that_is_told_anew_is_read_at_once() -> None:
    stream = looked()
    stream.data += b"x" * (3 * SLICE)
    stream.restored = 2 * SLICE
    assert len(stream.take()) == 2 * SLICE
    assert len(stream.take()) == SLICE


def test_what_is_too_far_ahead_is_dropped_until_the_next_look() -> None:
    stream = looked()
    assert stream.output(b"x" * PENDING)
    assert not stream.output(b"y")
    stream.pause(7.0)
    assert stream.output(b"z" * PENDING)
    assert (bytes(stream.data), stream.lost, stream.wants_look_at) == (b"", True, 7.0)
