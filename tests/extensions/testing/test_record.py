"""`dejavu golden record` in a terminal of the plugin's own, and the test it writes run by pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.extensions.testing import TerminalFixture

COMMAND = [sys.executable, "-m", "dejavu.interfaces.cli", "golden", "record"]
FORM = """\
import os, time, tty
print("Name:", end=" ", flush=True)
print("\\x1b[?2004h", end="", flush=True)
name = input()
print(f"Hello, {name}, after {os.getpid() % 7 + time.time_ns() % 1000}ms in {os.environ['HOME']}")
input()
"""


def _pytest(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        capture_output=True, text=True, cwd=folder, env=environment, timeout=120,
    )  # fmt: skip


def test_a_session_becomes_a_test(terminal: TerminalFixture, tmp_path: Path) -> None:
    (tmp_path / "form.py").write_text(FORM)
    program = [sys.executable, str(tmp_path / "form.py")]
    app = terminal([*COMMAND, "--into", tmp_path, "--name", "form", "--", *program], timeout=60)
    app.wait_for("Name:")
    app.type("Ada").wait_for("Ada")
    app.press("Enter").wait_for("Hello")
    app.press("Ctrl+]")
    app.wait_idle()
    app.press("Enter")
    app.wait_for("it looked the same")
    assert app.wait_exit() == 0
    source = (tmp_path / "test_form.py").read_text()
    assert "masks=[TIME]" in source
    steps = [line.strip() for line in source.splitlines() if "app." in line and "idle" not in line]
    assert steps == [
        'app.wait_for("Name:")',
        'app.type("Ada")',
        'app.press("Enter")',
        'app.assert_golden("form")',
        'app.press("Enter")',
        "assert app.wait_exit() == 0",
    ]
    screen = (tmp_path / "golden" / "form" / "form" / "screen.txt").read_text()
    assert "Hello, Ada, after ‹time› in ‹home›" in screen
    done = _pytest(tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_password_is_not_recorded(terminal: TerminalFixture, tmp_path: Path) -> None:
    program = [
        sys.executable,
        "-c",
        "import getpass; getpass.getpass('Pass' + 'word: '); print(input('Wh' + 'o? '))",
    ]
    app = terminal([*COMMAND, "--into", tmp_path, "--name", "login", "--", *program], timeout=60)
    app.wait_for("Password:")  # no prompt stands in the command line, which is drawn, too
    app.type("hunter2-hunter2")
    app.press("Enter").wait_for("Who?")
    app.type("Ada").press("Enter")
    app.wait_for("without echo")
    assert app.wait_exit() == 1
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "hunter2" not in written
    source = (tmp_path / "test_login.py").read_text()
    assert source.count('app.type("[not recorded]")') == 1
    assert 'app.type("Ada")' in source


def test_what_cannot_be_recorded(terminal: TerminalFixture, tmp_path: Path) -> None:
    def exit_of(*arguments: str, **env: str) -> tuple[int, str]:
        app = terminal([*COMMAND, "--into", tmp_path, *arguments], timeout=60, env=env)
        return app.wait_exit(), app.screen.unwrapped

    assert exit_of("--name", "x", "--", "true", CI="1") == (
        2,
        "dejavu: golden screens are never written under CI",
    )
    assert exit_of("--name", "../x", "--", "true")[0] == 2
    assert exit_of("--", "no-such-program")[0] == 1
    (tmp_path / "test_true.py").write_text("")
    code, text = exit_of("--", "true")
    assert code == 1
    assert "--overwrite" in text
    assert (tmp_path / "test_true.py").read_text() == ""


def test_without_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    done = subprocess.run(
        [*COMMAND, "--", "true"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
