"""`Program`: a program in its own PTY, driven by a test.

There is no thread: the program's output is read while the test waits or sends keys, and its
questions to the terminal (DA, DSR, colours ...) are answered as xterm would. It gets a clean
environment and a throw-away HOME. `close` ends it with everything it started. O(bytes).
"""

import os
import re
import select
import shlex
import shutil
import signal
import tempfile
import time
import uuid
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from dejavu.capsule import Size
from dejavu.capsule.pty import Pty
from dejavu.screen import Terminal, keys

from .errors import ProgramEndedError, ProgramError, WaitError
from .golden import Goldens
from .masks import Mask
from .processes import MARKER, Activity, end
from .screen import Screen
from .view import QUIET, Masks, View

TIMEOUT = 10.0
_KEPT = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR",
         "USER", "LOGNAME", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG")  # fmt: skip
_SET = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "SHELL": "/bin/sh",
    "ESCDELAY": "25",  # ncurses waits a second for what follows an Escape
    "PYTHONHASHSEED": "0",
}
_BURST = 1 << 18  # bytes read in one step: a flood does not outlast a deadline
_DRAINING = _REAPING = 1.0  # seconds
_PIECE = 1024  # bytes sent at a time
_FRAME = re.compile(rb".+?\x1b\[\?2026l|.+", re.DOTALL)  # up to the end of an update
_NAME = 100  # characters of the command in messages
_BUTTONS = {"left": 0, "middle": 1, "right": 2, "wheel-up": 64, "wheel-down": 65}
_MOUSE, _SGR_MOUSE, _APPLICATION, _BRACKETED = (1000, 1002, 1003), 1006, 1, 2004


