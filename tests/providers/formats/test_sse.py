"""Server-sent events, as the standard has them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers.formats.wire import EventStream, Message


def read(data, cuts=()):
    stream, found = EventStream(), []
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in pairwise(edges):
        found += stream.feed(data[start:end])
    return found


@pytest.mark.parametrize(
    ("data", "messages"),
    [
        # The examples of the WHATWG standard's chapter on event streams.
        (b"data: YHOO\ndata: +2\ndata: 10\n\n", [Message("message", "YHOO\n+2\n10")]),
        (b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  last",
         [Message("message", "first event"), Message("message", "second event")]),
        (b"data\n\ndata\ndata\n\ndata:", [Message("message", ""), Message("message", "\n")]),
        (b"data:test\n\ndata: test\n\n", [Message("message", "test")] * 2),
        (b"event: add\ndata: 1\n\ndata: 2\n\n", [Message("add", "1"), Message("message", "2")]),
        (b"event: add\n\ndata: 2\n\n", [Message("message", "2")]),
        (b"\xef\xbb\xbfdata: x\r\rdata: y\r\n\r\n",
         [Message("message", "x"), Message("message", "y")]),
        (b"data: \xff\n\n", [Message("message", "\ufffd")]),
        (b"", []),
    ],
)  # fmt: skip
def test_streams(data, messages):
    assert read(data) == messages


LINES = st.sampled_from(
    [b"data: a", b"data:b", b"event: x", b"id: 1", b": note", b"", b"", "data: ü🧑‍💻".encode()]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(st.lists(st.tuples(LINES, ENDS), max_size=12), st.lists(st.integers(0, 200), max_size=6))
def test_chunks_never_matter(lines, cuts):
    data = b"".join(line + end for line, end in lines)
    assert read(data, cuts) == read(data)


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=4))
def test_anything_is_a_stream(data, cuts):
    assert read(data, cuts) == read(data)
