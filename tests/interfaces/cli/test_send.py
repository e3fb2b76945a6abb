"""The command; what it types is tested in tests/sessions/test_send_input.py."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.sessions import start

from dejavu.sessions import send_input as keys


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What would have gone into the agent; the socket itself is tested in tests/capsule."""
    said: list[bytes] = []
    monkeypatch.setattr(keys, "send", lambda _path, data: said.append(data))
    monkeypatch.setattr(keys, "_SETTLE", 0.0)
    return said


def test_words_then_enter(dejavu: Callable[..., Result], home: Path, typed: list[bytes]) -> None:
    start("20260101-000000-aaaa", "idle")
    assert dejavu("send", "2026", "fix", "it").code == 0
    assert typed == [b"fix it", b"\r"]


def test_a_text_from_stdin(
    dejavu: Callable[..., Result], home: Path, typed: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    start("20260101-000000-aaaa", "idle", bracketed_paste=True)
    monkeypatch.setattr("sys.stdin", io.StringIO("one\ntwo"))
    assert dejavu("send", "2026", "--no-enter", "-").code == 0
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


def test_ended_sessions_are_not_found(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "idle", live=False)
    assert dejavu("send", "2026", "x").code == 3
