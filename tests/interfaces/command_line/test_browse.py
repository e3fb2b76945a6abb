import gc
import os
import sys

import pytest

from dejavu.config.extras import extra_hint
from dejavu.extensions.testing import Program, TerminalFixture
from dejavu.interfaces.command_line.browse import browse, wants_plain
from dejavu.model import Conversation


@pytest.mark.parametrize(
    ("variables", "plain"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, True),
        ({"TERM": "xterm", "DEJAVU_PLAIN": "1"}, True),
        ({}, True),
    ],
)
def test_when_lines_are_wanted(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], plain: bool
) -> None:
    for name in ("TERM", "NO_COLOR", "DEJAVU_PLAIN"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_plain() is plain


def test_without_the_library_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("DEJAVU_PLAIN", raising=False)
    for name in [n for n in sys.modules if n.partition(".")[0] == "textual"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "dejavu.interfaces.tui.app", raising=False)
    monkeypatch.setitem(sys.modules, "textual", None)
    assert browse() == 2
    told = capsys.readouterr().err
    assert extra_hint("tui") in told
    assert "dejavu --plain" in told
    assert gc.isenabled()


def _browser(terminal: TerminalFixture, *options: str) -> Program:
    command = [sys.executable, "-m", "dejavu.interfaces.cli", *options]
    return terminal(command, size=(100, 30), env={"HOME": os.environ["HOME"]}, timeout=60)


def test_plain_reads_from_a_terminal(
    terminal: TerminalFixture, archived: list[Conversation]
) -> None:
    app = _browser(terminal, "--plain")
    app.wait_for("1. ")
    app.type("2\n").wait_for("Turn 1. You")
    assert not any(app.screen.snapshot.styles)
    app.type("q\n")
    assert app.wait_exit() == 0


def test_the_browser_in_a_terminal(terminal: TerminalFixture, archived: list[Conversation]) -> None:
    pytest.importorskip("textual", reason="the browser needs the extra `tui` (Textual)")
    app = _browser(terminal)
    app.wait_for("Why does retry_budget")
    app.press("Down", "Enter").wait_for("never")
    app.resize(60, 20).wait_for("q Quit")
    app.press("q")
    assert app.wait_exit() == 0
    assert not app.screen.alternate
    assert app.screen.cursor_visible