class Program(View):
    """A running program. `press`, `type`, `paste`, `click` and `resize` return it for the next call.

    Args:
        command: The program and its arguments; a string is split as a shell would, without one.
        size: Columns and rows of the window.
        env: Variables besides the clean ones; None takes one out.
        cwd: Where it starts; by default where the test runs.
        timeout: Seconds that each wait takes at most.
        masks: What changes from run to run, for all waits and comparisons of this program.
        history: Lines kept above the screen.
        graphemes: Whether emoji of several characters take one cell (see `dejavu.screen.Terminal`).
        goldens: Where golden screens are kept; the fixture knows.

    Raises:
        SpawnError: The program cannot be started.
    """

    def __init__(
        self,
        command: str | Sequence[str | os.PathLike[str]],
        *,
        size: tuple[int, int] = (80, 24),
        env: Mapping[str, str | None] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = TIMEOUT,
        masks: Masks = (),
        history: int = 10_000,
        graphemes: bool = False,
        goldens: Goldens | None = None,
    ) -> None:
        words = shlex.split(command) if isinstance(command, str) else command
        argv = [os.fspath(word) for word in words]
        if not argv:
            raise ValueError("the command is empty")
        columns, lines = size
        self.home = tempfile.mkdtemp(prefix="dejavu-home-")
        terminal = Terminal(columns, lines, history=history, graphemes=graphemes)
        name = " ".join(shlex.join([Path(argv[0]).name, *argv[1:]]).split())
        name = name if len(name) <= _NAME else f"{name[: _NAME - 3]}..."
        super().__init__(name, terminal, timeout=timeout, masks=masks, goldens=goldens)
        self._constant_masks = (Mask(re.escape(self.home), "home"),)
        self._marker = uuid.uuid4().hex
        self._environment = _environment(self.home, self._marker, env or {})
        self._log: deque[str] = deque(maxlen=12)
        self._status: int | None = None
        self._eof = self._closed = self._awaited = False
        self._drawn_at = time.monotonic()
        self._frames: deque[bytes] = deque()
        try:
            self._pty = _spawn(argv, self._environment, Size(columns, lines), cwd)
        except BaseException:
            shutil.rmtree(self.home, ignore_errors=True)
            raise
        self._activity = Activity(self._pty.pid)
        self._poll = select.poll()

    # -------------------------------------------------------------------------------- its life

    @property
    def pid(self) -> int:
        """The program's process id."""
        return self._pty.pid

    @property
    def ended(self) -> bool:
        """Whether it has ended and all it wrote is drawn."""
        return self._closed or (self._eof and self._status is not None and not self._frames)

    @property
    def exit_code(self) -> int | None:
        """Its exit code, 128+n on signal n; None while it runs."""
        return self._status

    def wait_exit(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit code. Raise WaitError when the time is up."""
        __tracebackhide__ = True
        deadline = self._deadline(timeout)
        while not self.ended and self._now() < deadline:
            self._advance(min(1.0, deadline - self._now()))
        if self._status is None:
            raise WaitError(self._failure("waited for its end"))
        return self._status

    def signal(self, number: int) -> Self:
        """Send a signal to the program alone."""
        self._log.append(f"signal {signal.Signals(number).name}")
        self._pty.signal(number)
        return self

    def resume(self) -> Self:
        """Continue the program after it suspended itself (Ctrl+Z)."""
        self._pty.resume()
        return self

    def close(self) -> None:
        """End the program and all it started, and remove its home.

        Raise ProgramError where a process survives SIGKILL.
        """
        if self._closed:
            return
        self._closed = True
        running = self._status is None
        if running:
            self._pty.hang_up()
        self._pty.close()
        session = self._pty.leader if running else None
        left = end(self._marker, session, {self._pty.pid} if running else set())
        deadline = self._now() + _REAPING
        while running and self._pty.wait() is None and self._now() < deadline:
            time.sleep(0.001)  # the leader is dead and not yet a zombie
        shutil.rmtree(self.home, ignore_errors=True)
        if left:
            raise ProgramError(f"processes of `{self.name}` do not end: {left}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ------------------------------------------------------------------------------------ input

    def press(self, *names: str) -> Self:
        """Press keys: `Enter`, `Up`, `F5`, `Ctrl+C`, `Alt+x`, `Shift+Tab`, or one character.

        Raise ValueError for a name that is no key, ProgramEndedError after the program's end.
        """
        __tracebackhide__ = True
        self._ready()  # modes decide what a key is
        for name in names:
            data = keys.encode(
                name,
                application=self._terminal.private_mode(_APPLICATION),
                kitty=self._terminal.keyboard_flags,
            )
            self._send(data, f"press {name}")
        return self

    def type(self, text: str) -> Self:
        """Type text, a newline as Enter. Raise ProgramEndedError after the program's end."""
        __tracebackhide__ = True
        self._ready()
        data = keys.encode_text(text, kitty=self._terminal.keyboard_flags)
        return self._send(data, f"type {text!r}")

    def paste(self, text: str) -> Self:
        """Paste text: in one bracketed paste where the program asked for those (mode 2004)."""
        __tracebackhide__ = True
        self._ready()
        bracketed = self._terminal.private_mode(_BRACKETED)
        return self._send(keys.paste(text, bracketed=bracketed), f"paste {text!r}")

    def send(self, data: bytes) -> Self:
        """Send bytes as they are: a key that has no name."""
        __tracebackhide__ = True
        self._ready()
        return self._send(data, f"send {data!r}")

    def click(self, target: str | tuple[int, int], button: str = "left") -> Self:
        """Click a text on the screen, or a cell (row, column).

        `button` is left, middle, right, wheel-up or wheel-down. Raise ProgramError where the text
        is not shown or the program did not ask for the mouse.
        """
        __tracebackhide__ = True
        self._ready()
        if button not in _BUTTONS:
            raise ValueError(f"{button!r} is not a button: {', '.join(_BUTTONS)}")
        cell = self.screen.find(target) if isinstance(target, str) else target
        if cell is None:
            raise ProgramError(self._failure(f"looked for {target!r} to click on it"))
        if not any(map(self._terminal.private_mode, _MOUSE)):
            raise ProgramError(self._failure("the program has not asked for mouse reports"))
        code = _BUTTONS[button]
        if self._terminal.private_mode(_SGR_MOUSE):
            data = keys.click(*cell, button=code)
            if code < 64:
                data += keys.click(*cell, button=code, pressed=False)
        else:
            data = keys.click_x10(*cell, button=code)
        return self._send(data, f"click {target!r}")

    def resize(self, columns: int, lines: int) -> Self:
        """Change the size of the window; the program gets SIGWINCH."""
        self._log.append(f"resize {columns}x{lines}")
        self._terminal.resize(columns, lines)
        self._pty.resize(Size(max(1, columns), max(1, lines)))
        return self

    def _ready(self) -> None:
        """Draw what came; before the first key, wait until the program has begun, if no one did.

        Keys sent before it set its terminal up would be echoed by the kernel.
        """
        if self._awaited:
            self._drain()
            return
        self._awaited = True
        for calm in self._calm(self._deadline(None), self.masks):
            if calm >= QUIET:
                break

    def _send(self, data: bytes, what: str) -> Self:
        __tracebackhide__ = True
        if len(what) > 60:
            what = f"{what[:57]}..."
        self._log.append(what)
        view, deadline = memoryview(data), self._deadline(None)
        while view or self._pty.input.pending:
            if self.ended:
                raise ProgramEndedError(self._failure(f"tried to {what}"))
            if self._now() >= deadline:
                left = len(view) + self._pty.input.pending
                raise WaitError(self._failure(f"tried to {what}: {left} bytes are not read"))
            if view and not self._pty.input.pending:
                self._pty.write(bytes(view[:_PIECE]))
                view = view[_PIECE:]
            self._advance(0.02 if self._pty.input.pending else 0.0)
        return self

    # ------------------------------------------------------------------------------ the machinery

    @property
    def screen(self) -> Screen:
        """The screen as it is drawn so far; nothing is waited for."""
        self._drain()
        return self._drawn()

    def _now(self) -> float:
        return time.monotonic()

    def _advance(self, seconds: float) -> tuple[bool, float]:
        if not self._frames and not self._closed:
            if self._eof:
                select.poll().poll(min(seconds, 0.01) * 1000)
            else:
                self._await_output(seconds)
            if self._status is None:
                self._status = self._pty.wait()
                if self._status is not None and not self._eof:
                    self._read()  # all it wrote is here: another process that has the terminal is not it
                    self._eof = True
        drawn = bool(self._frames)
        if drawn:
            self._feed(self._frames.popleft())
            self._answer(self._terminal.replies())
            self._drawn_at = time.monotonic()
        # Frames that wait were drawn before: no time is between them.
        return drawn, 0.0 if self._frames else self._activity.elapsed()

    def _await_output(self, seconds: float) -> None:
        """Wait for output or the end of the terminal; write what the program now takes."""
        writing = select.POLLOUT if self._pty.input.pending else 0
        self._poll.register(self._pty.fd, select.POLLIN | writing)
        if any(events & select.POLLOUT for _, events in self._poll.poll(max(0.0, seconds) * 1000)):
            self._pty.input.flush()
        self._read(_BURST)

    def _read(self, limit: int = 1 << 24) -> None:
        """Take what there is, frame by frame: a wait must not miss one because it came late."""
        total = 0
        while total < limit:
            data = self._pty.read()
            if not data:
                self._eof |= data is not None
                break
            total += len(data)
            self._frames.extend(_FRAME.findall(data))

    def _drain(self) -> None:
        """Draw what has come, as far as it does not come for ever."""
        deadline = self._now() + _DRAINING
        while self._advance(0.0)[0] and self._now() < deadline:
            pass

    def _answer(self, replies: bytes) -> None:
        """Tell the program what it asked its terminal."""
        if replies:
            self._pty.write(replies)

    def _state(self) -> str:
        if self._status is not None:
            state = f"ended with exit code {self._status}"
        elif self._closed:
            state = "was closed"
        else:
            state = "is suspended" if self._pty.stopped else f"runs (pid {self.pid})"
        quiet = time.monotonic() - self._drawn_at
        done = f"; keys so far: {', '.join(self._log)}" if self._log else ""
        return f"`{self.name}` {state}, drew last {quiet:.1f} s ago{done}"


def _environment(home: str, marker: str, extra: Mapping[str, str | None]) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("COV_CORE_")}
    if outer := os.environ.get(MARKER):
        marker = f"{outer}:{marker}"
    every: dict[str, str | None] = {**kept, **_SET, "HOME": home, **extra, MARKER: marker}
    return {name: value for name, value in every.items() if value is not None}


def _spawn(
    argv: Sequence[str],
    environment: Mapping[str, str],
    size: Size,
    cwd: str | os.PathLike[str] | None,
) -> Pty:
    """Start the program in `cwd`."""
    with warnings.catch_warnings():
        # pytest-xdist has threads. The child only makes system calls before it runs the program.
        warnings.simplefilter("ignore", DeprecationWarning)
        return Pty.spawn(argv, environment, size, cwd=cwd)
