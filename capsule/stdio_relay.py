"""`StdioRelay`: stand between a program that is spoken to over stdin and stdout, and who started it.

Passes every byte both ways unchanged and tells the sinks of them afterwards. What holds without us
holds with us: an end of input reaches the program, an output it closes is closed here, who reads
too slowly slows the other side down, signals go to the program, and its end is ours. stderr is
inherited. Sinks are never waited for. Cost: O(bytes), 64 KiB a read; at most `OUTPUT_LIMIT` and a
burst wait in each direction.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import time
from contextlib import ExitStack, suppress

from .events import Exit, Header, Input, Output
from .fd_writer import CHUNK, NonBlockingWriter
from .loop import PollSet, ShutdownState, SinkDispatcher
from .pipe import start
from .signals import SignalWatcher, reached_foreground
from .stdio import OUTPUT_LIMIT, writer_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .events import Sink

_FORWARDED = (
    signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class StdioRelay:
    """One run of a program. `header` is added to the fields of the `Header` event.

    `spawned`: whether it was started. `status` is its wait status afterwards.
    """

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        sinks: Sequence[Sink] = (),
        header: Mapping[str, object] | None = None,
    ) -> None:
        self.argv = list(argv)
        self.spawned = False
        self.status = 0
        self._env = env
        self._dispatcher = SinkDispatcher(sinks)
        self._header = dict(header or {})
        self._poll = PollSet()
        self._shutdown = ShutdownState()
        self._pid = -1
        self._stdin = 0  # ours; -1 once it has ended
        self._output = -1  # where the program's stdout comes; -1 once it has ended
        self._to_program = NonBlockingWriter(None, 0)
        self._out = NonBlockingWriter(None, 0)

    @property
    def notes(self) -> list[str]:
        """Sentences about what went wrong around the program."""
        return self._dispatcher.notes

    def run(self) -> int:
        """Run the program to its end; its exit code, 128+n on signal n.

        Raises `SpawnError` before anything else has happened.
        """
        with ExitStack() as stack:
            signals = stack.enter_context(SignalWatcher([*_FORWARDED, signal.SIGCHLD]))
            self._spawn(stack)
            try:
                self._emit(lambda at: Header({**self._fields(at), **self._header}))
                self._forward(signals)
            finally:
                self._close_output()
                self._close_input()
                status = self._shutdown.status
                if status is not None:
                    self._emit(lambda at: Exit(at, status))
                self._dispatcher.close()
                self._dispatcher.abort_all()  # what is queued is written by a separate process
        return self._shutdown.status or 0

    def _fields(self, at: float) -> dict[str, object]:
        return {
            "at": at, "argv": self.argv, "pid": self._pid, "wrapper": os.getpid(), "mode": "stdio",
        }  # fmt: skip

    def _spawn(self, stack: ExitStack) -> None:
        its_input, to_program = _channel(0)
        try:
            output, its_output = _channel(1)
        except OSError:
            os.close(its_input)
            os.close(to_program)
            raise
        try:
            self._pid = start(self.argv, self._env, {0: its_input, 1: its_output})
        except Exception:
            os.close(to_program)
            os.close(output)
            raise
        finally:
            os.close(its_input)
            os.close(its_output)
        self.spawned = True
        self._output = output
        for fd in (to_program, output):
            os.set_blocking(fd, False)
        self._to_program = NonBlockingWriter(to_program, OUTPUT_LIMIT)
        self._out = writer_for(1, stack)

    # -- the loop

    def _forward(self, signals: SignalWatcher) -> None:
        """Until the program has ended and all that it wrote is delivered, or cannot be."""
        self._check_program()
        while True:
            if self._shutdown.status is not None and self._output >= 0 and not self._out.full:
                self._read_output()  # until a read finds nothing
            eof = self._output < 0
            if self._shutdown.status is not None and self._shutdown.is_complete(
                time.monotonic(), eof=eof, pending=self._out.pending
            ):
                return
            want = {signals.fd: select.POLLIN, **self._interest()}
            for fd, events in self._poll.poll(want, self._shutdown.timeout(eof=eof)):
                if fd == signals.fd:
                    self._take_signals(signals)
                else:
                    self._serve(fd, events)

    def _interest(self) -> dict[int, int]:
        want: dict[int, int] = {}
        if self._output >= 0 and not self._out.full:
            want[self._output] = select.POLLIN
        if not self._out.closed:
            want[self._out.fd] = select.POLLOUT if self._out.pending else 0
        if not self._to_program.closed:
            want[self._to_program.fd] = select.POLLOUT if self._to_program.pending else 0
            if self._stdin >= 0 and not self._to_program.full:
                want[self._stdin] = select.POLLIN
        want.update(self._dispatcher.poll_fds())
        return want

    def _serve(self, fd: int, events: int) -> None:
        if fd == self._output:
            self._read_output()
        elif fd == self._stdin:
            self._read_input()
        elif fd == self._out.fd:
            self._out.flush()
            if events & _GONE:
                self._out.close()
            self._check_reader()
        elif fd == self._to_program.fd:
            self._to_program.flush()
            if events & _GONE:
                self._to_program.close()
            self._check_input()
        else:
            self._dispatcher.ready(fd)

    def _read_output(self) -> None:
        try:
            data = os.read(self._output, CHUNK)
        except BlockingIOError:
            self._shutdown.on_drained()
            return
        except OSError:
            data = b""
        if not data:
            os.close(self._output)
            self._output = -1
            self._check_reader()
            return
        self._out.write(data)
        self._shutdown.read(len(data), time.monotonic())
        self._emit(lambda at: Output(at, data))
        self._check_reader()

    def _read_input(self) -> None:
        try:
            data = os.read(self._stdin, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._to_program.write(data)
            self._emit(lambda at: Input(at, data))
        else:
            self._stdin = -1
        self._check_input()

    def _check_input(self) -> None:
        """Pass on the end of the input, and that no one reads it."""
        if self._to_program.closed or (self._stdin < 0 and not self._to_program.pending):
            self._close_input()

    def _check_reader(self) -> None:
        """Pass on the end of the output, and that no one reads it."""
        if self._out.closed and self._output >= 0:
            os.close(self._output)
            self._output = -1
        if self._output < 0 and not self._out.pending and self._shutdown.status is None:
            self._close_output()

    def _close_input(self) -> None:
        """Neither give the program any more to read nor take it; once."""
        if self._to_program.fd >= 0:
            self._to_program.close()
            os.close(self._to_program.fd)
            self._to_program.fd = -1
            self._stdin = -1
            _release(0, os.O_RDONLY)

    def _close_output(self) -> None:
        """Let the reader of our stdout see its end, as long as the program runs on."""
        if self._output >= 0:
            os.close(self._output)
            self._output = -1
        if self._out.fd >= 0 and self._shutdown.status is None:
            fd, self._out = self._out.fd, NonBlockingWriter(None, 0)
            if fd != 1:
                _release(fd, os.O_WRONLY)
            _release(1, os.O_WRONLY)

    def _take_signals(self, signals: SignalWatcher) -> None:
        for number in signals.take():
            if number == signal.SIGCHLD:
                self._check_program()
            elif self._shutdown.status is not None:
                self._shutdown.abandoned = True
            elif not reached_foreground(number):
                with suppress(ProcessLookupError):
                    os.kill(self._pid, number)

    def _check_program(self) -> None:
        if self._shutdown.status is not None:
            return
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if pid:
            self.status = status
            code = os.waitstatus_to_exitcode(status)
            self._shutdown.exit(code if code >= 0 else 128 - code, time.monotonic())

    def _emit(self, event: Callable[[float], Header | Input | Output | Exit]) -> None:
        self._dispatcher.emit(event(time.time()))


def _channel(fd: int) -> tuple[int, int]:
    """A reading and a writing end, of the kind that `fd` is: a socket's where that is one."""
    if stat.S_ISSOCK(os.fstat(fd).st_mode):
        import socket  # editors in Node hand over sockets; others pipes

        reading, writing = socket.socketpair()
        return reading.detach(), writing.detach()
    return os.pipe()


def _release(fd: int, flags: int) -> None:
    """Close what `fd` refers to and keep the number taken."""
    null = os.open(os.devnull, flags | os.O_CLOEXEC)
    os.dup2(null, fd, inheritable=fd < 3)
    os.close(null)
