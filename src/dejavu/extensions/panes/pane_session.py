"""One pane with an agent in it as a session: status, archive, and the sockets that others ask.

The same observer as next to a wrapped agent, in the watcher's process; the watcher takes the
wrapper's place. Typing goes through the multiplexer. Of what went by before, all we know is
the pane's scrollback: that is a gap.

Tested in: tests/extensions/panes/test_watcher.py
"""

import contextlib
import os
import select
import time
from collections.abc import Callable
from pathlib import Path

from dejavu.capsule import Header, Output, Resize, Size
from dejavu.capsule.control import ControlServer
from dejavu.config.files import read_json, write_json
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.observer import SessionObserver
from dejavu.sessions.observer.screen_server import ScreenServer

from .multiplexer import Multiplexer, Pane
from .pane_input import PaneInput
from .processes import AgentProcess, environment_of, working_folder

_LATE = 5.0
"""Seconds after its start that an agent is met: what it drew before is not known whole."""
_TOO_FAST = "its pane printed faster than it is read: some of that was not seen"
_TRIES = 8


class PaneSession:
    """An agent in a pane, from the moment it is met.

    Raises:
        OSError: the session's folder cannot be made.
    """

    def __init__(
        self,
        pane: Pane,
        agent: AgentProcess,
        multiplexer: Multiplexer,
        *,
        styled: bool,
        log: Callable[[str], None],
    ) -> None:
        self.agent, self._log = agent, log
        self._input = PaneInput(pane, multiplexer, log)
        self._observer = SessionObserver(environment_of(agent.pid))
        now = time.time()
        header = _create(pane, agent, now)
        self.id = header.id
        self.folder = sessions.sessions_folder() / header.id
        self._servers = self._listen()
        self._observer.event(
            Header(
                {
                    **header._asdict(),
                    "screen": None if styled else False,  # not all of it is seen
                    "folder": str(self.folder),
                    "pid": agent.pid,
                    "mode": "terminal" if styled else "text",
                    "columns": pane.columns,
                    "lines": pane.lines,
                }
            )
        )
        if not styled:
            self._observer.note("its pane tells no styles, so states are less certain")
        if now - agent.started_at > _LATE:
            since = time.strftime("%H:%M:%S", time.localtime(now))
            self._observer.missed(
                f"before {since} it was not watched: only its pane's scrollback is known", now
            )

    @property
    def pane(self) -> Pane:
        """The pane, as its multiplexer listed it last."""
        return self._input.pane

    @pane.setter
    def pane(self, pane: Pane) -> None:
        self._input.pane = pane

    # -- what the pane shows

    def output(self, data: bytes, at: float) -> None:
        """The pane's program wrote, or what its screen shows was sent again."""
        self._observer.event(Output(at, data))

    def resize(self, columns: int, lines: int, at: float) -> None:
        """The pane has another size."""
        if (columns, lines) != (self._input.size.columns, self._input.size.lines):
            self._input.size = Size(columns, lines)
            self._observer.event(Resize(at, columns, lines))

    def gap(self, at: float) -> None:
        """Output went by unread; how much, only the multiplexer could tell."""
        self._observer.missed(_TOO_FAST, at)

    @property
    def is_quiet(self) -> bool:
        """Whether hardly anything moved in the pane when it was last read."""
        return self._observer.is_quiet

    @property
    def due(self) -> float | None:
        """Unix seconds of the next tick wanted."""
        return self._observer.due

    def tick(self, now: float, share: int) -> None:
        """Do what has become due; `share`: sessions that are watched by this process."""
        self._observer.share = share
        self._observer.tick(now)

    # -- its sockets

    def poll_fds(self) -> list[tuple[int, int]]:
        """What to wait for, with its poll mask."""
        fds: list[tuple[int, int]] = []
        for server in self._servers:
            if isinstance(server, ScreenServer):
                fds.append((server.fileno(), select.POLLIN))
            else:
                fds += server.poll_fds()
        return fds

    def ready(self, fd: int) -> None:
        """Answer who asks. Never raises on account of them."""
        for server in self._servers:
            if isinstance(server, ScreenServer):
                if fd == server.fileno():
                    server.ready()
            elif any(fd == mine for mine, _ in server.poll_fds()):
                with contextlib.suppress(OSError):
                    server.ready(fd)

    # -- its end

    def finish(self) -> None:
        """The agent has ended: archive what is to be kept."""
        self._observer.finish()
        self._close()

    def leave(self, reason: str, *, late: bool) -> None:
        """The agent runs on, but is no longer watched from here; `late`: its own log is left alone."""
        self._observer.leave(reason, follow=not late)
        self._close()

    def _close(self) -> None:
        for server in self._servers:
            with contextlib.suppress(OSError):
                if isinstance(server, ScreenServer):
                    server.close()
                else:
                    server.abort()
        self._servers = []
        self._observer.close()
        # The watcher continues: that this session is over is not to be seen by its process.
        with contextlib.suppress(OSError):
            path = self.folder / "session.json"
            write_json(path, {**read_json(path), "wrapper_pid": 0})

    def _listen(self) -> list[ControlServer | ScreenServer]:
        servers: list[ControlServer | ScreenServer] = []
        try:
            servers.append(ControlServer(self.folder / "control", self._input))
            servers.append(ScreenServer(self.folder, self._observer.picture))
        except OSError as error:
            self._log(f"{self.pane.source}: it cannot be asked or typed into: {error.strerror}")
        return servers


def _create(pane: Pane, agent: AgentProcess, now: float) -> sessions.SessionHeader:
    """Make the session's folder. Raises OSError."""
    for _ in range(_TRIES):
        header = sessions.SessionHeader(
            id=sessions.new_session_id(now),
            agent=agent.agent,
            argv=agent.argv,
            workspace=working_folder(agent.pid) or pane.workspace,
            instance=environment_of(agent.pid).get("DEJAVU_INSTANCE", ""),
            name=pane.source,
            wrapper_pid=os.getpid(),
            wrapper_started=sessions.process_started(os.getpid()) or 0,
            # Its own trace began when it did, not when it was met.
            started_at=min(now, agent.started_at),
            screen=False,
            agent_pid=agent.pid,
            source=pane.source,
        )
        with contextlib.suppress(FileExistsError):
            sessions.create(header)
            return header
    raise FileExistsError(17, "no name for the session's folder is free", str(Path()))
