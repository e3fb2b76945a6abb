"""A session's screen and keyboard in this terminal, until its key is pressed or the agent ends.

Shows the screen as its observer has it (redacted), continues with the agent's own bytes from exactly
there, and hands keys and the window's size over. The agent never waits: a terminal that is too slow
misses output and is redrawn. The terminal is given back with every mode reset that an agent may
have set. O(bytes); memory is bounded by the queues.
"""

import os
import re
import select
import signal
import time
from contextlib import suppress
from socket import socket
from typing import Any

from dejavu.capsule import Decoder, Event, Exit, Gap, Output, RawTty, Resize, Size
from dejavu.capsule.fd_writer import CHUNK, NonBlockingWriter, reopen
from dejavu.capsule.frames import pack, unpacker
from dejavu.capsule.signals import SignalWatcher
from dejavu.capsule.tty import get_size
from dejavu.capsule.unix_socket import connect
from dejavu.model import CaptureError, NotFoundError

from .observer.screen_server import look
from .session_store import SessionView, touch

DETACH = b"\x1c"
"""Ctrl-\\, which agents have no use for; abduco and dtach leave by it, too."""

_DETACH_KITTY = b"\x1b[92;5u"  # the same key under kitty's keyboard protocol
_PASTE = b"\x1b[200~"
_SHOWN = 2.0  # seconds in which the observer must have caught up
_AGAIN = 0.02
_ANSWER = 5.0  # seconds for the wrapper's first reply
_ROOM = 1 << 16  # bytes that wait for the terminal, or for the agent
_SCREENS = re.compile(rb"\x1b\[\?(?:\d+;)*(?:1049|1047|47)(?:;\d+)*([hl])")
_LONGEST = 32  # bytes of such a sequence that the end of a piece may have cut
_CLEAR = b"\x1b[m\x1b[H\x1b[2J"
_RESET = (
    b"\x1b7\x1b[r\x1b8"  # margins: their reset moves the cursor
    b"\x1b[!p\x1b[<9u\x1b[>4;0m\x1b>\x1b[?1l\x1b[?7h\x1b[?2004;2026;2031l"
    b"\x1b[?9;1000;1002;1003;1004;1005;1006;1015;1016l\x1b(B\x0f\x1b[0 q\x1b[?25h\x1b[m"
)
"""Everything that an agent may have switched on, off; the two screens apart."""


def attach(view: SessionView) -> int | None:
    """Show the session here until it is left; the agent's exit code, None where it runs on.

    Raises:
        NotFoundError: the session has ended, or takes no input.
        CaptureError: there is no terminal here, or none there, or a larger one.
    """
    if not view.live:
        raise NotFoundError(f"{view.session.id} {view.end}; `dejavu status` shows what runs")
    if view.session.source:
        raise CaptureError(f"{view.session.id} runs in a pane ({view.session.source}): look there")
    if not (os.isatty(0) and os.isatty(1)):
        raise CaptureError("attach needs a terminal; `dejavu send` and `dejavu status` do not")
    try:
        connection = connect(view.folder / "control", _ANSWER)
    except OSError as error:
        raise NotFoundError(f"{view.session.id} takes no input ({error})") from error
    with connection:
        attachment = _Attachment(view, connection)
        touch(view.folder, "seen")
        try:
            return attachment.run()
        finally:
            touch(view.folder, "seen")


