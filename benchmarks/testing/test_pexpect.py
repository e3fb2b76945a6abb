"""pexpect runs, pyte draws; golden files and waiting are the test's own affair."""

import os
import sys
import time
from pathlib import Path

import pexpect
import pyte

PYTHON = os.environ.get("TESTING_PYTHON", sys.executable)
GOLDEN = Path("golden-pexpect")


class App:
    def __init__(self, command, args, columns, lines):
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        env = {**os.environ, "TERM": "linux"}
        self.child = pexpect.spawn(command, args, dimensions=(lines, columns), env=env)

    def read(self, seconds):
        try:
            self.stream.feed(self.child.read_nonblocking(65536, timeout=seconds))
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            return False
        return True

    def wait_for(self, text, timeout=30):
        end = time.monotonic() + timeout
        while not any(text in row for row in self.screen.display):
            assert time.monotonic() < end, "\n".join(self.screen.display)
            self.read(0.1)

    def settle(self):
        while self.read(0.2):
            pass

    def golden(self, name):
        self.settle()
        text = "\n".join(row.rstrip() for row in self.screen.display) + "\n"
        path = GOLDEN / f"{name}.txt"
        if os.environ.get("UPDATE"):
            GOLDEN.mkdir(exist_ok=True)
            path.write_text(text)
        assert path.read_text() == text

    def wait_exit(self):
        self.child.expect(pexpect.EOF, timeout=10)
        self.child.close()
        return self.child.exitstatus


def test_vim():
    app = App("vim", ["-u", "NONE", "-N"], 60, 12)
    app.settle()
    app.child.send("ihello\rworld")
    app.child.send("\x1b")
    app.golden("vim")
    app.child.send(":q!\r")
    assert app.wait_exit() == 0


def test_less():
    Path("/tmp/dejavu-lines.txt").write_text("".join(f"line {n}\n" for n in range(100)))
    app = App("less", ["/tmp/dejavu-lines.txt"], 60, 12)
    app.wait_for("line 10")
    app.child.send(" ")
    app.wait_for("line 21")
    app.golden("less")
    app.child.send("q")
    assert app.wait_exit() == 0


def test_top():
    app = App("top", [], 80, 12)
    app.wait_for("load average")
    app.wait_for("PID USER")
    app.child.send("q")
    assert app.wait_exit() == 0


def test_menu():
    app = App(PYTHON, ["menu.py"], 30, 8)
    app.wait_for("Apple")
    app.child.send("\x1b[B\x1b[B")
    app.golden("menu")
    row = next(n for n, text in enumerate(app.screen.display) if "andú" in text)
    assert app.screen.buffer[row][2].reverse
    app.child.send("\r")
    assert app.wait_exit() == 0


def test_counter():
    app = App(PYTHON, ["counter.py"], 50, 12)
    app.wait_for("0 clicks")
    app.child.send("\r")
    app.wait_for("1 clicks")
    app.golden("counter")
    app.child.send("\x11")
    assert app.wait_exit() == 0
