"""The pytest plugin: `terminal` is its fixture."""

import os
import sys
from pathlib import Path

PYTHON = os.environ.get("TESTING_PYTHON", sys.executable)


def test_vim(terminal):
    app = terminal("vim -u NONE -N", size=(60, 12))
    app.type("ihello\nworld").press("Escape")
    app.assert_golden()
    app.type(":q!\n")
    assert app.wait_exit() == 0


def test_less(terminal):
    Path("/tmp/dejavu-lines.txt").write_text("".join(f"line {n}\n" for n in range(100)))
    app = terminal("less /tmp/dejavu-lines.txt", size=(60, 12))
    app.wait_for("line 10")
    app.press("Space").wait_for("line 21")
    app.assert_golden()
    app.press("q")
    assert app.wait_exit() == 0


def test_top(terminal):
    app = terminal("top", size=(80, 12))
    app.wait_for("load average")
    app.wait_for("PID USER")
    app.press("q")
    assert app.wait_exit() == 0


def test_menu(terminal):
    app = terminal([PYTHON, "menu.py"], size=(30, 8))
    app.wait_for("Apple")
    app.press("Down", "Down")
    app.assert_golden()
    assert app.screen.style(*app.screen.find("Ñandú")).inverse
    app.press("Enter")
    assert app.wait_exit() == 0


def test_counter(terminal):
    app = terminal([PYTHON, "counter.py"], size=(50, 12), timeout=60)
    app.wait_for("0 clicks")
    app.press("Enter").wait_for("1 clicks")
    app.assert_golden()
    app.press("Ctrl+Q")
    assert app.wait_exit() == 0
