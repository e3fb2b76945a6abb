"""Changes of one conversation in a window are one change, and nothing is indexed twice."""

from dejavu.archive import Change, LogEntry
from dejavu.archive.search.indexer import fold_entries


def entry(
    sequence: int, number: int, start: int, stop: int, was: int, change: Change = Change.TURNS
) -> LogEntry:
    return LogEntry(sequence, change, f"c{number}", number, start, stop, was, 0.0)


def test_appends_become_one_append() -> None:
    (fold,) = fold_entries([entry(1, 7, 0, 2, 0), entry(2, 7, 2, 5, 2)])
    assert (fold.sequence, fold.start, fold.stop, fold.replaced) == (2, 0, 5, False)


def test_what_was_replaced_within_the_window_needs_no_removal() -> None:
    (fold,) = fold_entries([entry(1, 7, 0, 4, 0), entry(2, 7, 2, 3, 4)])
    assert (fold.start, fold.stop, fold.replaced) == (0, 3, False)


def test_what_stood_before_the_window_does() -> None:
    (fold,) = fold_entries([entry(5, 7, 4, 6, 4), entry(6, 7, 3, 4, 6)])
    assert (fold.start, fold.stop, fold.replaced) == (3, 4, True)


def test_a_removal_ends_it_and_others_stay_apart() -> None:
    gone = entry(3, 7, 0, 0, 2, Change.REMOVED)
    other = entry(2, 8, 0, 1, 0)
    assert fold_entries([entry(1, 7, 0, 2, 0), other, gone]) == [other, gone]
