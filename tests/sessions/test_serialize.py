import json
from collections.abc import Callable
from pathlib import Path

from dejavu.sessions import session_store as sessions
from dejavu.sessions.serialize import session_to_dict


def test_the_shape_of_the_contract(session: Callable[..., Path]) -> None:
    session("20260101-000000-aaaa", "idle", finished_at=2.0, rule="box", notes=("n",))
    shown = session_to_dict(sessions.find("2026"))
    assert json.loads(json.dumps(shown)) == shown
    assert {name: shown[name] for name in ("session", "agent", "state", "rule", "live")} == {
        "session": "20260101-000000-aaaa", "agent": "amp", "state": "done", "rule": "box",
        "live": True,
    }  # fmt: skip
    assert shown["since"] == shown["finished_at"]
    assert shown["since"].startswith("1970-01-01T00:00:02")
    assert shown["notes"] == ["n"]


def test_a_rule_says_nothing_of_a_session_that_is_over(session: Callable[..., Path]) -> None:
    session("20260101-000000-aaaa", "working", live=False, rule="spinner")
    shown = session_to_dict(sessions.find("2026"))
    assert (shown["state"], shown["rule"], shown["finished_at"]) == (
        "exited",
        None,
        "1970-01-01T00:00:02.000Z",
    )


def test_what_is_asked_is_told_while_it_is_asked(session: Callable[..., Path]) -> None:
    asked = {"kind": "permission", "question": "Run?", "choices": ["Yes", "No"]}
    behind = {"kind": "shell", "count": 1}
    session("20260101-000000-aaaa", "blocked", blocked=asked, pending=(behind,))
    shown = session_to_dict(sessions.find("2026"))
    assert (shown["blocked"], shown["pending"]) == (asked, [{**behind, "names": []}])
    session("20260102-000000-aaaa", "working", blocked=asked, live=False)
    shown = session_to_dict(sessions.find("20260102"))
    assert (shown["blocked"], shown["pending"]) == (None, [])


def test_what_runs_behind_is_named_by_its_calls_where_the_screen_only_counts_it(
    session: Callable[..., Path],
) -> None:
    behind = ({"kind": "shell", "count": 2}, {"kind": "agent", "count": 1, "names": ["Explore"]})
    calls = {"shell": ["old", "npm run dev", "make watch"], "agent": ["other"]}
    session("20260101-000000-aaaa", "idle", pending=behind, facts={"background": calls})
    assert session_to_dict(sessions.find("2026"))["pending"] == [
        {"kind": "shell", "count": 2, "names": ["npm run dev", "make watch"]},
        {"kind": "agent", "count": 1, "names": ["Explore"]},
    ]
