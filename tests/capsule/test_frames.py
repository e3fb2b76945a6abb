"""Frames: every event comes back, whatever the chunks; a torn or damaged end costs only itself."""

import os
from itertools import pairwise

import msgpack
from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule import (
    Decoder,
    Exit,
    Gap,
    Header,
    Input,
    Keys,
    Output,
    Resize,
    encode,
    read_events,
)

moments = st.floats(min_value=0, max_value=4e9, allow_nan=False)
counts = st.integers(min_value=0, max_value=2**40)
sizes = st.integers(min_value=0, max_value=65535)
plain = st.text() | st.integers(-(2**63), 2**63) | st.none() | st.booleans() | st.lists(st.text())
events = st.one_of(
    st.builds(Output, moments, st.binary()),
    st.builds(Input, moments, st.binary()),
    st.builds(Keys, moments, st.binary()),
    st.builds(Resize, moments, sizes, sizes),
    st.builds(Gap, moments, counts),
    st.builds(Exit, moments, st.integers(0, 255)),
    st.builds(Header, st.dictionaries(st.text(), plain)),
)


def decoded(data, cuts=()):
    decoder = Decoder()
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    found = []
    for start, end in pairwise(edges):
        found += decoder.feed(data[start:end])
    return found, decoder


@given(st.lists(events), st.lists(st.integers(0, 10_000), max_size=20))
def test_events_survive_any_chunks(given_events, cuts):
    found, decoder = decoded(b"".join(map(encode, given_events)), cuts)
    assert found == given_events
    assert decoder.torn == 0
    assert decoder.damaged is None


@given(st.lists(events, min_size=1), st.integers(0, 10_000))
def test_a_torn_end_loses_its_last_frame_only(given_events, cut):
    frames = [encode(event) for event in given_events]
    end = cut % len(frames[-1])
    found, decoder = decoded(b"".join(frames[:-1]) + frames[-1][:end])
    assert found == given_events[:-1]
    assert decoder.torn == end


@given(st.binary(), st.lists(st.integers(0, 10_000), max_size=5))
def test_no_bytes_make_it_raise(data, cuts):
    decoded(data, cuts)


@given(st.lists(events), st.binary(min_size=1))
def test_damage_does_not_touch_what_came_before(given_events, rest):
    found, _ = decoded(b"".join(map(encode, given_events)) + b"\xc1" + rest)
    assert found == given_events


def test_damage_is_said_once_and_in_words():
    _, decoder = decoded(encode(Gap(1.0, 2)) + b"\xc1" + encode(Gap(3.0, 4)))
    assert decoder.damaged is not None
    assert "byte" in decoder.damaged
    assert list(decoder.feed(encode(Gap(5.0, 6)))) == []


def test_kinds_of_a_newer_writer_are_skipped():
    newer = msgpack.packb(("z", 1.0, {"new": True}))
    assert decoded(encode(Gap(1.0, 2)) + newer + encode(Exit(2.0, 0)))[0] == [
        Gap(1.0, 2),
        Exit(2.0, 0),
    ]


def test_arguments_that_are_no_utf8_survive():
    header = Header({"argv": [os.fsdecode(b"caf\xe9")]})
    assert decoded(encode(header))[0] == [header]


def test_reading_a_descriptor_ends_with_it():
    ours, its = os.pipe()
    os.write(its, encode(Output(1.0, b"x")) + encode(Exit(2.0, 3))[:-1])
    os.close(its)
    assert list(read_events(ours)) == [Output(1.0, b"x")]
    os.close(ours)
