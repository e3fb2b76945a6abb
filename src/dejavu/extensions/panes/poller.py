"""Asks one multiplexer, in its own thread: which panes run agents, and what some of them show.

So a multiplexer that does not answer delays nothing else. Panes are listed every `LIST` seconds, a pane's
frame every `QUICK` while it changes and ever more seldom while it does not. A server that fails is
left alone for a while, and its panes stand as they were.

Tested in: tests/extensions/panes/test_watcher.py
"""

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from .multiplexer import Frame, Multiplexer, Pane, PaneError
from .processes import AgentProcess, agent_in

LIST = 1.0
QUICK = 0.15
SLOW = {"tmux": 0.5}
SLOWEST = 2.0
"""Seconds between two looks at a pane that does not change; of a multiplexer that answers soon, less."""

_BACKOFF = 1.4
_SOON = 0.05  # seconds before its time at which a pane is looked at along with others
_REST = 10.0


class Agent(NamedTuple):
    """A pane with an agent in it; `polled`: why its output cannot be had but by polling."""

    pane: Pane
    process: AgentProcess
    polled: str


class Listing(NamedTuple):
    """All panes of one multiplexer that run agents."""

    multiplexer: Multiplexer
    agents: list[Agent]
    problems: tuple[str, ...]


class Shown(NamedTuple):
    """What a polled pane shows now; only told when it has changed."""

    key: tuple[str, str, str]
    frame: Frame


class _Look(NamedTuple):
    pane: Pane
    at: float
    pause: float
    last: Frame | None


class Poller(threading.Thread):
    """Posts `Listing` and `Shown` to `results`, and calls `wake` after each."""

    def __init__(
        self,
        multiplexer: Multiplexer,
        results: "queue.SimpleQueue[Listing | Shown]",
        wake: Callable[[], None],
    ) -> None:
        super().__init__(daemon=True, name=f"panes-{multiplexer.name}")
        self._multiplexer, self._results, self._wake = multiplexer, results, wake
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._looks: dict[tuple[str, str, str], _Look] = {}
        self._known: dict[str, list[Agent]] = {}
        self._rest: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._list_at = 0.0
        self._stopped = False

    def refresh(self) -> None:
        """List the panes soon: something has changed."""
        self._list_at = 0.0
        self._event.set()

    def look_at(self, pane: Pane) -> None:
        """Poll a pane from here on."""
        with self._lock:
            self._looks[pane.key] = _Look(pane, 0.0, QUICK, None)
        self._event.set()

    def drop(self, key: tuple[str, str, str]) -> None:
        """Poll a pane no longer."""
        with self._lock:
            self._looks.pop(key, None)

    def stop(self) -> None:
        """End after what is being asked."""
        self._stopped = True
        self._event.set()

    def run(self) -> None:
        """Ask until stopped."""
        while not self._stopped:
            now = time.monotonic()
            if now >= self._list_at:
                self._list_at = now + LIST
                self._results.put(self._listing(now))
                self._wake()
            with self._lock:
                due = [look for look in self._looks.values() if look.at <= now + _SOON]
                if all(look.at > now for look in due):
                    due = []
            for together in _by_server(due):
                if not self._stopped:
                    self._look(together)
            with self._lock:
                times = [self._list_at, *(look.at for look in self._looks.values())]
            self._event.wait(max(0.01, min(times) - time.monotonic()))
            self._event.clear()

    def _listing(self, now: float) -> Listing:
        problems: list[str] = []
        try:
            servers = self._multiplexer.servers()
        except PaneError as error:
            return Listing(self._multiplexer, self._all(), (str(error),))
        for server in servers:
            if now < self._rest.get(server, 0.0):
                continue
            try:
                panes = self._multiplexer.panes(server)
                self._known[server] = [
                    agent for pane in panes if (agent := self._agent(pane)) is not None
                ]
            except PaneError as error:
                # Something may have gone between two questions: the next listing tells.
                failures = self._failures[server] = self._failures.get(server, 0) + 1
                self._rest[server] = time.monotonic() + min(LIST * 2 ** (failures - 1), _REST)
                if failures > 1:
                    problems.append(str(error))
            else:
                self._failures.pop(server, None)
        self._known = {server: self._known.get(server, []) for server in servers}
        return Listing(self._multiplexer, self._all(), tuple(problems))

    def _all(self) -> list[Agent]:
        return [agent for agents in self._known.values() for agent in agents]

    def _agent(self, pane: Pane) -> Agent | None:
        process = agent_in(pane)
        if process is None:
            return None
        return Agent(pane, process, self._multiplexer.why_polled(pane))

    def _look(self, looks: list[_Look]) -> None:
        """Look at panes of one server; at one that is new, with what is above its screen."""
        known = [look for look in looks if look.last is not None]
        frames = self._multiplexer.frames([look.pane for look in known])
        for look, frame in zip(known, frames, strict=True):
            self._seen(look, frame or look.last)  # None: it may be gone, the next listing tells
        for look in looks:
            if look.last is None:
                frame = None
                with contextlib.suppress(PaneError):
                    frame = self._multiplexer.frame(look.pane)
                self._seen(look, frame)

    def _seen(self, look: _Look, frame: Frame | None) -> None:
        slowest = SLOW.get(self._multiplexer.name, SLOWEST)
        changed = frame is not None and frame != look.last
        pause = QUICK if changed else min(look.pause * _BACKOFF, slowest)
        with self._lock:
            if self._looks.get(look.pane.key) is look:
                later = time.monotonic() + pause
                last = frame and frame._replace(history=())
                self._looks[look.pane.key] = _Look(look.pane, later, pause, last)
        if changed and frame is not None:
            self._results.put(Shown(look.pane.key, frame))
            self._wake()


def _by_server(looks: list[_Look]) -> list[list[_Look]]:
    """The looks of each server, for one question each."""
    servers: dict[str, list[_Look]] = {}
    for look in looks:
        servers.setdefault(look.pane.server, []).append(look)
    return list(servers.values())