class _Attachment:
    """One connection. `position`: bytes of the agent's output up to what is shown."""

    def __init__(self, view: SessionView, connection: socket) -> None:
        self._view, self._socket = view, connection
        self._decoder = Decoder()
        self._events: list[Event] = []
        reply = self._ask({"do": "attach"})
        if not reply.get("ok"):
            raise CaptureError(f"{view.session.id}: {reply.get('error')}")
        self._headless = reply["mode"] == "headless"
        self._size = Size(reply["columns"], reply["lines"])
        self._position: int = reply["offset"]
        self._skip = 0
        self._alternate, self._tail = False, b""
        self._exit: int | None = None
        self._left = False
        if not self._headless and not _fits(self._size, get_size(1)):
            raise CaptureError(
                f"{view.session.id} has a terminal of {self._size.columns}x{self._size.lines}; "
                "make this one at least as large"
            )

    def _ask(self, request: dict[str, object]) -> dict[str, Any]:
        """The reply; what comes behind it are events already."""
        self._socket.sendall(pack(request))
        replies, received = unpacker(1 << 20), b""
        while data := self._socket.recv(CHUNK):
            received += data
            replies.feed(data)
            for reply in replies:
                self._events += self._decoder.feed(received[replies.tell() :])
                answer: dict[str, Any] = reply
                return answer
        raise CaptureError(f"{self._view.session.id}: the session hung up without a reply")

    # -- the course of it

    def run(self) -> int | None:
        self._socket.setblocking(False)
        self._input = NonBlockingWriter(self._socket.fileno(), _ROOM)
        own = reopen(1, os.O_WRONLY)
        self._out = NonBlockingWriter(1 if own is None else own, _ROOM, blocking=own is None)
        tty = RawTty(0)
        numbers = (signal.SIGWINCH, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT)
        try:
            with SignalWatcher(numbers) as signals, tty:
                self._resize()
                self._draw()
                self._take_events()
                while not self._left and (self._exit is None or self._out.pending):
                    self._step(signals, tty)
                    self._take_events()
                self._out.drain(1.0)
                self._give_back()
        finally:
            if own is not None:
                os.close(own)
        return self._exit

    def _step(self, signals: SignalWatcher, tty: RawTty) -> None:
        poll = select.poll()
        poll.register(signals.fd, select.POLLIN)
        if not self._input.full:
            poll.register(0, select.POLLIN)
        if self._out.pending:
            poll.register(self._out.fd, select.POLLOUT)
        mask = select.POLLIN if not self._out.full and self._exit is None else 0
        if mask := mask | (select.POLLOUT if self._input.pending else 0):
            poll.register(self._socket.fileno(), mask)
        for fd, events in poll.poll():
            if fd == signals.fd:
                self._signalled(signals.take(), tty)
            elif fd == 0:
                self._read_keys()
            elif fd == self._out.fd:
                self._out.flush()
            else:
                self._input.flush()
                if events & ~select.POLLOUT:
                    self._read_events()
        if self._out.closed:
            self._left = True

    def _signalled(self, numbers: Any, tty: RawTty) -> None:
        for number in numbers:
            if number == signal.SIGWINCH:
                self._resize()
            elif number == signal.SIGCONT:
                tty.enter_raw()
                self._draw()
            else:
                self._left = True

    def _read_keys(self) -> None:
        try:
            data = os.read(0, CHUNK)
        except OSError:
            data = b""
        if not data:
            self._left = True
            return
        at = -1 if _PASTE in data else _found(data)
        if at >= 0:
            data, self._left = data[:at], True
        if data:
            self._input.write(pack({"do": "input", "data": data}))

    def _read_events(self) -> None:
        try:
            data = self._socket.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._events += self._decoder.feed(data)
        elif self._exit is None:
            self._left = True  # its wrapper was killed, and could not say so

    def _take_events(self) -> None:
        events, self._events = self._events, []
        for event in events:
            match event:
                case Output(_, data):
                    self._show(data)
                case Gap(_, lost):
                    self._position += lost
                    self._draw()
                case Resize(_, columns, lines):
                    self._size = Size(columns, lines)
                case Exit(_, status):
                    self._exit = status
                case _:
                    pass

    def _show(self, data: bytes) -> None:
        """Write on what is not in the picture already."""
        self._position += len(data)
        known, self._skip = min(self._skip, len(data)), max(0, self._skip - len(data))
        if known < len(data):
            self._out.write(data[known:])
            for switch in _SCREENS.finditer(self._tail + data[known:]):
                self._alternate = switch[1] == b"h"
            self._tail = data[-_LONGEST:]

    # -- the window

    def _resize(self) -> None:
        """Give the agent's window this terminal's size, where it has none."""
        with suppress(OSError):
            window = get_size(1)
            size = Size(window.columns, window.lines)  # pixels are this terminal's own
            if self._headless and size != self._size and size.columns and size.lines:
                self._size = size
                request = {"do": "resize", "columns": size.columns, "lines": size.lines}
                self._input.write(pack(request))

    def _draw(self) -> None:
        """Show the screen as it is, and remember from which byte on the rest is new."""
        picture = self._picture()
        if picture is None:
            return
        self._skip = max(0, int(picture["offset"]) - self._position)
        self._alternate = bool(picture["alternate"])
        drawing = str(picture["drawing"]) + str(picture["modes"])
        self._out.write(_CLEAR + drawing.encode("utf-8", "replace"))

    def _picture(self) -> dict[str, Any] | None:
        """The screen once its observer is as far as we are; None where there is none to be had."""
        picture, end = None, time.monotonic() + _SHOWN
        while time.monotonic() < end:
            with suppress(CaptureError, NotFoundError):
                picture = look(self._view.folder)
                size = Size(picture["columns"], picture["lines"])
                current = size == self._size and picture["offset"] >= self._position
                if current and picture["at_ground"]:
                    return picture
            self._input.flush()
            time.sleep(_AGAIN)
        return picture

    def _give_back(self) -> None:
        """Leave the terminal as a shell wants it; below what is shown, if the agent runs on."""
        leave = b"\x1b[?1049l" if self._alternate else b""
        below = b"\x1b[999;1H\r\n" if self._exit is None and not leave else b""
        self._out.write(leave + _RESET + below)
        self._out.drain(1.0)


def _found(data: bytes) -> int:
    """Where the key to leave by is, -1 if nowhere."""
    places = [at for key in (DETACH, _DETACH_KITTY) if (at := data.find(key)) >= 0]
    return min(places, default=-1)


def _fits(inner: Size, outer: Size) -> bool:
    return inner.columns <= outer.columns and inner.lines <= outer.lines


__all__ = ["DETACH", "attach"]
