from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import CaptureError, InvalidValueError, NotFoundError
from dejavu.sessions import send_input as module
from dejavu.sessions import session_store as sessions
from dejavu.sessions.send_input import InputRefusedError, pasted, type_into

A = "20260101-000000-aaaa"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What would have gone into the agent; the socket itself is tested in tests/capsule."""
    keys: list[bytes] = []
    monkeypatch.setattr(module, "send", lambda _path, data: keys.append(data))
    monkeypatch.setattr(module, "SETTLE", 0.0)
    return keys


def test_text_then_enter(session: Callable[..., Path], typed: list[bytes]) -> None:
    session(A, "idle")
    type_into(sessions.find(A), "fix it")
    assert typed == [b"fix it", b"\r"]


def test_a_paste_where_the_agent_wants_pastes(
    session: Callable[..., Path], typed: list[bytes]
) -> None:
    session(A, "idle", bracketed_paste=True)
    type_into(sessions.find(A), "one\ntwo", enter=False)
    assert typed == [b"\x1b[200~one\rtwo\x1b[201~"]


def test_a_dialog_gets_keys_and_only_by_force(
    session: Callable[..., Path], typed: list[bytes]
) -> None:
    session(A, "blocked", bracketed_paste=True)
    with pytest.raises(InputRefusedError, match="--force"):
        type_into(sessions.find(A), "y")
    assert typed == []
    type_into(sessions.find(A), "y", force=True)
    assert typed == [b"y", b"\r"]


def test_an_empty_text_is_enter_alone(session: Callable[..., Path], typed: list[bytes]) -> None:
    session(A, "blocked")
    type_into(sessions.find(A), "", force=True)
    assert typed == [b"\r"]


def test_a_dialog_that_opens_meanwhile_gets_no_enter(
    session: Callable[..., Path], typed: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = session(A, "working")
    before = sessions.find(A)

    def send(_path: Path, data: bytes) -> None:
        typed.append(data)
        sessions.set_status(folder, sessions.Status(state="blocked"))

    monkeypatch.setattr(module, "send", send)
    with pytest.raises(InputRefusedError, match="not entered"):
        type_into(before, "go on")
    assert typed == [b"go on"]


def test_typing_counts_as_seen_and_enter_as_sent(
    session: Callable[..., Path], typed: list[bytes]
) -> None:
    session(A, "idle", finished_at=5.0)
    type_into(sessions.find(A), "x", enter=False)
    seen = sessions.find(A)
    assert (seen.state, seen.sent_at) == ("idle", 0.0)
    type_into(seen, "")
    assert sessions.find(A).sent_at > 0


def test_ended_or_deaf_sessions_are_not_found(session: Callable[..., Path]) -> None:
    session(A, "idle", live=False)
    with pytest.raises(NotFoundError, match="ended"):
        type_into(sessions.find(A), "x")
    session("20260102-000000-aaaa", "idle")  # no socket in its folder
    with pytest.raises(NotFoundError, match="no input"):
        type_into(sessions.find("20260102"), "x")


@given(st.text(st.characters(), max_size=60), st.booleans())
def test_no_text_can_leave_the_paste(text: str, bracketed: bool) -> None:
    if any((ord(c) < 32 or 127 <= ord(c) < 160) and c not in "\r\n\t" for c in text):
        with pytest.raises(InvalidValueError, match=r"U\+"):
            pasted(text, bracketed=bracketed)
        return
    keys = pasted(text, bracketed=bracketed)
    body = keys.removeprefix(b"\x1b[200~").removesuffix(b"\x1b[201~") if bracketed else keys
    assert b"\x1b" not in body
    assert not any(byte < 32 and byte not in b"\r\t" for byte in body)


def test_what_looks_like_choices_is_not_typed_into(
    session: Callable[..., Path], typed: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    session(A, "unknown", updated_at=1.0)
    rows = ["Run it?", " ❯ 1. Yes", "   2. No"]
    monkeypatch.setattr(module, "look", lambda _folder: {"rows": rows})
    with pytest.raises(InputRefusedError, match="seems to ask"):
        type_into(sessions.find(A), "hello")
    rows[:] = ["Overwrite? [y/N]", ""]
    with pytest.raises(InputRefusedError, match="seems to ask"):
        type_into(sessions.find(A), "hello")
    rows[:] = ["1. one", "2. two", "$ "]
    type_into(sessions.find(A), "hello")
    assert typed == [b"hello", b"\r"]


def test_a_session_that_hangs_is_named_and_what_was_sent_is_told(
    session: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object) -> None:
        raise TimeoutError("timed out")

    session(A, "idle")
    monkeypatch.setattr(module, "send", late)
    with pytest.raises(CaptureError, match="may arrive still"):
        type_into(sessions.find(A), "x")
