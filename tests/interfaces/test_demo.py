"""The demo agent as a process in a real PTY; its turns are checked by the golden case."""

import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from dejavu.interfaces.demo.script import SCRIPT, Say
from dejavu.interfaces.demo.view import View, wrap


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


def _play(*arguments: str, interrupt_after: float | None = None) -> tuple[int, bytes]:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "dejavu.interfaces.demo", *arguments]
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    out, began = b"", time.monotonic()
    while time.monotonic() - began < 60:
        if interrupt_after is not None and time.monotonic() - began > interrupt_after:
            os.write(master, b"\x03")
            interrupt_after = None
        if select.select([master], [], [], 0.2)[0]:
            try:
                data = os.read(master, 65536)
            except OSError:  # EIO: the agent has gone
                break
            out += data
    os.close(master)
    return process.wait(10), out


@pytest.fixture(scope="module")
def played() -> tuple[int, bytes]:
    return _play("--speed", "20")


def test_it_plays_to_the_end_and_gives_the_screen_back(played: tuple[int, bytes]) -> None:
    code, out = played
    assert code == 0
    assert out.endswith(b"\x1b[?25h\x1b[?1049l")


def test_everything_scripted_is_drawn(played: tuple[int, bytes]) -> None:
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", played[1].decode())
    for exchange in SCRIPT:
        assert exchange.prompt in text
        for step in exchange.reply:
            words = step.text.split() if isinstance(step, Say) else step.command.split()
            assert all(word in text for word in words)
    assert "Do you want to run this command?" in text


def test_ctrl_c_ends_it() -> None:
    code, out = _play("--speed", "0.5", interrupt_after=1.5)
    assert code == 130
    assert out.endswith(b"\x1b[?1049l")


def test_without_a_terminal_it_says_what_to_do() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.demo"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert "--headless" in done.stderr
