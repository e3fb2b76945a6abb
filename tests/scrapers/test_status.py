import pytest

from dejavu.scrapers import Reading, State, StatusTracker, read
from dejavu.scrapers.packs import default_packs
from dejavu.scrapers.state import TurnEnd
from dejavu.scrapers.status import (
    ANSWERED_IDLE_DEBOUNCE,
    IDLE_DEBOUNCE,
    INFERRED_IDLE_DEBOUNCE,
    TIMED_IDLE_DEBOUNCE,
    UNENDED_IDLE_DEBOUNCE,
)
from dejavu.scrapers.work_cues import turn_end
from dejavu.screen import Snapshot

BOX = ["", "─" * 40, "❯ ", "─" * 40, "  ? for shortcuts"]
IDLE = read("demo", Snapshot.from_rows(["❯ hi", "", "● Hi.", *BOX]))
BUSY = read("demo", Snapshot.from_rows(["❯ hi", "", "✻ Thinking… (3s · esc to interrupt)", *BOX]))
LOST = read("demo", Snapshot.from_rows(["nothing known"]))
ASKS = read(
    "demo",
    Snapshot.from_rows(
        [
            "╭" + "─" * 30 + "╮",
            "│ Do you want to run this?     │",
            "│ ❯ 1. Yes                     │",
            "╰" + "─" * 30 + "╯",
        ]
    ),
)


def states(tracker: StatusTracker) -> list[str]:
    return [str(change.state) for change in tracker.changes]


def test_working_and_blocked_count_at_once():
    tracker = StatusTracker()
    assert tracker.observe(BUSY, 1.0)[0].state is State.WORKING
    assert tracker.observe(ASKS, 1.1)[0].state is State.BLOCKED
    assert tracker.due is None


def test_idle_waits_out_a_flicker():
    tracker = StatusTracker()
    tracker.observe(BUSY, 1.0)
    assert tracker.observe(IDLE, 2.0) == ()
    assert tracker.due is not None
    tracker.observe(BUSY, 2.05)
    assert tracker.tick(3.0) == ()
    tracker.observe(IDLE, 4.0)
    (change,) = tracker.tick(4.5)
    assert (change.state, change.rule) == (State.IDLE, "input")
    assert states(tracker) == ["working", "idle"]


@pytest.mark.parametrize("bare", [True, False])
def test_an_unmarked_end_lasts_longer_only_where_work_may_show_nothing(bare: bool):
    tracker = StatusTracker()
    tracker.bare_stream = bare
    tracker.observe(BUSY, 1.0)
    tracker.observe(IDLE, 2.0, TurnEnd.OPEN)
    assert bool(tracker.tick(2.0 + IDLE_DEBOUNCE)) is not bare
    tracker.tick(2.0 + UNENDED_IDLE_DEBOUNCE)
    assert tracker.state is State.IDLE


def test_an_idle_read_by_rules_older_than_the_agent_has_to_last():
    tracker = StatusTracker()
    tracker.is_pack_old = True
    tracker.observe(BUSY, 1.0)
    tracker.observe(IDLE, 2.0)
    assert tracker.tick(2.0 + IDLE_DEBOUNCE) == ()
    (change,) = tracker.tick(2.0 + INFERRED_IDLE_DEBOUNCE)
    assert change.state is State.IDLE
    assert tracker.observe(ASKS, 4.0)[0].state is State.BLOCKED


def test_unknown_is_said_only_after_patience_and_with_a_reason():
    tracker = StatusTracker()
    tracker.observe(BUSY, 1.0)
    tracker.observe(LOST, 2.0)
    assert tracker.tick(2.5) == ()
    (change,) = tracker.tick(4.0)
    assert change.state is State.UNKNOWN
    assert change.detail


def test_exit_overrules_everything_and_is_final():
    tracker = StatusTracker()
    tracker.observe(BUSY, 1.0)
    (change,) = tracker.exit(3, 2.0)
    assert (change.state, change.detail) == (State.EXITED, "exit status 3")
    assert tracker.observe(BUSY, 3.0) == ()
    assert tracker.state is State.EXITED


def test_a_held_screen_changes_nothing():
    tracker = StatusTracker()
    tracker.observe(BUSY, 1.0)
    viewer = read("claude", Snapshot.from_rows(["Showing detailed transcript · ctrl+o to toggle"]))
    assert viewer.hold
    assert tracker.observe(viewer, 2.0) == ()
    assert tracker.state is State.WORKING


def test_a_fresh_signal_is_believed_over_the_screen_and_then_no_longer():
    tracker = StatusTracker()
    tracker.signal(State.BLOCKED, 1.0, "hook")
    assert tracker.observe(BUSY, 2.0) == ()
    assert tracker.state is State.BLOCKED
    assert tracker.observe(BUSY, 60.0)[0].state is State.WORKING


def test_process_activity_breaks_the_tie_where_the_screen_says_nothing():
    tracker = StatusTracker()
    tracker.process_activity(True, 0.0)
    (change,) = tracker.observe(LOST, 1.0)
    assert (change.state, change.rule) == (State.WORKING, "process")


