"""Lexical: neighbours and sessions share a score, and never gain more than its owner."""

from dejavu.recall.history.retrievers.lexical import with_neighbours, with_session


def test_neighbours_inherit_a_part() -> None:
    spread = with_neighbours({(1, 5): 10.0})
    assert spread[1, 5] == 10.0 > spread[1, 6] == spread[1, 4] > 0
    assert (1, 8) not in spread
    assert min(seq for _, seq in with_neighbours({(1, 0): 1.0})) == 0


def test_a_session_that_answers_well_lifts_its_turns() -> None:
    lifted = with_session({(1, 0): 5.0, (1, 1): 5.0, (2, 0): 5.0})
    assert lifted[1, 0] > lifted[2, 0] >= 5.0
