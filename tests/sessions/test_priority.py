from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dejavu.sessions import session_store as sessions
from dejavu.sessions.priority import ATTENTION, by_attention, roll_up


def seen(state: str) -> sessions.SessionView:
    session = sessions.SessionHeader(state, "a", [], "", "", "", 1, 1, 1.0, False)
    done = state == "done"
    status = sessions.Status(state="idle" if done else state, finished_at=2.0 if done else 0.0)
    return sessions.SessionView(Path("x"), session, status, state != "exited")


@given(st.lists(st.sampled_from(ATTENTION), max_size=12))
def test_the_worst_is_the_first_and_nothing_is_lost(states: list[str]) -> None:
    ordered = [one.state for one in by_attention(map(seen, states))]
    assert ordered == sorted(states, key=ATTENTION.index)
    rolled = roll_up(map(seen, states))
    live = [state for state in ordered if state != "exited"]
    assert rolled["worst"] == (live[0] if live else None)
    assert sum(rolled["counts"].values()) == len(live)
    assert rolled["sessions"] == [state for state in live if state == live[0]]


def test_blocked_before_error_before_done_before_working_before_idle() -> None:
    assert ATTENTION[:5] == ("blocked", "error", "done", "working", "idle")


def test_a_state_from_the_future_is_unknown(session: Callable[..., Path]) -> None:
    session("20260101-000000-aaaa", "dreaming")
    session("20260101-000001-aaaa", "idle")
    assert [one.state for one in by_attention(sessions.find_all())] == ["idle", "dreaming"]
