from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.panes.tmux_control import (
    Continued,
    ControlParser,
    Exit,
    Layout,
    Message,
    Output,
    Panes,
    Paused,
    Reply,
    sizes_of,
    unescape,
)

TALK = (
    b"%begin 17 264 0\n%end 17 264 0\n%session-changed $0 0\n"
    b"%output %3 a\\033[1mb\\134\\015\\012\n"
    b"%extended-output %4 120 : \xe4\xbd\n%output %4 \xa0!\n"
    b"%begin 17 269 1\n%end 17 2 1\n%output %9 shown\n\n%end 17 269 1\n"
    b"%begin 18 270 1\nno such pane\n%error 18 270 1\n"
    b"%layout-change @0 fbdd,70x8,0,0{34x8,0,0,0,35x8,35,0,12} fbdd,70x8,0,0,12 *\n"
    b"%pause %4\n%continue %4\n%window-close @2\n%unknown thing\n%exit server exited\n"
)
SAID: list[Message] = [
    Panes(),
    Output("%3", b"a\x1b[1mb\\\r\n"),
    Output("%4", b"\xe4\xbd"),
    Output("%4", b"\xa0!"),
    Reply([b"%end 17 2 1", b"%output %9 shown", b""], True),
    Reply([b"no such pane"], False),
    Layout({"%0": (34, 8), "%12": (70, 8)}),
    Paused("%4"),
    Continued("%4"),
    Panes(),
    Exit(),
]


def test_what_stands_on_a_screen_ends_no_reply() -> None:
    assert list(ControlParser().feed(TALK)) == SAID


@given(st.lists(st.integers(0, len(TALK)), max_size=12))
def test_cuts_do_not_matter(cuts: list[int]) -> None:
    parser = ControlParser()
    edges = [0, *sorted(cuts), len(TALK)]
    pieces = [TALK[a:b] for a, b in pairwise(edges)]
    assert [message for piece in pieces for message in parser.feed(piece)] == SAID


@given(st.binary(max_size=400))
def test_bytes_come_through(data: bytes) -> None:
    escaped = b"".join(
        b"\\%03o" % byte if byte < 32 or byte == 92 else bytes((byte,)) for byte in data
    )
    assert unescape(escaped) == data
    (message,) = ControlParser().feed(b"%output %0 " + escaped + b"\n")
    assert message == Output("%0", data)


@given(st.binary(max_size=300))
def test_any_bytes_are_survived(data: bytes) -> None:
    list(ControlParser().feed(b"%" + data + b"\n"))


def test_a_line_without_end_is_let_go() -> None:
    parser = ControlParser()
    for _ in range(6):
        assert list(parser.feed(b"%output %0 " + b"x" * (1 << 20))) == []
    assert list(parser.feed(b"y\n%output %1 z\n")) == [Output("%1", b"z")]


def test_sizes_in_nested_layouts() -> None:
    layout = "b25d,80x24,0,0{40x24,0,0,1,39x24,41,0[39x12,41,0,2,39x11,41,13,33]}"
    assert sizes_of(f"@1 {layout} {layout} *") == {
        "%1": (40, 24),
        "%2": (39, 12),
        "%33": (39, 11),
    }
