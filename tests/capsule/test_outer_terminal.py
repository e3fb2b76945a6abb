"""The answer to the query for program status: when it is given, and that nothing else changes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule.outer_terminal import HOLD, PATIENCE, StatusQueryResponder

BEL, ST = b"\x1b]7501;?\x07", b"\x1b]7501;?\x1b\\"
ASKS = b"\x1b[?u" + BEL + b"\x1b[c"
DA1 = b"\x1b[?62;4c"
LENGTH = len(ASKS)


def responder(*, at_once: bool = False, term: str = "xterm", allowed: bool = True):
    return StatusQueryResponder(at_once=at_once, term=term, allowed=lambda: allowed)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    return [data[a:b] for a, b in pairwise(places)]


@pytest.mark.parametrize("query", [BEL, ST])
def test_where_we_are_the_terminal_the_same_bytes_come_back_at_once(query: bytes):
    one = responder(at_once=True)
    assert one.output(b"hello" + query + b"\x1b[c", 1.0) == query
    assert one.output(b"more", 1.1) == b""
    assert not one.waiting


@pytest.mark.parametrize("cut", range(LENGTH))
def test_the_answer_goes_in_front_of_a_da1_answer_wherever_the_question_was_cut(cut: int):
    one = responder()
    for piece in pieces(ASKS, [cut]):
        assert one.output(piece, 1.0) == b""
    assert one.waiting
    assert one.input(b"k" + DA1 + b"x", 1.1) == b"k" + BEL + DA1 + b"x"
    assert not one.waiting
    assert one.input(DA1, 1.2) == DA1


@pytest.mark.parametrize("cut", range(len(DA1)))
def test_the_answer_goes_in_front_of_a_da1_answer_that_comes_in_pieces(cut: int):
    one = responder()
    one.output(ASKS, 1.0)
    read = b"".join(one.input(piece, 1.01) for piece in pieces(b"\x1b[?0u" + DA1, [5 + cut]))
    assert read == b"\x1b[?0u" + BEL + DA1


@pytest.mark.parametrize("cut", range(len(ST)))
def test_a_terminal_that_answers_for_itself_is_left_alone(cut: int):
    one = responder()
    one.output(ASKS, 1.0)
    read = b"".join(one.input(piece, 1.01) for piece in pieces(ST + DA1, [cut]))
    assert read + one.expire(2.0) == ST + DA1
    one.output(ASKS, 3.0)
    assert not one.waiting


def test_answers_to_earlier_da1_queries_do_not_decide():
    one = responder()
    one.output(b"\x1b[0c", 1.0)
    one.output(ASKS, 1.1)
    assert one.input(DA1, 1.2) == DA1
    assert one.input(ST + DA1, 1.3) == ST + DA1


def test_without_a_da1_query_nothing_is_answered_behind_a_terminal():
    one = responder()
    one.output(BEL, 1.0)
    assert one.input(DA1, 1.1) == DA1


def test_an_escape_key_is_held_for_a_moment_and_never_lost():
    one = responder()
    one.output(ASKS, 1.0)
    assert one.input(b"a\x1b", 1.1) == b"a"
    assert one.timeout(1.1, None) == pytest.approx(HOLD * 1000 + 1)
    assert one.timeout(1.1, 5) == 5
    assert one.expire(1.1) == b""
    assert one.expire(1.1 + HOLD) == b"\x1b"
    assert one.input(DA1, 1.3) == BEL + DA1


def test_an_answer_is_not_awaited_for_ever():
    one = responder()
    one.output(ASKS, 1.0)
    assert one.expire(1.0 + PATIENCE) == b""
    assert not one.waiting
    assert one.timeout(9.0, None) is None
    assert one.input(b"\x1b", 9.0) == b"\x1b"


@pytest.mark.parametrize("term", ["linux", "dumb", ""])
def test_terminals_that_would_show_the_reports_get_none(term: str):
    one = responder(term=term)
    one.output(ASKS, 1.0)
    assert not one.waiting
    assert responder(term=term, at_once=True).output(BEL, 1.0) == BEL


def _unreadable() -> bool:
    raise OSError("no such settings")


def test_the_operator_may_turn_it_off_and_is_asked_once():
    asked: list[int] = []
    one = StatusQueryResponder(at_once=True, term="", allowed=lambda: bool(asked.append(1)))
    assert one.output(BEL + BEL, 1.0) == b""
    assert one.output(BEL, 1.0) == b""
    assert asked == [1]
    assert StatusQueryResponder(at_once=True, term="", allowed=None).output(BEL, 1.0) == b""
    unreadable = StatusQueryResponder(at_once=True, term="", allowed=_unreadable)
    assert unreadable.output(BEL, 1.0) == b""


WORDS = st.lists(
    st.sampled_from([BEL, ST, b"\x1b[c", DA1, b"\x1b", b"[?", b"6", b"c", b"]7501;?", b"text"]),
    max_size=12,
).map(b"".join)


@given(WORDS, WORDS, st.lists(st.integers(1, 60), max_size=6), st.booleans())
def test_input_is_only_ever_added_to(shown: bytes, typed: bytes, cuts: list[int], later: bool):
    one = responder()
    for piece in pieces(shown, cuts):
        assert one.output(piece, 1.0) == b""
    read = b""
    for number, piece in enumerate(pieces(typed, cuts)):
        now = 1.01 + number * (HOLD if later else 0)
        read += one.expire(now) + (one.input(piece, now) if one.waiting else piece)
    read += one.expire(2.0)
    assert read == typed or any(
        read.startswith(typed[:at]) and read == typed[:at] + query + typed[at:]
        for query in (BEL, ST)
        for at in range(len(typed) + 1)
    )


# -- the same through a whole session

CUTTINGS = ["", "1", "4", "5", "9", "12", "13", "14", "15,16", ",".join(map(str, range(1, LENGTH)))]


def answered(outer, agent_command, cuts: str, answers: bytes, **options: object) -> bytes:
    """What the agent read up to the DA1 answer, of a terminal that gives `answers`."""
    outer.start(agent_command("ask", cuts), **options)
    outer.read_until(ASKS)
    outer.type(answers)
    end = outer.read_until(b"got ")
    outer.read_until(b"\n", end)
    got = bytes.fromhex(outer.seen[end:].split()[0].decode())
    outer.type(b"\x1bhi\r")  # and the session goes on as ever
    outer.read_until(b"then " + b"\x1bhi\r".hex().encode())
    assert outer.exit_code() == 0
    assert outer.modes == outer.before
    return got


@pytest.mark.parametrize("cuts", CUTTINGS)
def test_a_program_that_asks_as_claude_does_is_answered(outer, agent_command, cuts):
    assert answered(outer, agent_command, cuts, DA1, answer=True) == BEL + DA1
    shown = bytes(outer.seen)
    assert shown.count(BEL) == 1  # what it asked, unchanged; ours never goes to the terminal


@pytest.mark.parametrize(
    ("answers", "options"),
    [(ST + DA1, {"answer": True}), (DA1, {"answer": False}), (DA1, {})],
)
def test_nothing_is_added_where_it_must_not_be(outer, agent_command, answers, options):
    assert answered(outer, agent_command, "", answers, **options) == answers
