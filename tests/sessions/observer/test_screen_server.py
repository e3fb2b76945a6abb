import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import CaptureError, NotFoundError
from dejavu.redact import Redactor
from dejavu.screen import Terminal
from dejavu.sessions.observer.screen_server import ScreenServer, look, picture

_REDACTOR = Redactor(b"k" * 32)
_PIECES = st.sampled_from(
    ["plain words ", "\r\n", "日本語", "\x1b[1;31m", "\x1b[m", "\x1b[48;2;1;2;3m", "\x1b[4:3m",
     "🎉", "\x1b[5;9H", "x" * 70, "\x1b[?1049h", "\x1b[?25l", "\x1b]0;a title\x07", "\x1b[38;5;99m",
     "e\u0301", "\x1b[7m", "\x1b[2J"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=25))
def test_a_drawing_shows_the_same_again(pieces: list[str]) -> None:
    seen = Terminal(40, 10)
    seen.feed("".join(pieces).encode())
    before = seen.snapshot()
    again = Terminal(40, 10)
    again.feed(picture(before, _REDACTOR)["drawing"].encode())
    after = again.snapshot()
    assert after.rows == before.rows
    assert after.styles == before.styles
    assert (after.cursor, after.cursor_visible) == (before.cursor, before.cursor_visible)
    assert (after.title, after.alternate) == (before.title, before.alternate)
    assert after.wrapped == before.wrapped


def test_secrets_are_gone_wherever_they_stand() -> None:
    secret = "sk-ant-api03-" + "Ab1Cd2Ef3Gh4" * 7 + "AA"
    terminal = Terminal(60, 10)
    terminal.feed(f"\x1b]0;{secret}\x07\x1b[31mkey: {secret}\x1b[m\r\nthe end".encode())
    shown = json.dumps(picture(terminal.snapshot(), _REDACTOR))
    assert "Ab1Cd2" not in shown
    assert "[redacted:" in shown
    assert "the end" in shown


@pytest.fixture
def serve(tmp_path: Path) -> Callable[[dict[str, Any]], Any]:
    """`serve(value)` answers one asker with it, and gives what they got."""

    def call(value: dict[str, Any]) -> Any:
        server = ScreenServer(tmp_path, lambda: value)
        assert (tmp_path / "screen").stat().st_mode & 0o777 == 0o600
        worker = threading.Timer(0.1, server.ready)
        worker.start()
        try:
            return look(tmp_path)
        finally:
            worker.join()
            server.close()
            assert not (tmp_path / "screen").exists()

    return call


def test_who_asks_is_told(serve: Callable[[dict[str, Any]], Any]) -> None:
    assert serve({"rows": ["日本"]}) == {"rows": ["日本"]}


def test_what_has_no_screen_says_so(serve: Callable[[dict[str, Any]], Any]) -> None:
    with pytest.raises(CaptureError, match="nothing here"):
        serve({"error": "nothing here"})


def test_nobody_answers(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="shows no screen"):
        look(tmp_path)


def test_one_who_never_reads_holds_nobody_up(tmp_path: Path) -> None:
    from dejavu.capsule.unix_socket import connect

    server = ScreenServer(tmp_path, lambda: {"rows": ["x" * (8 << 20)]})
    with connect(tmp_path / "screen", 5.0):
        server.ready()  # returns, although the picture does not fit
    server.close()
