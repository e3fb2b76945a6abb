"""Follows every pane that runs an agent, each as a session, from one loop.

Listing panes, and looking at those whose output is not to be had, is done by a `Poller` for each
multiplexer; output that tmux streams is read here at once and fed to the panes' terminals at the
pace of `watched_pane`. Memory: of these terminals, and `tmux_client.PENDING` bytes a pane.
"""

import contextlib
import os
import queue
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import partial

from dejavu.config.own_program import own_program
from dejavu.sessions import session_store as sessions

from .drawing import paint
from .multiplexer import Multiplexer, PaneError
from .pane_session import PaneSession
from .poller import Agent, Listing, Poller, Shown
from .processes import AgentProcess
from .tmux_client import TmuxClient
from .watched_pane import WatchedPane

QUANTUM = 0.01
"""Seconds between two turns of the loop, at the least."""

_BUSY = 16 << 10  # bytes that a client printed in a turn: then the next one follows at once
_TURN = 0.1  # seconds between two calls of `on_turn`
_REFUSED = 10.0  # seconds for which a session is only looked at whose client ended at once
_LEAVE = 0.5  # seconds at the end for agents' session logs; `dejavu sync` reads the others
_IDLE = 0.25  # seconds between two looks whether processes live, where the system does not say
Key = tuple[str, str, str]


