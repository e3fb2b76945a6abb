"""The demo agent as a process in a real PTY; its turns are checked by the golden case."""

import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from dejavu.archive.access import open_archive
from dejavu.extensions.testing import TerminalFixture
from dejavu.interfaces.demo.script import SCRIPT, Command, Say
from dejavu.interfaces.demo.view import View, wrap

DEMO = [sys.executable, "-m", "dejavu.interfaces.demo"]


@given(st.text(st.sampled_from("ab 字é-\n"), max_size=80), st.integers(10, 40))
def test_wrapped_rows_fit_and_lose_nothing(text: str, columns: int) -> None:
    rows = list(wrap(text, columns, "● ", "  "))
    assert all(0 <= wcswidth(row) <= columns for row in rows)
    assert "".join("".join(rows).split()).replace("●", "") == "".join(text.split())


def test_rows_fill_the_screen_exactly() -> None:
    view = View(60, 20, transcript=["x"] * 50, status="✻ …")
    assert len(view.rows()) == 20
    view.dialog = ["Do you want?"]
    assert len(view.rows()) == 20


def test_everything_scripted_is_drawn_and_the_screen_given_back(terminal: TerminalFixture) -> None:
    app = terminal([*DEMO, "--speed", "20"], size=(120, 70), timeout=60)
    for exchange in SCRIPT:
        app.wait_for(exchange.prompt)
        for step in exchange.reply:
            if isinstance(step, Command):
                app.wait_for("Do you want to run this command?")
            words = step.text.split() if isinstance(step, Say) else step.command.split()
            app.wait_for(lambda screen, words=words: all(word in screen for word in words))
    assert app.wait_exit() == 0
    assert not app.screen.alternate
    assert app.screen.cursor_visible


def test_ctrl_c_ends_it(terminal: TerminalFixture) -> None:
    app = terminal([*DEMO, "--speed", "0.5"])
    app.wait_for("esc to interrupt")
    assert app.press("Ctrl+C").wait_exit() == 130
    assert not app.screen.alternate


def test_without_a_terminal_it_says_what_to_do() -> None:
    done = subprocess.run(
        DEMO,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert "--headless" in done.stderr


def test_the_demo_is_kept_without_an_option(home: Path) -> None:
    wrapper = [str(Path(sys.executable).with_name("dejavu-run")), "--headless"]
    done = subprocess.run(
        [*wrapper, "demo", "--speed", "20"], capture_output=True, text=True, timeout=90, check=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "nothing was kept" not in done.stderr
    with open_archive() as archive:
        [summary] = archive.scan()
    assert (summary.agent, summary.turn_count > 4) == ("demo", True)
