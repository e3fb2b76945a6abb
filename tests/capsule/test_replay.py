"""What an observer that begins late is told."""

from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule import Gap, Header, Output, Resize
from dejavu.capsule.observer_supervisor import ReplayBuffer

PIECE = st.one_of(
    st.binary(max_size=9000),
    st.sampled_from([b"\x1b[?1049h", b"\x1b[2J" * 50, b"words " * 900]),
    st.tuples(st.integers(1, 200), st.integers(1, 200)),
)


def told(buffer: ReplayBuffer) -> list:
    return list(buffer.events(9.0, 1))


def fed(pieces, limit, mode="terminal") -> ReplayBuffer:
    buffer = ReplayBuffer(limit)
    buffer.add(Header({"mode": mode, "columns": 80, "lines": 24, "id": "x"}))
    for piece in pieces:
        buffer.add(Output(1.0, piece) if isinstance(piece, bytes) else Resize(1.0, *piece))
    return buffer


@given(
    st.lists(PIECE, max_size=30), st.integers(1, 30_000), st.sampled_from(["terminal", "direct"])
)
def test_places_in_the_output_hold_and_its_end_is_there(pieces, limit, mode):
    written = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    header, *events = told(fed(pieces, limit, mode))
    assert header.fields["resumed"] == 1
    lost = sum(event.lost for event in events if isinstance(event, Gap))
    outputs = [event.data for event in events if isinstance(event, Output)]
    assert lost + sum(map(len, outputs)) == len(written)
    if not lost:
        assert b"".join(outputs) == written
    elif events and isinstance(events[1] if len(events) > 1 else None, Output):
        kept = b"".join(outputs[1:])
        assert written.endswith(kept)
    assert sum(map(len, outputs)) <= max(limit, 0) + 4096 + 64 * len(pieces)
    # The size at any moment is the last one told before it.
    sizes = [(header.fields["columns"], header.fields["lines"])]
    sizes += [(event.columns, event.lines) for event in events if isinstance(event, Resize)]
    resizes = [piece for piece in pieces if not isinstance(piece, bytes)]
    assert sizes[-1] == (resizes[-1] if resizes else (80, 24))


def test_modes_that_were_set_before_still_stand():
    early = b"\x1b[?2004h\x1b[?1000;1006h\x1b[?1049h\x1b[?25l\x1b[?1000l"
    _, gap, modes, *_ = told(fed([early, b"x" * 5000, b"\x1b[Hnow" * 1000], 4000))
    assert isinstance(gap, Gap)
    assert modes.data.startswith(b"\x1b[?1049h")
    assert {b"\x1b[?2004h", b"\x1b[?1006h", b"\x1b[?25l", b"\x1b[?1000l"} <= {
        b"\x1b" + part for part in modes.data.split(b"\x1b")[1:]
    }


def test_a_mode_cut_in_two_is_one():
    pieces = [b"a" * 4090 + b"\x1b[?20", b"04h" + b"b" * 9000, b"\x1b[H" * 2000]
    *_, modes, last = told(fed(pieces, 6000))
    assert modes.data == b"\x1b[?2004h"
    assert last.data.startswith(b"\x1b[H")


def test_a_line_of_a_stream_is_whole():
    lines = [b'{"n":%d}\n' % n for n in range(4000)]
    _, gap, *outputs = told(fed(lines, 9000, "direct"))
    rest = b"".join(event.data for event in outputs)
    assert rest.startswith(b'{"n":')
    assert gap.lost + len(rest) == sum(map(len, lines))


def test_over_what_an_observer_failed_none_is_told():
    buffer = fed([b"\x1b[?2004h", b"poison", (90, 20)], 9000)
    buffer.drop_all()
    header, gap, *rest = told(buffer)
    assert (header.fields["columns"], header.fields["lines"]) == (90, 20)
    assert gap.lost == 6
    assert [event.data for event in rest] == [b"\x1b[?2004h"]