class Watcher:
    """Watches until `stop`.

    `on_turn` is called after each turn of the loop, at most 10 times a second; `note` takes a
    sentence for the user.
    """

    def __init__(
        self,
        multiplexers: Sequence[Multiplexer],
        *,
        on_turn: Callable[[], None],
        note: Callable[[str], None],
    ) -> None:
        self._on_turn, self._note = on_turn, note
        self._watched: dict[Key, WatchedPane] = {}
        self._clients: dict[tuple[str, str], TmuxClient] = {}
        self._refused: dict[tuple[str, str], float] = {}
        self._results: queue.SimpleQueue[Listing | Shown] = queue.SimpleQueue()
        self._wake, self._waker = os.pipe()  # macOS has no pipe2
        os.set_blocking(self._wake, False)
        os.set_blocking(self._waker, False)
        self._pollers = {one.name: Poller(one, self._results, self._notify) for one in multiplexers}
        self._multiplexers = {one.name: one for one in multiplexers}
        self._problems: set[str] = set()
        self._children: list[subprocess.Popen[bytes]] = []
        self._stopped = self._suspended = self._busy = False
        self._turned_at = self._look_at = self._polled_at = 0.0
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[int], None]] | None = None  # None: to be rebuilt

    @property
    def sessions(self) -> list[str]:
        """The ids of the sessions that are watched now."""
        return [watched.session.id for watched in self._watched.values()]

    def stop(self) -> None:
        """End the loop; may be called by a signal's handler."""
        self._stopped = True
        self._notify()

    def suspend(self) -> None:
        """Detach from everything, stop this process, and go on when it is continued.

        May be called by a signal's handler: the loop does it between two turns, for a handler
        comes in the middle of one, when a client may be half made or half read.
        """
        self._suspended = True
        self._notify()

    def run(self) -> None:
        """Watch, and leave every session when it is over."""
        for poller in self._pollers.values():
            poller.start()
        try:
            while not self._stopped:
                if self._suspended:
                    self._rest()
                self._turn()
        finally:
            for poller in self._pollers.values():
                poller.stop()
            for client in self._clients.values():
                client.detach()
            until = time.monotonic() + _LEAVE
            for key in list(self._watched):
                late = time.monotonic() >= until
                self._end(key, "it is not watched any more; its agent runs on", late=late)
            for client in self._clients.values():
                client.close()

    # -- the loop

    def _rest(self) -> None:
        """Stand still until this process is continued, attached to nothing.

        A client that reads nothing would keep tmux from reading panes that no other client shows.
        """
        self._suspended = False
        for client in list(self._clients.values()):
            client.close()
            client.ended = True
        os.kill(os.getpid(), signal.SIGSTOP)
        self._notify()

    def _turn(self) -> None:
        ready = self._wait()
        now, clock = time.time(), time.monotonic()
        handlers = self._handlers or {}
        for fd in ready:
            if fd in handlers:
                handlers[fd](fd)
        for place, client in list(self._clients.items()):
            if not client.ended and (client.fileno() in ready or client.unwritten):
                self._busy |= client.ready(clock) >= _BUSY
            if client.ended:
                self._lose(place, client)
        while not self._results.empty():
            result = self._results.get()
            if isinstance(result, Listing):
                self._list(result)
            else:
                self._show(result, now)
        self._feed(now, clock)
        self._reap(ready, clock)
        if clock - self._turned_at >= _TURN:
            self._turned_at = clock
            self._on_turn()

    def _wait(self) -> set[int]:
        """Wait until there is something to do; the descriptors that are ready."""
        if self._handlers is None:
            self._handlers = self._registered()
        ready = self._poll.poll(self._timeout() * 1000)
        pause = self._polled_at + QUANTUM - time.monotonic()
        if 0 < pause <= QUANTUM and not (self._busy or self._stopped):
            # Panes that print at about the same moment are read in one turn.
            time.sleep(pause)
            ready += self._poll.poll(0)
        self._polled_at, self._busy = time.monotonic(), False
        return {fd for fd, _ in ready}

    def _registered(self) -> dict[int, Callable[[int], None]]:
        """Wait for all that there is to wait for; what is to be called for each descriptor."""
        self._poll = poll = select.poll()
        handlers: dict[int, Callable[[int], None]] = {}
        poll.register(self._wake, select.POLLIN)
        handlers[self._wake] = self._woken
        for client in self._clients.values():
            poll.register(client, select.POLLIN)
        for watched in self._watched.values():
            if watched.pidfd >= 0:
                poll.register(watched.pidfd, select.POLLIN)
            for fd, mask in watched.session.poll_fds():
                poll.register(fd, mask)
                handlers[fd] = partial(self._asked, watched)
        return handlers

    def _woken(self, fd: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(fd, 4096)

    def _asked(self, watched: WatchedPane, fd: int) -> None:
        """A client asks a session; clients may come or go by that."""
        watched.session.ready(fd)
        self._handlers = None

    def _timeout(self) -> float:
        now, clock = time.time(), time.monotonic()
        times = (watched.time_left(now, clock) for watched in self._watched.values())
        return max(0.0, min((_IDLE, *times)))

    def _feed(self, now: float, clock: float) -> None:
        share = len(self._watched)
        for watched in self._watched.values():
            watched.feed(now, clock)
            watched.tick(now, share)

    def _notify(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._waker, b"x")

    # -- panes that come and go

    def _list(self, listing: Listing) -> None:
        name = listing.multiplexer.name
        for problem in listing.problems:
            self._log(problem)
        agents = {agent.pane.key: agent for agent in listing.agents}
        for key, watched in list(self._watched.items()):
            if key[0] != name:
                continue
            agent = agents.get(key)
            if agent is None or not _same(agent, watched.session):
                self._end(key, "" if _is_over(watched.session) else "its pane is gone")
        for key, agent in agents.items():
            if key not in self._watched and _lives(agent.process):
                self._begin(agent)
            if key in self._watched:
                self._attend(self._watched[key], agent)
        wanted = {
            (watched.session.pane.server, watched.session.pane.group)
            for watched in self._watched.values()
            if watched.stream is not None
        }
        for place in [place for place in self._clients if place not in wanted]:
            self._clients.pop(place).close()
            self._handlers = None

    def _begin(self, agent: Agent) -> None:
        pane, process = agent.pane, agent.process
        multiplexer = self._multiplexers[pane.multiplexer]
        try:
            styled = pane.multiplexer != "screen"
            session = PaneSession(pane, process, multiplexer, styled=styled, log=self._log)
        except OSError as error:
            self._log(f"{pane.source}: {error.strerror}")
            return
        pidfd = -1
        pidfd_open = getattr(os, "pidfd_open", None)  # Linux alone has it
        if pidfd_open is not None:
            with contextlib.suppress(OSError):
                pidfd = int(pidfd_open(process.pid))
        self._watched[pane.key] = WatchedPane(session, pidfd, due=session.due)
        self._handlers = None

    def _attend(self, watched: WatchedPane, agent: Agent) -> None:
        """Follow the pane by its output where that is to be had, else by frames."""
        session, pane = watched.session, agent.pane
        moved = pane.group != session.pane.group
        session.pane = pane
        if watched.stream is not None and (agent.polled or moved):
            self._unfollow(watched)
        if watched.stream is None and not agent.polled:
            client = self._client(pane.server, pane.group)
            if client is not None:
                self._pollers[pane.multiplexer].drop(pane.key)
                watched.client, watched.stream = client, client.follow(pane.id)
                watched.painted = False
                return
        if watched.stream is None and not watched.painted:
            watched.painted = True
            self._pollers[pane.multiplexer].look_at(pane)

    def _client(self, server: str, group: str) -> TmuxClient | None:
        client = self._clients.get((server, group))
        if client is None:
            if time.monotonic() < self._refused.get((server, group), 0.0):
                return None
            try:
                client = TmuxClient(server, group, self._pollers["tmux"].refresh)
            except PaneError as error:
                self._log(str(error))
                return None
            self._clients[server, group] = client
            self._handlers = None
        return client

    def _unfollow(self, watched: WatchedPane) -> None:
        if watched.client is not None:
            watched.client.drop(watched.session.pane.id)
        watched.client = watched.stream = None
        watched.painted = False

    def _lose(self, place: tuple[str, str], client: TmuxClient) -> None:
        """A client has ended: its session or its server is gone, or it was detached."""
        client.close()
        self._clients.pop(place, None)
        if not client.told:
            self._refused[place] = time.monotonic() + _REFUSED
        self._handlers = None
        for watched in self._watched.values():
            if watched.client is client:
                self._unfollow(watched)
        self._pollers["tmux"].refresh()

    def _show(self, shown: Shown, now: float) -> None:
        watched = self._watched.get(shown.key)
        if watched is None or watched.stream is not None:
            return
        frame = shown.frame
        watched.session.resize(frame.columns, frame.lines, now)
        watched.session.output(paint(frame, first=not watched.fed_at), now)
        watched.fed_at, watched.due = time.monotonic(), watched.session.due

    def _end(self, key: Key, reason: str, *, late: bool = False) -> None:
        """A session is over: its agent has ended, or (`reason`) runs on unwatched.

        `late`: there is no time for what can be done later.
        """
        watched = self._watched.pop(key)
        self._handlers = None
        self._unfollow(watched)
        self._pollers[key[0]].drop(key)
        if watched.pidfd >= 0:
            os.close(watched.pidfd)
        if reason:
            watched.session.leave(reason, late=late)
        else:
            watched.session.finish()
            self._index()

    def _reap(self, ready: set[int], clock: float) -> None:
        """End the sessions whose agents have."""
        look = clock >= self._look_at
        if look:
            self._look_at = clock + _IDLE
        for key, watched in list(self._watched.items()):
            silent = watched.pidfd < 0
            if watched.pidfd in ready or (silent and look and _is_over(watched.session)):
                self._end(key, "")
        self._children = [child for child in self._children if child.poll() is None]

    def _index(self) -> None:
        """Bring the indexes up to what was archived, in a separate program."""
        with contextlib.suppress(OSError):
            self._children.append(
                subprocess.Popen(
                    own_program("dejavu.sessions.observer.index_archive"),
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            )  # fmt: skip

    def _log(self, problem: str) -> None:
        """Tell a problem once."""
        if problem not in self._problems and len(self._problems) < 100:
            self._problems.add(problem)
            self._note(problem)


def _same(agent: Agent, session: PaneSession) -> bool:
    return (agent.process.pid, agent.process.started) == (session.agent.pid, session.agent.started)


def _is_over(session: PaneSession) -> bool:
    """Whether the agent's process has ended."""
    return not _lives(session.agent)


def _lives(process: AgentProcess) -> bool:
    """Whether a process runs: what is listed may have ended since."""
    return sessions.process_started(process.pid) == process.started
