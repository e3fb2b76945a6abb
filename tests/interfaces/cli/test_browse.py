import gc
import os
import pty
import subprocess
import sys

import pytest

from dejavu.interfaces.cli.browse import browse, wants_plain
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
    assert "dejavu-capture[tui]" in told
    assert "dejavu --plain" in told
    assert gc.isenabled()


def test_plain_reads_from_a_terminal(archived: list[Conversation]) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "dejavu.interfaces.cli", "--plain"],
        stdin=theirs, stdout=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        os.write(ours, b"2\nq\n")
        told, _ = program.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert "1. " in told
    assert "Turn 1. You" in told
    assert "\x1b" not in told
