"""What a terminal multiplexer offers: its panes, what they show, and keys typed into one.

One multiplexer is one module that implements `Multiplexer`; `registry` lists them. Every call runs
programs of the multiplexer's own, bounded by `TIMEOUT`, and is made away from the watcher's loop.

Tested in: tests/extensions/panes/test_other_multiplexers.py
"""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from dejavu.model import CaptureError

TIMEOUT = 3.0
"""Seconds that a multiplexer may take to answer."""

MOST_OUTPUT = 16 << 20
"""Bytes of an answer; one pane's screen with its scrollback is a few hundred thousand."""


class Pane(NamedTuple):
    """One pane.

    `server` is the multiplexer's instance as its own commands name it (a socket, a session), `id`
    the pane's name in it. `pid` is the first process in the pane, 0 where only the terminal `tty`
    is given. `group` is what a stream is opened for (tmux's session).
    """

    multiplexer: str
    server: str
    id: str
    pid: int
    tty: str
    columns: int
    lines: int
    title: str
    workspace: str
    command: str
    group: str = ""
    label: str = ""
    """The server's name in `source`, empty for the usual one."""

    @property
    def source(self) -> str:
        """The pane's name for people and in JSON: `tmux:%7`, `tmux:work:%7` on another server."""
        return ":".join(filter(None, (self.multiplexer, self.label, self.id)))

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells panes of all multiplexers apart."""
        return self.multiplexer, self.server, self.id


class Frame(NamedTuple):
    """What a pane shows at one moment: rows with their SGR sequences, or without any styles.

    `cursor` is row and column from 0, None where it is not told; `history` are lines above, told
    once at the most. `application_cursor` is DECCKM.
    """

    columns: int
    lines: int
    rows: tuple[str, ...]
    styled: bool
    cursor: tuple[int, int] | None = None
    alternate: bool = False
    title: str = ""
    history: tuple[str, ...] = ()
    cursor_visible: bool = True
    application_cursor: bool = False


class Multiplexer(Protocol):
    """One kind of multiplexer."""

    name: str

    def servers(self) -> list[str]:
        """Return this user's servers (or sessions) that run. Raises `PaneError`."""
        ...

    def panes(self, server: str) -> list[Pane]:
        """Return every pane of a server. Raises `PaneError` where it does not answer."""
        ...

    def frame(self, pane: Pane) -> Frame:
        """Return what the pane shows now. Raises `PaneError` where that cannot be had."""
        ...

    def frames(self, panes: Sequence[Pane]) -> list[Frame | None]:
        """Return `frame` without history of several panes of one server, None for one not to be had."""
        ...

    def why_polled(self, pane: Pane) -> str:
        """Return why the pane's output is not to be had as it is printed, but by `frame` alone.

        Empty where it is. Raises `PaneError`.
        """
        ...

    def write(self, pane: Pane, data: bytes, *, paste: bool) -> None:
        """Type `data` into the pane; `paste`: as one paste, bracketed if its program asked.

        Raises:
            PaneError: the pane is gone, or takes no input.
        """
        ...


class PaneError(CaptureError):
    """A multiplexer did not do what it was asked."""


def one_by_one(frame: Callable[[Pane], Frame], panes: Sequence[Pane]) -> list[Frame | None]:
    """Return `frames` where a multiplexer tells of one pane at a time."""
    frames: list[Frame | None] = []
    for pane in panes:
        try:
            frames.append(frame(pane))
        except PaneError:
            frames.append(None)
    return frames


def run(
    command: Sequence[str], *, data: bytes = b"", environ: Mapping[str, str] | None = None
) -> bytes:
    """Run a multiplexer's command and return what it prints.

    Raises:
        PaneError: it cannot be started, takes longer than `TIMEOUT`, or fails.
    """
    try:
        done = subprocess.run(
            command,
            input=data,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            env=None if environ is None else {**os.environ, **environ},
        )
    except (OSError, ValueError) as error:
        raise PaneError(f"{command[0]}: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise PaneError(f"{command[0]} did not answer in {TIMEOUT:g} s") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise PaneError(f"{command[0]}: {reason[-1] if reason else f'exit {done.returncode}'}")
    if len(done.stdout) > MOST_OUTPUT:
        raise PaneError(f"{command[0]} printed more than {MOST_OUTPUT >> 20} MB")
    return done.stdout


def lines_of(text: bytes) -> list[str]:
    """The rows of a printed screen; what is no UTF-8 becomes U+FFFD."""
    return text.decode("utf-8", "replace").split("\n")
