"""A test written from a live session: the keys as a script, the screens as golden files.

`LiveProgram` runs a program in the user's own terminal, in the same clean environment as a test
gets, and notes what is typed. `record` plays it once more without the user: what comes out
differently is masked, or named. Ctrl+] keeps the screen, twice it ends the recording. O(bytes).
"""

import codecs
import os
import re
import select
import signal
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dejavu.capsule import RawTty
from dejavu.capsule.signals import SignalWatcher
from dejavu.capsule.tty import FULL_RESET, get_size
from dejavu.model import CaptureError
from dejavu.screen import keys

from .difference import differing
from .errors import ProgramError
from .golden import Goldens
from .masks import PATH, SPINNER, TIME, Mask
from .program import Program
from .rendering import Rendering
from .screen import Screen
from .view import QUIET, VERDICT

Step = tuple[str, tuple[str | int | bytes, ...]]
"""A method of `Program` and its arguments; `assert_golden` keeps the screen."""

_KEEP = b"\x1d"  # Ctrl+]
_SETTLED = ("type", "wait_idle", "assert_golden")  # steps behind which nothing is to be waited for
_AGAIN = 1.0  # seconds within which a second Ctrl+] ends the recording
_HIDDEN = "[not recorded]"  # what is typed where the program echoes nothing, such as a password
_LEAVE = FULL_RESET + b"\r\n"
_STABLE = re.compile(r"[^\d/~]{1,40}")  # a word of a prompt that is not a count, a time or a path
_HOME = Mask(r"/\S*/dejavu-home-\w{8}", "home")
_MASKS: tuple[tuple[str, Mask], ...] = (("TIME", TIME), ("SPINNER", SPINNER), ("PATH", PATH))


@dataclass
class Script:
    """What was recorded; `notes` are sentences for the user."""

    command: Sequence[str]
    size: tuple[int, int]
    steps: list[Step] = field(default_factory=list[Step])
    screens: dict[str, Screen] = field(default_factory=dict[str, Screen])
    masks: list[str] = field(default_factory=list[str])
    exit_code: int | None = None
    notes: list[str] = field(default_factory=list[str])

    def source(self, name: str) -> str:
        """Return the test as a Python file."""
        lines = ['"""Recorded by `dejavu golden record`; yours to edit."""', ""]
        if self.masks:
            lines += [f"from dejavu.testing import {', '.join(sorted(self.masks))}", ""]
        masks = f", masks=[{', '.join(self.masks)}]" if self.masks else ""
        function = re.sub(r"\W+", "_", name)
        lines += ["", f"def test_{function}(terminal):"]
        command = "[" + ", ".join(map(_quoted, self.command)) + "]"
        lines.append(f"    app = terminal({command}, size={self.size}{masks})")
        for method, arguments in self.steps:
            lines.append(f"    app.{method}({', '.join(map(_quoted, arguments))})")
        if self.exit_code is not None:
            lines.append(f"    assert app.wait_exit() == {self.exit_code}")
        return "\n".join(lines) + "\n"


def _quoted(value: str | int | bytes) -> str:
    text = repr(value)
    plain = isinstance(value, str) and "'" not in value and '"' not in value
    return f'"{text[1:-1]}"' if plain else text


