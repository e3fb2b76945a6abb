from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers.alignment import collapsed_by, common_runs, removed_runs
from dejavu.scrapers.rows import Row


def rows(*texts: str) -> list[Row]:
    return [Row(text, False, 80) for text in texts]


def test_the_heaviest_run_is_found_and_what_lies_around_it():
    buffered = ["head", "", "one long line", "another long line", "", "tail"]
    view = ["head", "new", "one long line", "another long line", "tail"]
    assert common_runs(buffered, view, 10) == [(10, 0, 1), (12, 2, 2), (15, 4, 1)]


def test_blank_rows_are_no_landmark():
    assert common_runs(["", "", "a"], ["", "", "b"]) == []


def test_a_fold_hides_what_stood_between_its_neighbours():
    old = rows("above", "call", "  $ ls", "bel", "below")
    hidden = collapsed_by(1, old, rows("above", "Ran 1", "below"))
    assert [row.text for row in hidden] == ["call", "  $ ls"]  # "bel" was being written


def test_what_went_is_told_with_the_row_it_stood_before():
    old, new = rows("a", "gone", "", "b", "was", "c"), rows("a", "b", "is", "c")
    assert [(top, [row.text for row in run]) for top, run in removed_runs(old, new)] == [
        (1, ["gone"])
    ]


def test_too_many_rows_are_not_compared():
    assert removed_runs(rows(*map(str, range(1000))), rows(*map(str, range(1000, 1300)))) == []


@given(st.lists(st.sampled_from("abcdefgh"), max_size=30), st.integers(0, 30), st.integers(1, 30))
def test_runs_are_common_and_in_order(buffered: list[str], start: int, size: int):
    view = buffered[start : start + size]
    after = of_view = 0
    for at, position, count in common_runs(buffered, view):
        assert (at, position) >= (after, of_view)
        assert buffered[at : at + count] == view[position : position + count]
        after, of_view = at + count, position + count
