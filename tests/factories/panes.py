"""A tmux server of our own with puppets in its panes, and a watcher beside it.

A puppet is a program called like an agent: it prints what it is given through a FIFO, and notes
what is typed into it. The server's folder for sockets is a short one: a socket's address is bounded.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.factories.waiting import until

from dejavu.sessions import session_store as sessions

PUPPET = """#!{python}
import os, select, sys, termios, tty
tty.setraw(0)
fifo = os.open(sys.argv[1] + ".in", os.O_RDWR)
typed = open(sys.argv[1] + ".typed", "ab", 0)
while True:
    for fd in select.select([0, fifo], [], [])[0]:
        data = os.read(fd, 65536)
        if fd == 0:
            if not data or data == b"\\x04":
                sys.exit(0)
            typed.write(data)
        elif data:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(1, rest):]
"""


class Panes:
    """Puppets in panes; `tmux` runs a command on their server."""

    def __init__(self, folder: Path, sockets: Path) -> None:
        self.folder, self.sockets = folder, sockets
        self.program = folder / "demo"
        self.program.write_text(PUPPET.format(python=sys.executable))
        self.program.chmod(0o755)
        self._watchers: list[subprocess.Popen[str]] = []
        self._fds: dict[str, int] = {}

    def tmux(self, *words: str, server: str = "default") -> str:
        """What a tmux command prints; the server starts with the first `new-session`."""
        where = ["-S", server] if "/" in server else ["-L", server]
        command = ["tmux", "-u", "-f", "/dev/null", *where, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout.rstrip("\n")

    def puppet(
        self, name: str, *, columns: int = 100, lines: int = 30, server: str = "default"
    ) -> str:
        """Start a puppet in a new session's pane; the pane's id."""
        fifo = self.folder / f"{name}.in"
        if not fifo.exists():
            os.mkfifo(fifo)
        return self.tmux(
            "new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, "-x", str(columns),
            "-y", str(lines), str(self.program), str(self.folder / name), server=server,
        )  # fmt: skip

    def kill_server(self) -> None:
        """End the server, and wait until its process is gone: a new one could still reach it."""
        pid = int(self.tmux("display-message", "-p", "#{pid}"))
        self.tmux("kill-server")
        until(lambda: sessions.process_started(pid) is None)

    def show(self, name: str, data: bytes) -> None:
        """Have a puppet print."""
        fd = self._fds.get(name)
        if fd is None:
            fd = self._fds[name] = os.open(self.folder / f"{name}.in", os.O_RDWR)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]

    def typed(self, name: str) -> bytes:
        """What was typed into a puppet so far."""
        path = self.folder / f"{name}.typed"
        return path.read_bytes() if path.exists() else b""

    def watch(self, *options: str) -> "subprocess.Popen[str]":
        """Start `dejavu panes --watch`, which ends with the test."""
        command = [sys.executable, "-m", "dejavu.interfaces.cli", "panes", "--watch", "--jsonl"]
        if "--only" not in options:
            command += ["--only", "tmux"]
        process = subprocess.Popen(
            [*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self._watchers.append(process)
        return process

    def close(self) -> None:
        for process in self._watchers:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(15)
            if process.stderr is not None:
                process.stderr.close()
        for fd in self._fds.values():
            os.close(fd)
        for socket in [path for path in self.sockets.rglob("*") if path.is_socket()]:
            subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True)


@pytest.fixture
def panes(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Panes]:
    """An empty tmux server's place, and puppets for it."""
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux")
    sockets = Path(tempfile.mkdtemp(prefix="dv-", dir="/tmp"))
    monkeypatch.setenv("TMUX_TMPDIR", str(sockets))
    for name in ("TMUX", "TMUX_PANE", "DEJAVU_SESSION"):
        monkeypatch.delenv(name, raising=False)
    place = Panes(tmp_path, sockets)
    yield place
    place.close()
    shutil.rmtree(sockets, ignore_errors=True)


def live(source: str) -> sessions.SessionView | None:
    """The session that watches a pane."""
    views = sessions.find_all()
    return next((view for view in views if view.live and view.session.source == source), None)


def in_state(source: str, state: str, seconds: float = 90.0) -> sessions.SessionView:
    """The session of a pane once it is in a state."""

    def there() -> sessions.SessionView | None:
        view = live(source)
        return view if view is not None and view.state == state else None

    view: sessions.SessionView = until(there, seconds)
    return view


def dejavu_json(*words: str) -> Any:
    """A command's JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", *words, "--json"],
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def tour(until_event: int) -> bytes:
    """What the demo agent has printed by some event of its golden recording, at 100x30."""
    path = Path(__file__).resolve().parents[2] / "golden/demo/tour/session.cast"
    events = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]
    return "".join(text for _, kind, text in events[:until_event] if kind == "o").encode()


IDLE, WORKING, BLOCKED = 60, 80, 95
"""Events of the recording by which the demo agent is idle, working, and asks a person."""
