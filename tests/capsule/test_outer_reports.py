"""What the outer terminal reads: every byte of the agent's, in order, and ours between its sequences alone."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule.outer_terminal import OuterReports
from dejavu.capsule.passthrough import unwrapped, wrapped
from dejavu.capsule.status_report import CLEAR, DA1, QUERY

REPORT = b"\x1b]7501;state=working:app=ours\x1b\\"
BAR, TAKEN_BACK = b"\x1b]9;4;3\x1b\\", b"\x1b]9;4;0\x1b\\"
STATUS = b"\x1b]21337;status=Working;indicator=;status-color=;detail=\x1b\\"
NO_STATUS = b"\x1b]21337;status=;indicator=;status-color=;detail=\x1b\\"
RECORD = b"\x1b]7501;state=working:id=pane.1:app=ours\x1b\\"
OUTSIDE = wrapped(RECORD, ("tmux",))
GONE = wrapped(b"\x1b]7501;state=clear:id=pane.1\x1b\\", ("tmux",))
OURS = re.compile(
    b"|".join(
        re.escape(one)
        for one in (QUERY + DA1, QUERY, REPORT, CLEAR, BAR, TAKEN_BACK, STATUS, NO_STATUS, OUTSIDE, GONE)
    )
)  # fmt: skip
# Wholes: between two of them, and in text between two characters, something may stand.
SEQUENCES = [
    b"\r\n", b"\x1b[1;31m", b"\x1b[?2026h", b"\x1b[2J\x1b[H", b"\x1b(B", b"\x1b7", b"\x1b[38;2;1;2;3m",
    b"\x1b]0;title \xe2\x9c\xb3\x07", b"\x1b]8;;http://x\x1b\\", b"\x1bP1$r0m\x1b\\", b"\x1b[c", b"\x1b#8",
    b"\x1b]52;c;" + b"QUJD" * 50 + b"\x07", b"\x1b_Ga=T;AAAA\x1b\\", b"\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\",
    b"\x1b]133;A\x07", b"\x1b[<0;1;1M", b"\x1b]1337;File=name=eA==:QUJD\x07",
]  # fmt: skip
TEXT = "plain \u65e5\u672c\u8a9e\u00e9\U0001f389"


def places(pieces: list[bytes]) -> set[int]:
    """Where something of ours may stand."""
    ends, at = {0}, 0
    for piece in pieces:
        inner = [piece] if piece[:1] in b"\x1b\r" else [one.encode() for one in piece.decode()]
        for one in inner:
            at += len(one)
            ends.add(at)
    return ends | {match.end() for match in re.finditer(rb"\x1b\[2J|\r", b"".join(pieces))}


def outer(data: bytes, edges: list[int], *, is_asked: bool = True) -> bytes:
    """What the terminal reads when the agent writes in these parts and something is told at each."""
    reports = OuterReports(lambda: 0)
    shown = reports.output(b"")
    for start, end in pairwise(edges):
        shown += data[start:end] + reports.output(data[start:end])
        shown += reports.report(REPORT) if is_asked else b""
        for told in (BAR + STATUS, OUTSIDE):
            shown += reports.announce(told) or b""
        if is_asked:
            typed, told = reports.input(b"k" + QUERY + b"\x1b[?62;22c" if QUERY in shown else b"k")
            shown += told
            assert typed[:1] == b"k"
    return shown + reports.close()


def check(pieces: list[bytes], edges: list[int]) -> int:
    """Compare the agent's bytes with the stream without ours; how much of ours was in it."""
    data = b"".join(pieces)
    shown, count, at, allowed = outer(data, edges), 0, 0, places(pieces)
    rest, last = b"", 0
    for match in OURS.finditer(shown):
        rest += shown[last : match.start()]
        last, at = match.end(), len(rest)
        assert at in allowed, (data[:at][-20:], match[0])
        count += 1
    assert rest + shown[last:] == data
    return count


@pytest.mark.parametrize("piece", [*SEQUENCES, TEXT.encode()])
def test_at_every_cut_of_every_sequence(piece: bytes) -> None:
    pieces = [b"\x1b[H", piece, b"\x1b[m", b"end"]
    size = sum(map(len, pieces))
    for first in range(size + 1):
        assert check(pieces, [0, first, size]) > 0
    assert check(pieces, [*range(size + 1)]) > 0


@given(
    st.lists(st.sampled_from([*SEQUENCES, TEXT.encode()]), max_size=14),
    st.lists(st.integers(0, 3000), max_size=14),
)
def test_at_any_cuts_of_any_stream(pieces: list[bytes], cuts: list[int]) -> None:
    pieces = [b"\x1b[H", *pieces]
    size = sum(map(len, pieces))
    check(pieces, [0, *sorted({cut % (size + 1) for cut in cuts}), size])


def test_nothing_is_written_where_nothing_is_told() -> None:
    reports = OuterReports(lambda: 0)
    assert reports.output(b"\x1b[Hhello") == b""
    assert reports.input(b"\x1b[?62c") == (b"\x1b[?62c", b"")
    assert reports.announce(b"\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\") is None
    assert reports.close() == b""


@given(
    st.lists(st.just("tmux"), max_size=3), st.booleans(), st.integers(1, 3)
)  # fmt: skip
def test_what_is_wrapped_comes_out_again(tmuxes: list[str], screen: bool, count: int) -> None:
    layers = (*tmuxes, *["screen"] * screen)
    data = RECORD * count
    assert unwrapped(wrapped(data, layers)) == (data, layers)


def test_a_wrapping_that_ends_early_is_none() -> None:
    for broken in (
        b"\x1bPtmux;\x1b]7501;state=idle\x1b\\",
        b"\x1bP\x1b]7501;\x1b\\x\x1b\\",
        b"\x1bPtmux;",
    ):
        assert unwrapped(broken)[1] == ()
