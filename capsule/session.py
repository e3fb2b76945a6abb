"""`Session`: run an agent to its end, forward both ways, tell the sinks.

One process, one loop, no thread. Forwarding comes first and never waits: each direction has
a bounded queue, and a full one stops the reading on its other side, as a terminal's own buffer
would. Bytes are written on before any sink hears of them. A sink that fails is dropped and noted;
the agent never learns of it. Cost: O(bytes), a handful of system calls per 4 KiB.
"""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import ExitStack

from .events import Exit, Header, Keys, Output, Resize
from .fd_writer import CHUNK, NonBlockingWriter
from .leftover_output import hand_over
from .loop import DRAIN_LIMIT, SINK_TIMEOUT, PollSet, ShutdownState, SinkDispatcher
from .outer_terminal import OuterReports, StatusQueryResponder
from .signals import FORWARDED, JOB_CONTROL, SignalWatcher, reached_foreground
from .stdio import HEADLESS, PIPE, TERMINAL, mode_of, open_io
from .tty import AgentWindow, Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .events import Sink
    from .pipe import Pipe
    from .pty import Pty

BURST = 16  # reads (of about 4 KiB) before the other descriptors get their turn: some 1 ms

_ENDED = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Session:
    """One run of an agent.

    `argv`, `env`: the agent's, exactly. `mode`: see stdio.py; found out when None. `size`: of the
    window in headless mode (80x24). `echo`: descriptor that gets the output in headless mode.
    `sinks`: the receivers. `control`: path of the control socket. `header`: more fields of the `Header`
    event. `sink_timeout`: seconds the end waits for sinks. `answer_status_query`: asked at the agent's
    first query for program status, whether it may be answered (outer_terminal.py); None: never.
    `tell_keys`: whether sinks that take keys are told what is typed.

    `spawned`: whether the agent was started. `offset`: bytes it has written so far.
    """

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        mode: str | None = None,
        size: Size | None = None,
        echo: int | None = None,
        sinks: Sequence[Sink] = (),
        control: str | None = None,
        header: Mapping[str, object] | None = None,
        sink_timeout: float = SINK_TIMEOUT,
        answer_status_query: Callable[[], bool] | None = None,
        tell_keys: bool = False,
    ) -> None:
        self.argv = list(argv)
        self.mode = mode or mode_of()
        self._window = AgentWindow(
            size or Size(80, 24),
            lambda size: self._dispatcher.emit(Resize(time.time(), size.columns, size.lines)),
        )
        self._env = env
        self._echo = echo
        self._dispatcher = SinkDispatcher(sinks)
        self._control = control
        self._header = dict(header or {})
        self._sink_timeout = sink_timeout
        self._tells_keys = tell_keys and self.mode != PIPE
        self._responder = StatusQueryResponder(
            at_once=self.mode == HEADLESS,
            term=env.get("TERM", ""),
            allowed=None if self.mode == PIPE else answer_status_query,
        )
        self.spawned = False
        self.offset = 0
        self.input_offset, self.input_at = 0, float("-inf")
        self._poll = PollSet()
        self._child: Pty | Pipe
        self._signals: SignalWatcher
        self._stdin = -1
        self._out = NonBlockingWriter(None, 0)
        self._eof = False  # no more output can come
        self._shutdown = ShutdownState()
        self._reports = OuterReports(self._responder.outstanding)

    @property
    def notes(self) -> list[str]:
        """Sentences about what went wrong around the agent, fit for the user."""
        return self._dispatcher.notes

    @property
    def size(self) -> Size:
        """The size that the agent's window has."""
        return self._window.size

    @property
    def died_of(self) -> int:
        """The signal that ended the agent, 0 where it ended in its own way."""
        return self._child.died_of if self.spawned else 0

    def run(self) -> int:
        """Run the agent to its end; its exit code, 128+n on signal n.

        Raises `SpawnError` before anything else has happened: no event, no changed terminal.
        """
        with ExitStack() as stack:
            self._spawn(stack)
            caught = FORWARDED if self.mode == PIPE else (*FORWARDED, *JOB_CONTROL)
            self._signals = stack.enter_context(SignalWatcher((*caught, signal.SIGCHLD)))
            try:
                tty = self._window.tty
                with tty or ExitStack():
                    self._forward_whatever_fails()
                    if tty and self._stdin < 0 and not self._out.closed:
                        self._reports.drain(tty.fd)
                if self._shutdown.is_held(eof=self._eof) and not self._out.closed:
                    hand_over(self._child.fd, self._out.fd)
            finally:
                self._child.close()
                self._finish()
        if failure := self._out.failure:  # a program that writes there itself would have failed
            self.notes.append(f"not all of the output could be written: {failure}")
        return self._shutdown.status or int(bool(failure))

    def _spawn(self, stack: ExitStack) -> None:
        """Start the agent and take hold of both ends."""
        io = open_io(self.mode, self.argv, self._env, stack, size=self.size, echo=self._echo)
        self.spawned = True
        self._child, self._out, self._eof = io.child, io.out, io.output_inherited
        self._stdin = io.stdin
        self._window.attach(io.child, io.tty, io.size)

    def _begin(self) -> None:
        """Tell the sinks, open the control socket: the agent runs."""
        fields: dict[str, object] = {
            "at": time.time(), "argv": self.argv, "pid": self._child.pid, "wrapper": os.getpid(),
            "mode": self.mode, "term": self._env.get("TERM", ""),
        }  # fmt: skip
        if self.mode != PIPE:
            fields |= {"columns": self.size.columns, "lines": self.size.lines}
        self._dispatcher.emit(Header(fields | self._header))
        self._window.follow()  # it may have changed before SIGWINCH was caught
        if self._control is not None:
            from .control import ControlServer

            try:
                self._dispatcher.add(ControlServer(self._control, self))
            except Exception as error:
                self.notes.append(f"no control socket: {error}")

    def _forward_whatever_fails(self) -> None:
        """Begin and forward. What fails of ours ends the capture, and the agent continues."""
        try:
            self._begin()
            self._forward()
        except Exception as error:
            self.notes.append(f"nothing more is captured: {type(error).__name__}: {error}")
            self._dispatcher.drop_all()
            self._forward()

    def _forward(self) -> None:
        """The loop, until the agent has ended and all it wrote is delivered."""
        self._check_child()
        self._window.enter_raw()
        while True:
            if self._shutdown.status is not None and not self._eof and not self._out.full:
                self._pump()  # until a read finds nothing: poll(2) would not tell us that
            if self._is_finished():
                break
            self._window.regain()
            now = time.monotonic()
            timeout = self._window.timeout(self._shutdown.timeout(eof=self._eof))
            timeout = self._dispatcher.timeout(now, self._responder.timeout(now, timeout))
            for fd, events in self._poll.poll(self._interest(), timeout):
                self._serve(fd, events)
            self._dispatcher.expire(time.monotonic())
            if held := self._responder.expire(time.monotonic()):
                self._child.write(held)

    def _finish(self) -> None:
        """Close the sinks, waiting for them within bounds; a signal ends the waiting."""
        self._out.write(self._reports.close())
        if self._shutdown.status is not None:
            self._dispatcher.emit(Exit(time.time(), self._shutdown.status))
        self._dispatcher.close()
        if not self._shutdown.abandoned:
            self._dispatcher.drain(
                self._poll, self._sink_timeout, self._signals.fd, self._take_signals
            )
        self._dispatcher.abort_all()

    def _interest(self) -> dict[int, int]:
        """Which descriptors matter now. A hung-up one would wake us for ever: it is left out."""
        child, out = self._child, self._out
        want = {self._signals.fd: select.POLLIN}
        if not out.closed:
            want[out.fd] = select.POLLOUT if out.pending else 0
        if not self._eof:
            mask = 0 if out.full else select.POLLIN
            if child.input.pending:
                mask |= select.POLLOUT
            if mask:
                want[child.fd] = mask
        if self._stdin >= 0 and not child.input.full and self._window.is_typed_from:
            want[self._stdin] = select.POLLIN
        want.update(self._dispatcher.poll_fds())
        return want

    def _serve(self, fd: int, events: int) -> None:
        """One descriptor is ready."""
        if fd == self._child.fd:
            if events & select.POLLOUT:
                self._child.input.flush()
            if events & ~select.POLLOUT and not self._out.full:
                self._pump()
        elif fd == self._stdin:
            self._read_stdin()
        elif fd == self._out.fd:
            if events & _ENDED:
                self._out.close()
            self._out.flush()
            self._check_terminal()
        elif fd == self._signals.fd:
            self._take_signals()
        else:
            self._dispatcher.ready(fd)

    def _pump(self) -> None:
        """Forward what the agent wrote, then tell the sinks."""
        chunks: list[bytes] = []
        for _ in range(BURST):
            data = self._child.read()
            if not data:
                self._eof = data is not None
                self._shutdown.on_drained()
                break
            self._out.write(data)
            chunks.append(data)
            if self._out.full:
                break
        if chunks:
            burst = b"".join(chunks)
            answer = self._responder.output(burst, time.monotonic())
            if answer and not self._child.input.full:
                self._child.write(answer)
            self._shutdown.read(len(burst), time.monotonic())
            self._tell(burst)
        self._check_terminal()

    def _tell(self, data: bytes) -> None:
        """Tell the sinks what the agent wrote, and the terminal its state where that may stand now."""
        self._out.write(self._reports.output(data))
        self.offset += len(data)
        self._dispatcher.emit(Output(time.time(), data))

    def _read_stdin(self) -> None:
        try:
            data = os.read(self._stdin, CHUNK)
        except BlockingIOError:
            return
        except OSError:  # EIO: hung up
            data = b""
        if not data:
            self._lose_terminal()
            return
        data, report = self._reports.input(data)
        self._out.write(report)
        if self._responder.waiting:
            data = self._responder.input(data, time.monotonic())
        if data:
            self._type(data)
            if self._window.tty and self._window.tty.is_ours():
                for number in self._child.keyboard_signals(data):
                    self._signals.share(number)

    def _type(self, data: bytes) -> None:
        """Type into the agent, then tell what was typed, unless it is read without echo."""
        hidden = not self._tells_keys or self._child.hides_input()
        self._child.write(data)
        self.input_offset, self.input_at = self.input_offset + len(data), time.monotonic()
        if not hidden:
            self._dispatcher.emit_keys(Keys(time.time(), data))

    def _take_signals(self) -> bool:
        """Act on the signals that came; whether to deliver on."""
        for number in self._signals.take():
            if number == signal.SIGCHLD:
                self._check_child()
            elif number == signal.SIGWINCH:
                self._window.follow()
            elif number == signal.SIGCONT:
                self._window.resume()
                self._child.signal(number)
            elif self._shutdown.status is not None:
                # Nothing is left to signal: stop delivering, and leave. Nothing is left to suspend.
                self._shutdown.abandoned |= number not in JOB_CONTROL
            elif self.mode != PIPE or not reached_foreground(number):
                self._child.signal(number)
        return not self._shutdown.abandoned

    def _check_child(self) -> None:
        """See whether the agent has ended or is stopped."""
        if self._shutdown.status is not None:
            return
        status = self._child.wait()
        if status is not None:
            self._shutdown.exit(status, time.monotonic())
            self._stdin = -1
        elif self._child.stopped:
            self._suspend()

    def _suspend(self) -> None:
        """The agent has stopped itself: so do we, with the terminal given back."""
        while not self._out.full and (data := self._child.read()):
            self._out.write(data)
            self._tell(data)
        self._out.drain(DRAIN_LIMIT)
        if tty := self._window.tty:
            tty.restore()
            # Where it does not control us no shell waits for our job.
            self._signals.suspend(whole_group=tty.is_ours())
            self._signals.discard(signal.SIGCONT)
            self._window.resume()
        self._child.resume()

    def _check_terminal(self) -> None:
        """Our stdout may be gone: the agent shall see what it would see without us."""
        if not self._out.closed:
            return
        if self.mode == PIPE and not self._eof:
            self._eof = True
            self._child.hang_up()
        elif self._window.tty:
            self._lose_terminal()

    def _lose_terminal(self) -> None:
        self._out.close()
        self._stdin = -1
        if self._shutdown.mark_hung_up(time.monotonic()):
            self._child.hang_up()

    def _is_finished(self) -> bool:
        """Whether the agent has ended and everything is delivered, or can not be."""
        shutdown, now = self._shutdown, time.monotonic()
        if shutdown.status is not None:
            return shutdown.is_complete(now, eof=self._eof, pending=self._out.pending)
        if not shutdown.hangup_ignored(now):
            return False
        if not self._eof:
            # It ignores the hang-up. Closing its terminal is all a terminal could do.
            self._eof = True
            self._child.close()
            return False
        shutdown.assume_killed()
        return True

    def type(self, data: bytes) -> bool:
        """Type `data` into the agent for another process; False when it does not take it now."""
        if self.mode == PIPE or self._shutdown.status is not None or self._child.input.full:
            return False
        self._type(data)
        return True

    @property
    def input_full(self) -> bool:
        """Whether the agent has to read before it can be typed to."""
        return self._child.input.full

    def set_size(self, columns: int, lines: int) -> bool:
        """Give a window that is no terminal's another size; False where it is one's."""
        if self.mode == HEADLESS and self._shutdown.status is None:
            self._window.resize(Size(columns, lines))
        return self.mode == HEADLESS

    def report(self, data: bytes) -> bool:
        """Say the agent's state to the outer terminal, once that may be; False where there is none."""
        if self._has_terminal:
            self._out.write(self._reports.report(data))
        return self._has_terminal

    def announce(self, data: bytes) -> bool:
        """Write sequences that the operator asked for; False where there is no terminal for them."""
        sequences = self._reports.announce(data) if self._has_terminal else None
        self._out.write(sequences or b"")
        return sequences is not None

    @property
    def _has_terminal(self) -> bool:
        return self.mode == TERMINAL and self._shutdown.status is None
