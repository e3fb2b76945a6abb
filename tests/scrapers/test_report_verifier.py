"""Reports against screens: what counts as a disagreement, and which side the status takes."""

import pytest
from tests.scrapers.test_status import ASKS, BUSY, IDLE, LOST, states

from dejavu.scrapers import State, StatusTracker
from dejavu.scrapers.reports import Report
from dejavu.scrapers.state import Pending, TurnEnd


def report(state: State, *pending: Pending) -> Report:
    return Report("program-status", state, "", "", pending)


def test_done_while_a_dialog_waits_is_blocked_and_told_after_a_second() -> None:
    tracker = StatusTracker()
    tracker.observe(IDLE, 0.0)
    tracker.report(report(State.IDLE), 0.1)
    tracker.observe(ASKS, 1.0)
    assert tracker.state is State.BLOCKED
    assert tracker.disagreement is None
    assert tracker.due == pytest.approx(2.0)
    tracker.tick(2.0)
    found = tracker.disagreement
    assert found is not None
    assert (found.reported, found.read, found.since, found.followed) == (
        State.IDLE, State.BLOCKED, 1.0, True,
    )  # fmt: skip
    tracker.observe(IDLE, 3.0)
    assert tracker.disagreement is None


def test_an_answered_dialog_that_is_still_drawn_is_not_asked_again() -> None:
    tracker = StatusTracker()
    tracker.observe(ASKS, 0.0)
    tracker.report(report(State.BLOCKED), 0.1)
    tracker.report(report(State.WORKING), 5.0)
    tracker.report(report(State.IDLE), 5.01)
    tracker.observe(ASKS, 5.02)
    tracker.observe(IDLE, 5.06)
    tracker.tick(6.0)
    assert states(tracker) == ["blocked", "working", "idle"]


def test_working_after_the_turns_end_is_marked_is_idle_after_three_seconds() -> None:
    tracker = StatusTracker()
    tracker.report(report(State.WORKING), 0.0)
    tracker.observe(BUSY, 0.1)
    tracker.observe(IDLE, 1.0, TurnEnd.TIMED)
    tracker.tick(2.0)
    assert tracker.state is State.WORKING
    assert tracker.disagreement is not None
    assert not tracker.disagreement.followed
    assert tracker.due == pytest.approx(4.0)
    tracker.tick(4.0)
    assert (tracker.state, tracker.disagreement.followed) == (State.IDLE, True)
    assert tracker.disagreement.since == 1.0
    tracker.report(report(State.IDLE), 5.0)
    assert tracker.disagreement is None
    assert states(tracker) == ["working", "idle"]


def test_without_a_mark_of_its_end_a_turn_goes_on_as_reported() -> None:
    tracker = StatusTracker()
    tracker.report(report(State.WORKING), 0.0)
    tracker.observe(IDLE, 1.0, TurnEnd.OPEN)
    for at in (2.0, 5.0, 60.0):
        tracker.tick(at)
    assert tracker.state is State.WORKING
    assert tracker.disagreement is not None
    assert tracker.due is None


@pytest.mark.parametrize(
    ("said", "reading"),
    [
        (report(State.IDLE), IDLE),
        (report(State.IDLE), LOST),
        (report(State.ERROR), IDLE),
        (report(State.IDLE, Pending("shell", 1)), BUSY),
    ],
)
def test_what_is_no_disagreement(said: Report, reading: object) -> None:
    tracker = StatusTracker()
    tracker.report(said, 0.0)
    tracker.observe(reading, 1.0)  # type: ignore[arg-type]
    tracker.tick(9.0)
    assert tracker.disagreement is None


def test_a_frame_that_differs_for_a_moment_is_none() -> None:
    tracker = StatusTracker()
    tracker.report(report(State.BLOCKED), 0.0)
    tracker.observe(IDLE, 0.1)
    tracker.observe(ASKS, 0.8)
    tracker.tick(5.0)
    assert tracker.disagreement is None
