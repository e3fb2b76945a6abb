"""A client in control mode on one tmux session: what its panes print, as it is printed.

Attached read only, its size ignored, with the user's environment options untouched. It writes
commands that only ask; what a pane shows is asked with its history once, and again after a change
of size or where output was withheld. `fileno`, `ready` and `close` are for the watcher's loop;
nothing here waits.

A client that does not follow would stop tmux reading a pane that no other client shows. So a pane
that is `PENDING` bytes ahead is paused for this client (`refresh-client -A`), which leaves its
program at full speed, and `LAG` seconds later looked at instead; panes that are not followed stay
paused. tmux does the same on its own (`pause-after`) where this process does not come to it.
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
    Continued,
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

LAG = 0.25
"""Seconds from there to the look."""

SLICE = 32 << 10
"""Bytes of a pane that are read in one turn of the watcher's loop, for the others wait."""

_READ = 1 << 20
_ROUNDS = 8
_REPLIES = 5  # commands of one look at a pane
_PAUSE_AFTER = 3  # seconds that tmux holds output back for us
_AGAIN = 1.0  # seconds until a look that failed is tried again
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
        self.lost = False
        """Whether output came since the last read that was not kept."""
        self.looked = False
        """Whether a look at the pane has arrived."""
        self.asked = False
        self.paused = False
        """Whether tmux sends nothing of it, and nothing of it counts, until the next look."""
        self.restored = 0
        """Bytes at the beginning of `data` that draw one screen."""
        self.wants_look_at = 0.0
        """When to look at the pane again (monotonic); 0: no need."""

    @property
    def waits(self) -> bool:
        """Whether there is something to read."""
        return self.looked and bool(self.data or self.size or self.lost)

    def take(self, most: int = SLICE) -> bytes:
        """The first bytes that wait; what draws one screen is not cut."""
        most, self.restored = max(most, self.restored), 0
        data = bytes(self.data[:most])
        del self.data[:most]
        return data

    def output(self, data: bytes) -> bool:
        """The pane's program wrote `data`; False if it is too far ahead to be followed."""
        if self.paused:
            self.lost = True
            return True
        self.data += data
        return len(self.data) <= PENDING

    def pause(self, look_at: float) -> None:
        """Take nothing more until the look."""
        self.data.clear()
        self.paused = self.lost = True
        self.wants_look_at = look_at


class TmuxClient:
    """Follows panes of one session of one server. `on_change` is called when panes come or go.

    Raises:
        PaneError: tmux cannot be started.
    """

    def __init__(self, server: str, session: str, on_change: Callable[[], None]) -> None:
        self.server, self.session, self._on_change = server, session, on_change
        self.streams: dict[str, PaneStream] = {}
        self.ended = self.told = False
        """Whether it has ended, and whether it ever told what a pane shows."""
        self._parser = ControlParser()
        self._waiting: deque[tuple[PaneStream | None, list[Reply]]] = deque()
        self._unwritten = b""
        self._paused: set[str] = set()  # panes of which tmux sends nothing
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
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 - for the type checker
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
        """Follow a pane no longer.

        It is paused even where it left this client's session: tmux would keep all of its output for
        the client until it came back.
        """
        if self.streams.pop(pane, None) is not None and not self.ended:
            self.pause(pane, 0.0)

    def pause(self, pane: str, now: float) -> None:
        """Have tmux leave out a pane until the next look at it, a moment later."""
        stream = self.streams.get(pane)
        if stream is not None:
            stream.pause(now + LAG)
        self._paused.add(pane)
        self._ask(f"refresh-client -A '{pane}:pause'\n", None)

    def look(self, stream: PaneStream) -> None:
        """Ask what a pane shows, in order with its output; to be called when it `wants_look_at`."""
        if stream.asked:
            return
        stream.asked, stream.wants_look_at = True, 0.0
        if stream.pane in self._paused:
            self._paused.discard(stream.pane)
            self._ask(f"refresh-client -A '{stream.pane}:continue'\n", None)
        # One command a line would let output come between them; one line is done at once.
        history = 1 if stream.looked else HISTORY
        line = _LOOK.format(pane=stream.pane, state=STATE_FORMAT, history=history)
        self._ask(line, stream)

    def ready(self, now: float) -> int:
        """Read what tmux printed and return the number of bytes; never raises."""
        total = 0
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
            total += len(data)
            for message in self._parser.feed(data):
                self._take(message, now)
        self._flush()
        return total

    @property
    def unwritten(self) -> bool:
        """Whether tmux has not taken all of our questions yet."""
        return bool(self._unwritten)

    def _take(self, message: Message, now: float) -> None:
        match message:
            case Output(pane, data):
                self._output_of(pane, data, now)
            case Reply():
                self._reply(message, now)
            case Layout(sizes):
                for pane, size in sizes.items():
                    stream = self.streams.get(pane)
                    if stream is not None:
                        stream.size = size
                        # tmux has laid out its lines again, and the program draws relative to that.
                        stream.wants_look_at = stream.wants_look_at or now
                self._on_change()
            case Paused(pane):
                self._paused.add(pane)
                stream = self.streams.get(pane)
                if stream is not None and not stream.paused:
                    stream.pause(now)
            case Continued(pane):
                self._paused.discard(pane)
            case Panes():
                self._on_change()
            case Exit():
                self.ended = True

    def _output_of(self, pane: str, data: bytes, now: float) -> None:
        stream = self.streams.get(pane)
        if pane in self._paused or (stream is not None and stream.output(data)):
            return
        self.pause(pane, now)

    def _ask(self, line: str, stream: PaneStream | None) -> None:
        self._waiting.append((stream, []))
        self._unwritten += line.encode()
        self._flush()

    def _reply(self, reply: Reply, now: float) -> None:
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
            try:
                self._looked(stream, replies)
            except PaneError:
                stream.wants_look_at = now + _AGAIN  # unless the pane is gone: listing tells
            if stream.paused:  # again, since the look was asked for
                stream.wants_look_at = stream.wants_look_at or now + LAG

    def _looked(self, stream: PaneStream, replies: list[Reply]) -> None:
        """Take what a pane shows. Raises `PaneError` where that was not told."""
        if len(replies) < _REPLIES or not all(reply.ok for reply in replies):
            raise PaneError(f"tmux told nothing of {stream.pane}")
        first, *grids = (
            [line.decode("utf-8", "replace") for line in reply.lines] for reply in replies[:-1]
        )
        begun = unescape(b"\n".join(replies[-1].lines))  # an escape sequence not complete yet
        state = parse_state(first[0] if first else "")
        history, shown, main = grids
        if stream.looked:
            history = []
        self.told = True
        stream.size = state.columns, state.lines
        stream.data.clear()
        stream.data += (
            restore(state, history, main, shown)
            if state.alternate
            else restore(state, history, shown)
        )
        stream.data += begun
        stream.restored = len(stream.data)
        stream.looked, stream.paused = True, stream.pane in self._paused

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

    def detach(self) -> None:
        """Detach, without waiting for it: tmux does so when our end of its input is closed."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(OSError):
            self._process.terminate()

    def close(self) -> None:
        """Detach, and wait until tmux's process has ended."""
        self.detach()
        try:
            self._process.wait(_STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_STOP)
