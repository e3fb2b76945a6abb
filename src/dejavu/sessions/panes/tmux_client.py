"""A client in control mode on one tmux session: what its panes print, as it is printed.

Attached read only, its size ignored, with the user's environment options untouched. It writes
commands that only ask; what a pane shows is asked with its history once, and again after a change
of size or where output was withheld. `fds`, `ready` and `close` are for the watcher's loop; nothing
here waits. A client that does not follow would stop tmux reading a pane that no other client shows,
so everything is read at once, and past `PENDING` bytes dropped for one look at the pane instead.
"""

import contextlib
import os
import subprocess
from collections import deque
from collections.abc import Callable

from .drawing import restore
from .multiplexer import PaneError
from .tmux import HISTORY, STATE_FORMAT, command, parse_state
from .tmux_control import (
    ControlParser,
    Exit,
    Layout,
    Message,
    Output,
    Panes,
    Paused,
    Reply,
    unescape,
)

PENDING = 256 << 10
"""Bytes of a pane that wait to be read; past that its screen is asked for instead."""

_READ = 1 << 20
_ROUNDS = 8
_REPLIES = 5  # commands of one look at a pane
_PAUSE_AFTER = 3  # seconds that tmux holds output back for us
_LAG = 0.5  # seconds between two looks at a pane that prints faster than is read
_STOP = 2.0

_LOOK = (
    "display-message -p -t {pane} '{state}' ; "
    "capture-pane -p -e -J -S -{history} -E -1 -t {pane} ; "
    "capture-pane -p -e -J -t {pane} ; "
    "capture-pane -p -e -J -a -q -t {pane} ; "
    "capture-pane -p -P -C -t {pane}\n"
)


class PaneStream:
    """One pane's output: `data` waits to be read, unless a look at the pane is on its way."""

    def __init__(self, pane: str) -> None:
        self.pane = pane
        self.data = bytearray()
        self.size: tuple[int, int] | None = None
        """A size that came since the last read."""
        self.lost = 0
        """Bytes that were not kept, or 1 where only tmux knows how many."""
        self.looked = False
        """Whether a look at the pane has arrived."""
        self.asked = False
        self.wants_look_at = 0.0
        """When to look at the pane again (monotonic); 0: no need."""

    @property
    def waits(self) -> bool:
        """Whether there is something to read."""
        return self.looked and bool(self.data or self.size or self.lost)

    def take(self) -> bytes:
        """The bytes that wait."""
        data = bytes(self.data)
        self.data.clear()
        return data

    def output(self, data: bytes, now: float) -> None:
        """The pane's program wrote `data`."""
        if self.wants_look_at:
            self.lost += len(data) if self.lost else 0
            if self.lost:
                return
        self.data += data
        if len(self.data) > PENDING:
            self.lost += len(self.data)
            self.data.clear()
            self.wants_look_at = now + _LAG


class TmuxClient:
    """Follows panes of one session of one server. `on_change` is told when panes come or go.

    Raises:
        PaneError: tmux cannot be started.
    """

    def __init__(self, server: str, session: str, on_change: Callable[[], None]) -> None:
        self.server, self.session, self._on_change = server, session, on_change
        self.streams: dict[str, PaneStream] = {}
        self.ended = False
        self._parser = ControlParser()
        self._waiting: deque[tuple[PaneStream | None, list[Reply]]] = deque()
        self._unwritten = b""
        flags = f"read-only,ignore-size,pause-after={_PAUSE_AFTER}"
        words = [*command(server), "-C", "attach-session", "-E", "-f", flags, "-t", session]
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True,  # a key typed in our terminal is not for it
                env={name: value for name, value in os.environ.items() if name != "TMUX"},
            )  # fmt: skip
        except OSError as error:
            raise PaneError(f"tmux: {error.strerror}") from error
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)

    def fileno(self) -> int:
        """What becomes readable."""
        return self._output

    def follow(self, pane: str) -> PaneStream:
        """Begin with a pane; its stream holds what it shows as soon as tmux has told."""
        stream = self.streams[pane] = PaneStream(pane)
        self.look(stream)
        return stream

    def drop(self, pane: str) -> None:
        """Follow a pane no longer."""
        self.streams.pop(pane, None)

    def look(self, stream: PaneStream) -> None:
        """Ask what a pane shows, in order with its output; to be called when it `wants_look_at`."""
        if stream.asked:
            return
        stream.asked, stream.wants_look_at = True, 0.0
        # One command a line would let output come between them; one line is done at once.
        history = 1 if stream.looked else HISTORY
        line = _LOOK.format(pane=stream.pane, state=STATE_FORMAT, history=history)
        self._ask(line, stream)

    def ready(self, now: float) -> None:
        """Read what tmux printed, all of it; never raises."""
        for _ in range(_ROUNDS):
            try:
                data = os.read(self._output, _READ)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.ended = True
                break
            for message in self._parser.feed(data):
                self._take(message, now)
        self._flush()

    @property
    def unwritten(self) -> bool:
        """Whether tmux has not taken all of our questions yet."""
        return bool(self._unwritten)

    def _take(self, message: Message, now: float) -> None:
        match message:
            case Output(pane, data):
                stream = self.streams.get(pane)
                if stream is not None:
                    stream.output(data, now)
            case Reply():
                self._reply(message)
            case Layout(sizes):
                for pane, size in sizes.items():
                    stream = self.streams.get(pane)
                    if stream is not None:
                        stream.size = size
                        # tmux has laid its lines out anew, and the program draws relative to that.
                        stream.wants_look_at = stream.wants_look_at or now
                self._on_change()
            case Paused(pane):
                self._ask(f"refresh-client -A '{pane}:continue'\n", None)
                stream = self.streams.get(pane)
                if stream is not None:
                    stream.lost += 1
                    stream.wants_look_at = now
            case Panes():
                self._on_change()
            case Exit():
                self.ended = True

    def _ask(self, line: str, stream: PaneStream | None) -> None:
        self._waiting.append((stream, []))
        self._unwritten += line.encode()
        self._flush()

    def _reply(self, reply: Reply) -> None:
        if not self._waiting:
            return
        stream, replies = self._waiting[0]
        replies.append(reply)
        # A line stops at its first command that fails.
        if stream is not None and reply.ok and len(replies) < _REPLIES:
            return
        self._waiting.popleft()
        if stream is not None:
            stream.asked = False
            with contextlib.suppress(PaneError):
                self._looked(stream, replies)

    def _looked(self, stream: PaneStream, replies: list[Reply]) -> None:
        if len(replies) < _REPLIES or not all(reply.ok for reply in replies):
            return
        first, *grids = (
            [line.decode("utf-8", "replace") for line in reply.lines] for reply in replies[:-1]
        )
        begun = unescape(b"\n".join(replies[-1].lines))  # an escape sequence not complete yet
        state = parse_state(first[0] if first else "")
        history, shown, main = grids
        if stream.looked:
            history = []
        stream.size = state.columns, state.lines
        stream.data.clear()
        stream.data += (
            restore(state, history, main, shown)
            if state.alternate
            else restore(state, history, shown)
        )
        stream.data += begun
        stream.looked = True

    def _flush(self) -> None:
        while self._unwritten:
            try:
                written = os.write(self._input, self._unwritten)
            except BlockingIOError:
                return
            except OSError:
                self.ended = True
                return
            self._unwritten = self._unwritten[written:]

    def close(self) -> None:
        """Detach: tmux does so when our end of its input is closed."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(OSError):
            self._process.terminate()
        try:
            self._process.wait(_STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_STOP)
