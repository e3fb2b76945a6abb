"""Reports of an agent's state between its own sequences: where they may stand, and when at all."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule.status_report import (
    CLEAR,
    DA1,
    LATE,
    PATIENCE,
    QUERY,
    GroundState,
    StatusReporter,
)
from dejavu.screen import Terminal

REPORT = b"\x1b]7501;state=working:app=amp\x1b\\"
PIECES = [
    b"plain", "日本語é🎉".encode(), b"\r\n", b"\x1b[1;31m", b"\x1b[?25l", b"\x1b[2J\x1b[H", b"\x1b(B",
    b"\x1b]0;title \xe2\x9c\xb3\x07", b"\x1b]8;;http://x\x1b\\", b"\x1bP1$r0m\x1b\\", b"\x1b7",
    b"\x1b]52;c;" + b"QUJD" * 50 + b"\x07", b"\x1b[38;2;1;2;3mx", b"\x1b_Ga=T;AAAA\x1b\\",
]  # fmt: skip


def test_it_stands_where_every_piece_has_ended() -> None:
    state = GroundState()
    assert state.feed(b"\x1b[H")
    for piece in PIECES:
        for end in range(1, len(piece)):
            cut = GroundState()
            cut.feed(b"\x1b[H" + piece[:end])
            whole = cut.feed(piece[end:])
            assert whole, (piece, end)
        assert state.feed(piece), piece


@pytest.mark.parametrize(
    "cut",
    [b"\x1b", b"\x1b[", b"\x1b[38;2", b"\x1b]0;title", b"\x1bPq", b"\x1b(", b"\xe2\x9c", b"\xf0",
     b"x\xc3", b"\x1b]0;a\xe2\x9c\xb3", b"\x1b_Gm=1;" + b"A" * 100],
)  # fmt: skip
def test_it_does_not_stand_inside(cut: bytes) -> None:
    state = GroundState()
    state.feed(b"\x1b[H")
    assert not state.feed(cut)


def test_nothing_is_known_before_the_first_sequence() -> None:
    state = GroundState()
    assert not state.feed(b"it may be inside a long string")
    assert state.feed(b"\x1b[m")


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.lists(st.integers(0, 2000), max_size=10))
def test_a_report_changes_nothing_on_the_screen(pieces: list[bytes], cuts: list[int]) -> None:
    """Wherever the bytes are cut, a terminal that does not know reports shows the same."""
    data = b"\x1b[H" + b"".join(pieces)
    edges = [0, *sorted({cut % (len(data) + 1) for cut in cuts}), len(data)]
    reporter, bare, shown = StatusReporter(), Terminal(20, 5), Terminal(20, 5)
    reporter.put(REPORT, 0.0)
    reporter.input(b"\x1b]7501;?\x07", 0.0)
    for start, end in pairwise(edges):
        piece = data[start:end]
        bare.feed(piece)
        shown.feed(piece + reporter.output(piece, 0.0))
        reporter.put(REPORT, 0.0)
    assert bare.snapshot().rows == shown.snapshot().rows
    assert bare.snapshot().cursor == shown.snapshot().cursor
    assert bare.snapshot().title == shown.snapshot().title


def test_a_terminal_is_asked_once_and_told_what_waits_last() -> None:
    reporter = StatusReporter()
    assert reporter.put(b"one", 0.0) == b""  # nothing is known of the output yet
    assert reporter.output(b"\x1b[Hhello", 0.1) == QUERY
    assert reporter.waiting
    assert reporter.put(b"two", 0.2) == b""
    assert reporter.input(b"a\x1b]7501;?\x1b\\b", 0.3) == b"ab"
    assert not reporter.waiting
    assert reporter.flush(0.3) == b"two"
    assert reporter.output(b"more", 0.4) == b""
    assert reporter.output(b"\x1b[3", 0.5) == b""
    assert reporter.put(b"three", 0.6) == b""
    assert reporter.output(b"1m", 0.7) == b"three"
    assert reporter.close() == CLEAR


def test_an_answer_in_two_reads_is_taken_out_and_keys_are_not_held() -> None:
    reporter = StatusReporter()
    reporter.output(b"\x1b[H", 0.0)
    assert reporter.put(b"one", 0.0) == QUERY
    assert reporter.input(b"\x1b", 0.1) == b"\x1b"
    assert reporter.input(b"\x1b]", 0.1) == b"\x1b]"
    assert reporter.input(b"x\x1b]7501", 0.1) == b"x"
    assert reporter.input(b";?\x07y", 0.1) == b"y"
    assert reporter.flush(0.1) == b"one"


def test_a_terminal_that_does_not_answer_is_told_nothing() -> None:
    reporter = StatusReporter()
    reporter.output(b"\x1b[H", 0.0)
    assert reporter.put(b"one", 0.0) == QUERY
    assert reporter.input(b"key", 6.0) == b"key"
    assert not reporter.waiting
    assert reporter.put(b"two", 7.0) == b""
    assert reporter.output(b"\x1b[H", 8.0) == b""
    assert reporter.close() == b""


def test_an_answer_to_da1_decides_and_is_taken_out() -> None:
    reporter = StatusReporter(b"\x1b[m", lambda: 0)
    assert reporter.put(b"one", 0.0) == QUERY + DA1
    assert reporter.input(b"a\x1b[?62;", 0.1) == b"a"
    assert reporter.input(b"22cb\x1b[?1u", 0.1) == b"b\x1b[?1u"
    assert not reporter.waiting
    assert reporter.flush(0.1) == b""
    assert reporter.put(b"two", 0.2) == b""
    assert reporter.input(b"\x1b[?62;22c", 0.3) == b"\x1b[?62;22c"  # the agent's own


def test_answers_that_the_agent_waits_for_stay_its_own() -> None:
    reporter = StatusReporter(b"\x1b[m", lambda: 2)
    assert reporter.put(b"one", 0.0) == QUERY + DA1
    assert reporter.input(b"\x1b[?1;2c", 0.1) == b"\x1b[?1;2c"
    assert reporter.input(b"\x1b[?1;3c\x1b]7501;?\x07\x1b[?1;4c\x1b[?1;5c", 0.1) == (
        b"\x1b[?1;3c\x1b[?1;5c"
    )
    assert not reporter.waiting
    assert reporter.flush(0.1) == b"one"


def test_answers_are_taken_out_though_the_agent_has_begun_to_speak_or_they_are_late() -> None:
    for own, late in ((b"\x1b]7501;?\x07\x1b[c", 0.2), (b"", PATIENCE + 1)):
        reporter = StatusReporter(b"\x1b[m", lambda: 0)
        reporter.put(b"one", 0.0)
        reporter.output(own, 0.1)
        theirs = b"\x1b]7501;?\x1b\\\x1b[?62c" if own else b""
        assert reporter.input(QUERY + b"\x1b[?62c" + theirs, late) == theirs
        assert not reporter.waiting
        assert reporter.flush(late) == b""


def test_a_terminal_that_never_answers_is_waited_for_no_longer_than_a_minute() -> None:
    reporter = StatusReporter(b"\x1b[m", lambda: 0)
    reporter.put(b"one", 0.0)
    assert reporter.input(b"a", LATE - 1) == b"a"
    assert reporter.waiting
    assert reporter.input(b"\x1b[?62c", LATE + 1) == b"\x1b[?62c"
    assert not reporter.waiting


@given(st.integers(0, 3), st.booleans(), st.lists(st.integers(0, 200), max_size=8))
def test_wherever_answers_are_cut_the_agent_reads_its_own_and_the_keys(
    owed: int, knows: bool, cuts: list[int]
) -> None:
    theirs = [b"\x1b[?%d;4c" % number for number in range(owed)]
    own = [QUERY] * knows + [b"\x1b[?62;22c"]
    typed = b"k".join([b"", *theirs, *own, b"end\x1b[?7;1c"])
    places = {cut % (len(typed) + 1) for cut in cuts}
    places -= {place for place in places if re.search(rb"\x1b[\[\]]?\Z", typed[:place])}
    edges = [0, *sorted(places), len(typed)]
    reporter = StatusReporter(b"\x1b[m", lambda: owed)
    reporter.put(REPORT, 0.0)
    read = b"".join(reporter.input(typed[a:b], 0.1) for a, b in pairwise(edges))
    assert read == b"k".join([b"", *theirs, *([b""] * len(own)), b"end\x1b[?7;1c"])
    assert reporter.flush(0.1) == REPORT * knows


@pytest.mark.parametrize("key", [1, 2])
def test_what_may_be_a_key_is_never_held_and_its_answer_counts_all_the_same(key: int) -> None:
    for answer, knows in ((QUERY, True), (b"\x1b[?62c", False)):
        reporter = StatusReporter(b"\x1b[m", lambda: 0)
        reporter.put(REPORT, 0.0)
        assert reporter.input(answer[:key], 0.1) == answer[:key]
        assert reporter.input(answer[key:], 0.1) == answer[key:]
        assert reporter.flush(0.1) == REPORT * knows
        assert reporter.waiting is knows  # its DA1 answer is still to come


@pytest.mark.parametrize("own", [b"\x1b]7501;?\x07\x1b[c", b"\x1b]7501;state=idle\x1b\\"])
def test_an_agent_that_speaks_for_itself_is_left_alone(own: bytes) -> None:
    reporter = StatusReporter()
    reporter.output(b"\x1b[H", 0.0)
    reporter.put(b"one", 0.0)
    reporter.input(b"\x1b]7501;?\x07", 0.1)
    assert reporter.output(own[:5], 0.2) == b""
    assert reporter.output(own[5:], 0.3) == b""
    assert reporter.put(b"two", 0.4) == b""
    assert reporter.output(b"\x1b[H", 0.5) == b""


@pytest.mark.parametrize(
    ("answer", "report", "said"),
    [
        (b":states=idle,working,blocked", b"state=done:app=a", b"state=idle:app=a"),
        (b":states=idle,working,blocked", b"state=error:app=a", b""),
        (b":states=working", b"state=done", b""),
        (b":kinds=permission", b"state=blocked:kind=auth:app=a", b"state=blocked:app=a"),
        (b":kinds=permission,auth", b"state=blocked:kind=auth", b"state=blocked:kind=auth"),
        (b":future=1:states=done:kinds=", b"state=done", b"state=done"),
        (b"", b"state=blocked:kind=auth", b"state=blocked:kind=auth"),
    ],
)
@pytest.mark.parametrize("end", [b"\x07", b"\x1b\\"])
def test_a_terminal_that_names_what_it_knows_is_told_no_more(
    answer: bytes, report: bytes, said: bytes, end: bytes
) -> None:
    reporter = StatusReporter()
    reporter.output(b"\x1b[H", 0.0)
    wrap = lambda body: b"\x1b]7501;" + body + b"\x1b\\"  # noqa: E731 - one line, used here alone
    assert reporter.put(wrap(report), 0.0) == QUERY
    whole = b"\x1b]7501;?" + answer + end
    cut = len(whole) // 2 + 2  # shorter beginnings are keys
    typed = reporter.input(b"a" + whole[:cut], 0.1) + reporter.input(whole[cut:] + b"b", 0.1)
    assert typed == b"ab"
    assert reporter.flush(0.1) == (wrap(said) if said else b"")
    assert reporter.close() == (CLEAR if said else b"")
