"""Detached sessions and coming back to them, in real terminals; the screens are compared."""

import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ptyprocess.ptyprocess import PtyProcess
from tests.factories.waiting import until

from dejavu.model import NotFoundError
from dejavu.screen import Terminal
from dejavu.sessions import session_store as sessions
from dejavu.sessions.attach import attach
from dejavu.sessions.session_store import SessionView
from dejavu.sessions.stop_session import stop

CLI = [sys.executable, "-m", "dejavu.interfaces.cli"]

# A full-screen program: modes that a later terminal must get, its size, what was typed.
DRAWS = r"""
import os, select, signal, sys, tty
tty.setraw(0)
typed = b""
def draw(*_):
    size = os.get_terminal_size(0)
    os.write(1, b"\x1b[H\x1b[2J" + f"{size.columns}x{size.lines}\r\n{typed!r}".encode())
signal.signal(signal.SIGWINCH, draw)
os.write(1, b"\x1b[?1049h\x1b[?2004h\x1b[?25l")
draw()
while True:
    key = os.read(0, 65536)
    if key == b"q":
        os.write(1, b"\x1b[?1049l\x1b[?2004l\x1b[?25hbye\r\n")
        sys.exit(5)
    if key == b"f":
        for n in range(40000):
            os.write(1, b"%d flood of many words\r\n" % n)
    typed = key[-30:]
    draw()
"""


def detached(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CLI, "run", "--detach", *words], capture_output=True, text=True, timeout=60
    )


class Window:
    """A terminal with `dejavu attach` in it, as a person would see it."""

    def __init__(self, name: str, columns: int = 80, lines: int = 24) -> None:
        untyped: Any = PtyProcess
        self.process = untyped.spawn([*CLI, "attach", name], dimensions=(lines, columns))
        self.terminal = Terminal(columns, lines)
        os.set_blocking(self.process.fd, False)

    def read(self) -> str:
        """The screen, with what came meanwhile."""
        try:
            while data := os.read(self.process.fd, 65536):
                self.terminal.feed(data)
        except OSError:
            pass
        return "\n".join(row.rstrip() for row in self.terminal.snapshot().rows)

    def shows(self, *texts: str) -> None:
        until(lambda: all(text in self.read() for text in texts))

    def leave(self) -> int:
        os.write(self.process.fd, b"\x1c")
        until(lambda: self.read() is not None and not self.process.isalive())
        return int(self.process.exitstatus)


@pytest.fixture
def program(home: Path, tmp_path: Path) -> Iterator[Callable[..., SessionView]]:
    """Starts the drawing program detached."""
    started: list[SessionView] = []

    def start(*words: str) -> SessionView:
        path = tmp_path / "draws"
        path.write_text(f"#!{sys.executable}\n{DRAWS}")
        path.chmod(0o755)
        done = detached("--name", "it", *words, "--", str(path))
        assert done.returncode == 0, done.stderr
        view = sessions.find(done.stdout.split()[0])
        until(lambda: (view.folder / "screen").exists())
        started.append(view)
        return view

    yield start
    for view in started:
        if sessions.with_liveness(view).live:
            stop(view)


def test_a_detached_session_outlives_its_shell_and_is_shown_again(
    program: Callable[..., SessionView],
) -> None:
    view = program("--size", "60x12")
    assert view.live
    assert view.session.name == "it"
    window = Window("it", 70, 15)
    window.shows("70x15")  # the agent's window became this one
    os.write(window.process.fd, b"hello")
    window.shows("b'hello'")
    snapshot = window.terminal.snapshot()
    assert snapshot.alternate
    assert not snapshot.cursor_visible
    assert window.terminal.private_mode(2004)  # set before we came
    assert window.leave() == 0
    assert "runs on" in window.read()
    assert not window.terminal.snapshot().alternate
    assert not window.terminal.private_mode(2004)
    assert sessions.with_liveness(view).live


def test_a_second_window_sees_what_stands_there_without_another_drawing(
    program: Callable[..., SessionView],
) -> None:
    program("--size", "80x24")
    first = Window("it")
    first.shows("80x24")
    os.write(first.process.fd, "grüße 漢字".encode())
    first.shows("b'gr")
    second = Window("it")
    second.shows("80x24", "b'gr")
    assert first.read() == second.read()
    assert first.leave() == second.leave() == 0


def test_an_agent_that_ends_ends_the_window_with_its_exit_code(
    program: Callable[..., SessionView],
) -> None:
    view = program()
    window = Window("it")
    window.shows("80x24")
    os.write(window.process.fd, b"q")
    until(lambda: window.read() is not None and not window.process.isalive())
    assert window.process.exitstatus == 5
    assert "bye" in window.read()
    until(lambda: not sessions.with_liveness(view).live)
    with pytest.raises(NotFoundError, match="has ended"):
        attach(sessions.find("it"))


def test_a_window_that_stands_still_never_holds_the_agent(
    program: Callable[..., SessionView],
) -> None:
    view = program()
    window = Window("it")
    window.shows("80x24")
    os.kill(window.process.pid, signal.SIGSTOP)
    from dejavu.capsule.control import send

    send(view.folder / "control", b"f")
    until(lambda: view.folder.joinpath("control").exists())
    time.sleep(0.3)
    send(view.folder / "control", b"after the flood")
    other = Window("it")
    other.shows("after the flood")
    os.kill(window.process.pid, signal.SIGCONT)
    window.shows("after the flood")
    assert window.leave() == other.leave() == 0


def test_ctrl_backslash_inside_a_paste_is_the_agents(program: Callable[..., SessionView]) -> None:
    program()
    window = Window("it")
    window.shows("80x24")
    os.write(window.process.fd, b"\x1b[200~a\x1cb\x1b[201~")
    window.shows("x1cb")
    os.write(window.process.fd, b"\x1b[92;5u")  # as kitty's protocol writes the key
    until(lambda: window.read() is not None and not window.process.isalive())
    assert window.process.exitstatus == 0


def test_the_modes_of_this_terminal_come_back(program: Callable[..., SessionView]) -> None:
    program()
    window = Window("it")
    window.shows("80x24")
    fd = window.process.fd
    assert not termios.tcgetattr(fd)[3] & termios.ICANON
    window.leave()
    assert termios.tcgetattr(fd)[3] & termios.ICANON


def test_what_can_not_start_is_said_and_leaves_nothing(home: Path) -> None:
    done = detached("no-such-agent-here")
    assert (done.returncode, done.stdout) == (127, "")
    assert "no-such-agent-here" in done.stderr
    assert not any(view.live for view in sessions.find_all())


def test_without_a_terminal_there_is_nothing_to_attach_to(
    program: Callable[..., SessionView],
) -> None:
    program()
    done = subprocess.run(
        [*CLI, "attach", "it"], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "needs a terminal" in done.stderr


def test_the_background_has_no_descriptor_of_ours(home: Path) -> None:
    # A descriptor kept open would keep this waiting.
    done = detached("--name", "sleeps", "--", "sleep", "60")
    assert done.returncode == 0
    view = sessions.find("sleeps")
    stop(view)
    assert not sessions.with_liveness(view).live