def test_a_process_that_rests_is_not_at_work_though_it_draws_nothing():
    tracker = StatusTracker()
    tracker.process_activity(True, 0.0)
    tracker.observe(LOST, 1.0)
    assert tracker.process_activity(False, 2.0) == ()
    assert tracker.process_activity(True, 2.5) == ()  # a short rest says nothing
    tracker.process_activity(False, 3.0)
    (change,) = tracker.process_activity(False, 60.0)
    assert (change.state, change.rule) == (State.UNKNOWN, "process")
    tracker.process_activity(True, 61.0)
    (change,) = tracker.process_activity(True, 120.0)
    assert change.state is State.WORKING


def test_work_that_only_the_process_still_shows_ends_with_it():
    """The rules read the work; then they were found stale, and no frame came after the last one."""
    tracker = StatusTracker()
    tracker.observe(BUSY, 0.0)
    tracker.distrust = True
    tracker.process_activity(True, 1.0)
    assert not tracker.asks_process
    assert tracker.observe(IDLE, 1.0) == ()
    assert tracker.state is State.WORKING
    assert tracker.asks_process
    tracker.process_activity(False, 2.0)
    (change,) = tracker.process_activity(False, 60.0)
    assert (change.state, change.rule) == (State.UNKNOWN, "process")


@pytest.mark.parametrize("busy", [True, False])
def test_what_the_screen_says_at_last_ends_what_the_process_said(busy: bool):
    tracker = StatusTracker()
    tracker.process_activity(True, 0.0)
    tracker.observe(LOST, 1.0)
    tracker.observe(IDLE, 2.0)
    assert tracker.process_activity(busy, 2.05) == ()  # it is asked again before idle counts
    (change,) = tracker.tick(2.0 + IDLE_DEBOUNCE)
    assert change.state is State.IDLE


def test_a_state_that_stays_is_said_once():
    tracker = StatusTracker()
    for at in range(5):
        tracker.observe(BUSY, float(at))
    assert states(tracker) == ["working"]


def test_readings_are_what_the_tests_believe():
    expected = {"idle": IDLE, "working": BUSY, "unknown": LOST, "blocked": ASKS}
    for state, reading in expected.items():
        assert isinstance(reading, Reading)
        assert str(reading.state) == state


@pytest.mark.parametrize(
    ("end", "sooner", "later"),
    [
        (TurnEnd.TIMED, TIMED_IDLE_DEBOUNCE, 0.0),
        (TurnEnd.MARKED, IDLE_DEBOUNCE, TIMED_IDLE_DEBOUNCE),
        (TurnEnd.OPEN, UNENDED_IDLE_DEBOUNCE, IDLE_DEBOUNCE),
    ],
)
def test_idle_is_believed_the_sooner_the_surer_the_end_of_the_turn_is(
    end: TurnEnd, sooner: float, later: float
) -> None:
    tracker = StatusTracker()
    tracker.observe(BUSY, 1.0)
    tracker.observe(IDLE, 2.0, end)
    assert tracker.tick(2.0 + later - 0.001 if later else 2.0) == ()
    (change,) = tracker.tick(2.001 + sooner)
    assert change.state is State.IDLE


@pytest.mark.parametrize(
    ("last", "end"),
    [
        ("✻ Brewed for 12s", TurnEnd.TIMED),
        ("✻ Brewed for 1m 4s", TurnEnd.TIMED),
        ("● Done.", TurnEnd.OPEN),
    ],
)
def test_the_mark_of_a_turns_end_may_say_how_long_it_took(last: str, end: TurnEnd) -> None:
    rows = ["❯ hi", "", "● Hi.", "", last, *BOX]
    layout = read("claude", Snapshot.from_rows(rows)).layout
    assert turn_end(default_packs()["claude"], layout) is end


@pytest.mark.parametrize("end", [TurnEnd.OPEN, TurnEnd.MARKED])
def test_idle_behind_an_answered_dialog_lasts_unless_the_turn_is_marked_as_over(
    end: TurnEnd,
) -> None:
    """Some agents draw their input alone between the answer and what comes of it."""
    tracker = StatusTracker()
    tracker.observe(BUSY, 1.0)
    tracker.observe(ASKS, 2.0)
    tracker.observe(IDLE, 3.0, end)
    assert bool(tracker.tick(3.0 + IDLE_DEBOUNCE)) is (end is TurnEnd.MARKED)
    tracker.tick(3.0 + ANSWERED_IDLE_DEBOUNCE)
    assert states(tracker) == ["working", "blocked", "idle"]


def test_a_dialog_before_any_work_is_over_at_once() -> None:
    tracker = StatusTracker()
    tracker.observe(ASKS, 1.0)
    tracker.observe(IDLE, 2.0, TurnEnd.OPEN)
    assert tracker.tick(2.0 + IDLE_DEBOUNCE)
    tracker.observe(ASKS, 4.0)
    tracker.observe(IDLE, 5.0, TurnEnd.OPEN)
    assert tracker.tick(5.0 + IDLE_DEBOUNCE)


def test_an_answered_dialog_whose_work_follows_was_never_idle() -> None:
    tracker = StatusTracker()
    tracker.observe(BUSY, 1.0)
    tracker.observe(ASKS, 2.0)
    tracker.observe(IDLE, 3.0, TurnEnd.OPEN)
    tracker.tick(3.9)
    tracker.observe(BUSY, 3.9)
    assert states(tracker) == ["working", "blocked", "working"]
