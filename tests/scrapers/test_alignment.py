from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers.alignment import common_runs


def test_the_heaviest_run_is_found_and_what_lies_around_it():
    buffered = ["head", "", "one long line", "another long line", "", "tail"]
    view = ["head", "new", "one long line", "another long line", "tail"]
    assert common_runs(buffered, view, 10) == [(10, 0, 1), (12, 2, 2), (15, 4, 1)]


def test_blank_rows_are_no_landmark():
    assert common_runs(["", "", "a"], ["", "", "b"]) == []


@given(st.lists(st.sampled_from("abcdefgh"), max_size=30), st.integers(0, 30), st.integers(1, 30))
def test_runs_are_common_and_in_order(buffered: list[str], start: int, size: int):
    view = buffered[start : start + size]
    after = of_view = 0
    for at, position, count in common_runs(buffered, view):
        assert (at, position) >= (after, of_view)
        assert buffered[at : at + count] == view[position : position + count]
        after, of_view = at + count, position + count
