from hypothesis import given
from hypothesis import strategies as st

from dejavu.interfaces.mcp.answers import split_event
from dejavu.interfaces.turn_range import parse_turns, split_anchor
from dejavu.model.conversation import seq_of, turn_name, turn_number


@given(st.integers(0, 10**6))
def test_what_is_printed_is_the_turn_that_is_meant_when_typed(seq: int) -> None:
    assert seq_of(turn_number(seq)) == seq
    name = turn_name("abc", seq)
    conversation, chosen = split_anchor(name)
    assert chosen is not None
    assert (conversation, chosen.at) == ("abc", seq)
    assert parse_turns(str(turn_number(seq)))[:2] == (seq, seq + 1)
    assert split_event(name) == ("abc", seq)


def test_the_first_turn_is_1() -> None:
    assert turn_name("abc", 0) == "abc#1"