class LiveProgram(Program):
    """A program in the user's terminal: `stdin` and `stdout` are its descriptors."""

    def __init__(
        self, command: Sequence[str], size: tuple[int, int], *, stdin: int = 0, stdout: int = 1
    ) -> None:
        super().__init__(command, size=size)
        self._awaited = True
        self._stdin, self._stdout = stdin, stdout
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._kept_at = -_AGAIN
        self._drawn_since_key = True
        self._finished = False

    def _feed(self, data: bytes) -> None:
        super()._feed(data)
        view = memoryview(data)
        while view:
            view = view[os.write(self._stdout, view) :]

    def _answer(self, replies: bytes) -> None:
        """The user's terminal answers."""

    def record(self, script: Script, name: str) -> None:
        """Run until the program ends or the user has enough; fill `script`."""
        with RawTty(self._stdin), SignalWatcher([signal.SIGWINCH]) as signals:
            poll = select.poll()
            for descriptor in (self._stdin, signals.fd, self._pty.fd):
                poll.register(descriptor, select.POLLIN)
            while not self.ended and not self._finished:
                ready = {descriptor for descriptor, _ in poll.poll(100)}
                drawn, _ = self._advance(0.0)
                self._drawn_since_key |= drawn
                if self._stdin in ready:
                    self._typed(os.read(self._stdin, 4096), script, name)
                if signals.take():
                    size = get_size(self._stdout)
                    self.resize(size.columns, size.lines)
                    script.steps.append(("resize", (size.columns, size.lines)))
            os.write(self._stdout, _LEAVE if self._terminal.snapshot().alternate else b"\x1b[m\r\n")
        if self.ended and not script.screens:
            self._keep(script, name)
        script.exit_code = self.exit_code

    def _typed(self, data: bytes, script: Script, name: str) -> None:
        """Hand on what the user's terminal sent, and note it."""
        if not data:
            self._finished = True
            return
        before, found, after = data.partition(_KEEP)
        if before:
            hidden = self._asks_for_password()
            self._pty.write(before)
            self._note(before, script, hidden=hidden)
        if found:
            now = time.monotonic()
            if now - self._kept_at < _AGAIN:
                self._finished = True
                return
            self._kept_at = now
            self._keep(script, name)
            os.write(self._stdout, b"\a")
        if after:
            self._typed(after, script, name)

    def _keep(self, script: Script, name: str) -> None:
        kept = name if not script.screens else f"{name}-{len(script.screens) + 1}"
        script.screens[kept] = self._drawn()
        script.steps.append(("assert_golden", (kept,)))

    def _asks_for_password(self) -> bool:
        """Whether lines are read without echo; a program that draws its input reads no lines."""
        try:
            flags = termios.tcgetattr(self._pty.fd)[3]
        except (OSError, termios.error):
            return False
        return bool(flags & termios.ICANON) and not flags & termios.ECHO

    def _waits(self) -> list[Step]:
        """What the user waited for before the next key: the prompt at the cursor, and quiet.

        Quiet alone comes before the prompt does where the machine is slow, and what is typed then
        is lost to a program that discards it (getpass: TCSAFLUSH).
        """
        waits: list[Step] = []
        screen = self._drawn()
        row, column = screen.cursor
        words = "".join(screen.snapshot.cells(row)[:column]).split()
        if screen.cursor_visible and words and _STABLE.fullmatch(words[-1]):
            waits.append(("wait_for", (words[-1],)))
        if time.monotonic() - self._drawn_at >= QUIET:
            waits.append(("wait_idle", ()))
        return waits

    def _note(self, data: bytes, script: Script, *, hidden: bool) -> None:
        self._text += self._decoder.decode(data)
        if keys.PASTE_BEGIN in self._text and keys.PASTE_END not in self._text:
            return  # the rest of a paste is on its way
        text, self._text = self._text, ""
        for kind, value in keys.decode(text):
            if kind == "reply":
                continue
            steps = script.steps
            last = steps[-1] if steps else ("", ())
            if self._drawn_since_key and last[0] not in _SETTLED:
                steps.extend(self._waits())
                last = steps[-1] if steps else last
            self._drawn_since_key = False
            if hidden and kind != "press":
                if last != ("type", (_HIDDEN,)):
                    steps.append(("type", (_HIDDEN,)))
                    script.notes.append(
                        "what was typed without echo is not in the test: fill it in"
                    )
            elif kind == "type" and last[0] == "type":
                steps[-1] = ("type", ("".join(map(str, last[1])) + value,))
            elif kind == "press" and last[0] == "press":
                steps[-1] = ("press", (*last[1], value))
            elif kind in ("mouse", "send"):
                steps.append(("send", (value.encode(),)))
            else:
                steps.append((kind, (value,)))


def record(
    command: Sequence[str], name: str, folder: Path, *, stdin: int = 0, stdout: int = 1
) -> Script:
    """Record a session in this terminal and write `test_NAME.py` and its golden screens.

    Raise CaptureError where nothing was kept, SpawnError where the program cannot be started, and
    OSError where the files cannot be written.
    """
    window = get_size(stdout)
    script = Script(list(command), (window.columns or 80, window.lines or 24))
    with LiveProgram(command, script.size, stdin=stdin, stdout=stdout) as program:
        program.record(script, name)
    if not script.screens:
        raise CaptureError("nothing was kept: press Ctrl+] while the screen shows what matters")
    replayed = replay(script)
    masks = _choose_masks(script, replayed)
    goldens = Goldens(folder / "golden" / name)
    for kept, screen in (replayed or script.screens).items():
        goldens.write(goldens.folder(kept), Rendering.of(screen, masks))
    (folder / f"test_{name}.py").write_text(script.source(name), "utf-8")
    return script


def replay(script: Script) -> dict[str, Screen]:
    """Play the script without the user; return the screens, none where it does not get through."""
    screens: dict[str, Screen] = {}
    try:
        with Program(script.command, size=script.size) as program:
            for method, arguments in script.steps:
                if method == "assert_golden":
                    screens[str(arguments[0])] = program.wait_idle(VERDICT)
                else:
                    getattr(program, method)(*arguments)
            if script.exit_code is not None and program.wait_exit() != script.exit_code:
                script.notes.append(f"played once more it ended with {program.exit_code}")
    except ProgramError as error:
        script.notes.append(f"played once more it did not get through: {error}")
        return {}
    return screens


def _choose_masks(script: Script, replayed: dict[str, Screen]) -> tuple[Mask, ...]:
    """The fewest masks under which both runs are alike; what differs still goes to the notes."""
    if not replayed:
        return (_HOME,)
    for count in range(len(_MASKS) + 1):
        masks = (_HOME, *(mask for _, mask in _MASKS[:count]))
        if not _different(script.screens, replayed, masks):
            script.masks = [name for name, _ in _MASKS[:count]]
            return masks
    for name, rows in _different(script.screens, replayed, (_HOME,)).items():
        script.notes.append(f"{name}: {rows} change from run to run; mask them")
    return (_HOME,)


def _different(
    screens: dict[str, Screen], others: dict[str, Screen], masks: Sequence[Mask]
) -> dict[str, str]:
    """The rows that differ, in words, of each screen that does."""
    result: dict[str, str] = {}
    for name, screen in screens.items():
        one, other = Rendering.of(screen, masks), Rendering.of(others[name], masks)
        if rows := [str(row) for row, columns in enumerate(differing(one, other)) if columns]:
            result[name] = f"rows {', '.join(rows)}"
        elif one != other:
            result[name] = "the cursor, the title or the size"
    return result
