"""tmux as a terminal to compare with: a private server, one pane, our bytes as its program.

The server has its own socket, a throw-away HOME and no configuration but ours; it is ended by its
process id. The pane runs `cat` on a pipe of ours. Each reading first sets a title that nothing else
sets and waits until tmux shows it: then everything before it has been read. One `tmux` process a
reading.
"""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from dejavu.model import CaptureError

_PATIENCE = 20.0  # seconds until tmux must have started, or read what it was sent
_CONFIGURATION = """\
set -g status off
set -g history-limit 10000
set -g escape-time 0
set -g automatic-rename off
"""


class Tmux:
    """A pane of `columns` by `lines`."""

    name = "tmux"

    def __init__(self, columns: int, lines: int) -> None:
        if not shutil.which("tmux"):
            raise CaptureError("tmux is not installed; on Debian and Ubuntu: apt install tmux")
        self._readings = 0
        self._pid = 0
        self._pipe = -1
        self._home = Path(tempfile.mkdtemp(prefix="dejavu-tmux-"))
        try:
            self._start(columns, lines)
        except BaseException:
            self.close()
            raise

    def _start(self, columns: int, lines: int) -> None:
        pipe = self._home / "pipe"
        os.mkfifo(pipe, 0o600)
        (self._home / "tmux.conf").write_text(_CONFIGURATION)
        program = f"stty raw -echo && exec cat {shlex.quote(str(pipe))}"
        size = ("-x", str(columns), "-y", str(lines))
        pid = self._tmux(
            *("new-session", "-d", "-s", "main", *size, program, ";", "display-message", "-p"),
            "#{pid}",
        )
        self._pid = int(pid)
        until = time.monotonic() + _PATIENCE
        while self._pipe < 0:
            try:  # fails until the pane's `cat` has opened the other end
                self._pipe = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                if time.monotonic() > until:
                    raise CaptureError("tmux did not start its pane in time") from None
                time.sleep(0.02)
        os.set_blocking(self._pipe, True)

    def _tmux(self, *arguments: str) -> str:
        """What a tmux command prints."""
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._home),
            "SHELL": "/bin/sh",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
        }
        base = ["tmux", "-u", "-S", str(self._home / "socket"), "-f", str(self._home / "tmux.conf")]
        done = subprocess.run(
            [*base, *arguments], env=environment, capture_output=True, timeout=_PATIENCE
        )
        if done.returncode:
            message = done.stderr.decode("utf-8", "replace").strip()
            raise CaptureError(f"tmux {arguments[0]} failed: {message}")
        return done.stdout.decode("utf-8", "replace")

    def feed(self, data: bytes) -> None:
        """Bytes for the pane; no sequence may be cut at their end (see `read`)."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._pipe, rest) :]

    def resize(self, columns: int, lines: int) -> None:
        """Another size, once everything before it has been read."""
        self.read()
        self._tmux("resize-window", "-t", "main", "-x", str(columns), "-y", str(lines))

    def read(self) -> tuple[list[str], tuple[int, int]]:
        """The rows without trailing blanks, and the cursor's row and column."""
        self._readings += 1
        title = f"dejavu {self._readings}"
        self.feed(f"\x1b]2;{title}\x1b\\".encode())
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            shown = self._tmux(
                *("display-message", "-p", "-t", "main", "#{cursor_y} #{cursor_x} #{pane_title}"),
                *(";", "capture-pane", "-p", "-t", "main"),
            )
            head, _, body = shown.partition("\n")
            row, column, named = head.split(" ", 2)
            if named == title:
                return [line.rstrip() for line in body.splitlines()], (int(row), int(column))
            time.sleep(0.002)
        raise CaptureError("tmux did not read what it was sent in time")

    def close(self) -> None:
        """End the server and remove its folder."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        if self._pid:
            _end(self._pid)
            self._pid = 0
        shutil.rmtree(self._home, ignore_errors=True)


def _end(pid: int) -> None:
    """Ask a process to go, and make it go when it does not."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(pid, number)
            for _ in range(100):
                time.sleep(0.02)
                os.kill(pid, 0)
        except ProcessLookupError:
            return
