"""The reader's pager."""

import os
import signal
import sys
from pathlib import Path

import pytest

from dejavu.extensions.testing import TerminalFixture
from dejavu.interfaces.pager import page


def test_the_pager_gets_every_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", f"dd 'of={tmp_path}/read' status=none")
    page(f"line {number} \udcff" for number in range(10_000))
    text = (tmp_path / "read").read_text()
    assert text.splitlines() == [f"line {number} ?" for number in range(10_000)]


def test_a_reader_may_leave_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "true")
    page("x" * 1000 for _ in range(1000))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_pager_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "/nowhere/pager")
    with pytest.raises(OSError, match="pager"):
        page(["x"])


def test_an_interrupt_is_the_pagers(terminal: TerminalFixture, tmp_path: Path) -> None:
    program = "import sys; from dejavu.interfaces.pager import page; page('abc'); print('went on')"
    pager = tmp_path / "pager"
    pager.write_text(
        "#!/bin/sh\ntrap 'echo stopped; exit' INT\necho ready\nwhile :; do sleep .1; done\n"
    )
    pager.chmod(0o700)
    app = terminal([sys.executable, "-c", program], env={"PAGER": os.fspath(pager)})
    app.wait_for("ready")
    app.press("Ctrl+c").wait_for("stopped")
    app.wait_for("went on")
    assert app.wait_exit() == 0
