from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.cli.test_status import start
from tests.surfaces.conftest import Result

from dejavu.surfaces.cli import send as module


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What would have gone into the agent; the socket itself is tested in tests/capsule."""
    keys: list[bytes] = []
    monkeypatch.setattr(module, "send", lambda _path, data: keys.append(data))
    monkeypatch.setattr(module, "_SETTLE", 0.0)
    return keys


def test_text_then_enter(dejavu: Callable[..., Result], home: Path, typed: list[bytes]) -> None:
    start("20260101-000000-aaaa", "idle")
    assert dejavu("send", "2026", "fix", "it").code == 0
    assert typed == [b"fix it", b"\r"]


def test_a_paste_where_the_agent_wants_pastes(
    dejavu: Callable[..., Result], home: Path, typed: list[bytes]
) -> None:
    start("20260101-000000-aaaa", "idle", bracketed_paste=True)
    assert dejavu("send", "2026", "--no-enter", "one\ntwo").code == 0
    assert typed == [b"\x1b[200~one\rtwo\x1b[201~"]


def test_refused_while_it_asks_something(
    dejavu: Callable[..., Result], home: Path, typed: list[bytes]
) -> None:
    start("20260101-000000-aaaa", "blocked")
    refused = dejavu("send", "2026", "y")
    assert (refused.code, typed) == (1, [])
    assert "--force" in refused.err
    assert dejavu("send", "2026", "y", "--force").code == 0
    assert typed == [b"y", b"\r"]


def test_ended_or_deaf_sessions_are_not_found(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "idle", live=False)
    assert dejavu("send", "2026", "x").code == 3
    start("20260102-000000-aaaa", "idle")  # no socket in its folder
    assert dejavu("send", "20260102", "x").code == 3


@given(st.text(st.characters(), max_size=60), st.booleans())
def test_no_text_can_leave_the_paste(text: str, bracketed: bool) -> None:
    keys = module.pasted(text, bracketed=bracketed)
    body = keys.removeprefix(b"\x1b[200~").removesuffix(b"\x1b[201~") if bracketed else keys
    assert b"\x1b" not in body
    assert not any(byte < 32 and byte not in b"\r\t" for byte in body)
