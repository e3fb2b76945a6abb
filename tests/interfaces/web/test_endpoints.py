"""What each endpoint answers; over HTTP they are asked in test_app.py."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dejavu.interfaces.web import endpoints as api
from dejavu.model import Conversation, NotFoundError
from dejavu.sessions import send_input as keys

A, B = "20260101-000000-aaaa", "20260101-000001-bbbb"
_EVERYTHING = dict.fromkeys(["workspace", "instance", "agent", "since", "until"])


def test_sessions_in_the_order_of_attention(session: Callable[..., Path]) -> None:
    session(A, "blocked", name="a")
    session(B, "working")
    session("20260101-000002-cccc", "idle", live=False)
    assert [row["state"] for row in api.list_sessions(all=False)] == ["blocked", "working"]
    assert [row["state"] for row in api.list_sessions(all=True)][-1] == "exited"
    assert api.show_attention()["worst"] == "blocked"
    assert api.show_session("a")["session"] == A
    with pytest.raises(NotFoundError):
        api.show_session("nobody")


def test_only_saying_so_counts_as_seen(session: Callable[..., Path]) -> None:
    session(A, "idle", finished_at=2.0)
    assert api.show_session(A)["state"] == "done"
    assert api.show_session(A)["state"] == "done"
    assert api.see_session(A)["state"] == "idle"


def test_sending_follows_the_rules_of_send(
    session: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: list[bytes] = []
    monkeypatch.setattr(keys, "send", lambda _path, data: typed.append(data))
    monkeypatch.setattr(keys, "_SETTLE", 0.0)
    session(A, "blocked")
    with pytest.raises(keys.InputRefusedError):
        api.send_text(A, "y", enter=True, force=False)
    assert api.send_text(A, "y", enter=False, force=True)["state"] == "blocked"
    assert typed == [b"y"]


def test_the_archive_read_only(archived: list[Conversation]) -> None:
    heads = api.list_conversations(**_EVERYTHING, limit=50, offset=0)
    assert [head["agent"] for head in heads] == ["amp", "claude"]
    assert len(api.list_conversations(**_EVERYTHING, limit=1, offset=1)) == 1
    shown = api.show_conversation("last", provenance=False)
    assert (shown["id"], len(shown["turns"])) == (archived[0].id, 2)
    hits = api.search("tick", **_EVERYTHING, role=None, exact=False, limit=5)["hits"]
    assert hits
    assert {hit["conversation"] for hit in hits} == {archived[1].id}


def test_without_an_archive_there_is_nothing_and_none_is_made(home: Path) -> None:
    assert api.list_conversations(**_EVERYTHING, limit=5, offset=0) == []
    answer = api.search("x", **_EVERYTHING, role=None, exact=False, limit=5)
    assert (answer["hits"], answer["behind"]) == ([], 0)
    assert not (home / ".local/share/dejavu/archive").exists()


def test_names_are_unique() -> None:
    assert len({endpoint.name for endpoint in api.ENDPOINTS}) == len(api.ENDPOINTS)
