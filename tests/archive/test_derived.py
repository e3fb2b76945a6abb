"""Derived data follows the log: changes are folded, windows join, and a restored archive is noticed."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive import Change, LogEntry
from dejavu.archive.derived import Position, changes_after, fold, holds, lag_after, windows


def entry(
    sequence: int, number: int, start: int, stop: int, was: int, change: Change = Change.TURNS
) -> LogEntry:
    return LogEntry(sequence, change, f"c{number}", number, start, stop, was, 0.0)


def test_appends_become_one_append() -> None:
    (folded,) = fold([entry(1, 7, 0, 2, 0), entry(2, 7, 2, 5, 2)])
    assert (folded.sequence, folded.start, folded.stop, folded.replaced) == (2, 0, 5, False)


def test_what_was_replaced_within_the_window_needs_no_removal() -> None:
    (folded,) = fold([entry(1, 7, 0, 4, 0), entry(2, 7, 2, 3, 4)])
    assert (folded.start, folded.stop, folded.replaced) == (0, 3, False)


def test_what_stood_before_the_window_does() -> None:
    (folded,) = fold([entry(5, 7, 4, 6, 4), entry(6, 7, 3, 4, 6)])
    assert (folded.start, folded.stop, folded.replaced) == (3, 4, True)


def test_a_removal_ends_it_and_others_stay_apart() -> None:
    gone = entry(3, 7, 0, 0, 2, Change.REMOVED)
    other = entry(2, 8, 0, 1, 0)
    assert fold([entry(1, 7, 0, 2, 0), other, gone]) == [other, gone]


LOG = [
    entry(1, 7, 0, 4, 0)._replace(at=1.0),
    entry(2, 8, 0, 1, 0)._replace(at=2.0),
    entry(3, 7, 4, 9, 4)._replace(at=3.0),
    entry(4, 7, 9, 9, 9, Change.SUMMARY)._replace(at=4.0),
    entry(5, 8, 0, 0, 1, Change.REMOVED)._replace(at=5.0),
]


def log(after: int) -> Iterator[LogEntry]:
    return iter([one for one in LOG if one.sequence > after])


def test_a_summary_after_turns_keeps_the_turns() -> None:
    (change, removed) = fold(log(2))
    assert (change.number, change.start, change.stop) == (7, 4, 9)
    assert not change.is_summary_only
    assert removed.change is Change.REMOVED
    assert not removed.is_summary_only
    assert fold(log(3))[0].is_summary_only


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (Position(), True),
        (Position(3, 3.0), True),
        (Position(3, 3.5), False),
        (Position(6, 6.0), False),
        (Position(-1, 0.0), False),
    ],
)
def test_a_position_is_valid_while_the_log_has_its_entry(
    position: Position, expected: bool
) -> None:
    assert holds(log, position) is expected


@given(
    st.integers(0, 6),
    st.integers(1, 7),
    st.none() | st.integers(0, 6),
    st.none() | st.integers(0, 9),
)
def test_windows_cover_every_entry_once(
    after: int, size: int, last: int | None, turns: int | None
) -> None:
    end = len(LOG) if last is None else last
    expected = [one.sequence for one in log(after) if one.sequence <= end]
    seen = 0
    for window in windows(log, after, size=size, last=last, turns=turns):
        entries = expected[seen : seen + window.entries]
        assert 0 < window.entries <= size
        assert window.position.sequence == entries[-1]
        brought = sum(max(0, one.stop - one.start) for one in LOG if one.sequence in entries)
        assert turns is None or brought <= turns or window.entries == 1 or brought == 0
        assert window.changes == fold(one for one in LOG if one.sequence in entries)
        seen += window.entries
    assert seen == len(expected)


def test_too_many_changes_are_not_listed() -> None:
    changes = changes_after(log, 0, most=2)
    assert changes is not None
    assert [change.number for change in changes] == [7, 8]
    assert changes_after(log, 0, most=1) is None
    assert changes_after(log, 5, most=1) == []


def test_lag_counts_entries_conversations_and_turns() -> None:
    assert lag_after(log, 0) == (5, 2, 10)
    assert lag_after(log, 5) == (0, 0, 0)
    assert lag_after(log, 0, most=2) == (1, 1, 4)
