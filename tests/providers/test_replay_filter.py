"""Ids of a log, in a memory that does not grow with it."""

from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers.conversation_builder import LAST, RecentIds, number

MANY = LAST * 3


def test_the_last_and_the_first_are_known() -> None:
    seen = RecentIds()
    for n in range(MANY):
        assert not seen.is_replay(str(n), float(n))
        seen.add(str(n), float(n))
    assert seen.is_replay("0", 0.0)
    assert str(MANY - 1) in seen
    assert "200" not in seen
    assert sum(map(len, seen.dump()[:2])) <= (LAST + 64) * 8


def test_a_history_told_again_says_nothing_new_until_something_is_newer() -> None:
    seen = RecentIds()
    for n in range(MANY):
        seen.add(str(n), float(n))
    seen = RecentIds(*seen.dump())
    assert [n for n in range(MANY) if not seen.is_replay(str(n), float(n))] == []
    assert not seen.is_replay("new", float(MANY))
    assert not seen.is_replay("late", 5.0), "an old time alone is no repetition"


@given(st.lists(st.tuples(st.text(max_size=3), st.floats(0, 99))))
def test_in_a_short_log_exactly_the_known_ids_are_told_again(
    records: list[tuple[str, float]],
) -> None:
    seen, known = RecentIds(), set()
    for name, at in records:
        assert seen.is_replay(name, at) == (name in known)
        seen.add(name, at)
        known.add(name)


def test_numbers_of_uuids_are_their_random_end() -> None:
    assert number("019c0000-0000-7000-8000-000000000001") == 0x8000_0000_0000_0001
    assert number("x" * 36) != number("y" * 36)
