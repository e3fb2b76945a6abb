from dejavu.scrapers.folds import collapsed_by, removed_runs
from dejavu.scrapers.rows import Row


def rows(*texts: str) -> list[Row]:
    return [Row(text, False, 80) for text in texts]


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
