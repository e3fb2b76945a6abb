"""What changed among the sessions, numbered, for any number of listeners that come and go.

One watch serves all: a listener asks for what is behind the last event that it has. Events have ids
that are told apart from those of an earlier server; one that is not known any more, or never was, is
answered with every live session again. Memory: the last `KEPT` events. Cost of a look: see
`sessions.watch`, at most once in `POLL` seconds however many ask.

Tested in: tests/extensions/web/test_app.py
"""

import json
import secrets
import time
from collections import deque
from threading import Lock
from typing import NamedTuple

from dejavu.sessions.priority import roll_up
from dejavu.sessions.serialize import session_to_dict
from dejavu.sessions.session_store import SessionView
from dejavu.sessions.watch import Watch

POLL = 0.05
"""Seconds between two looks at the sessions."""

KEPT = 1000
"""Events kept for listeners that come back."""


class LoggedEvent(NamedTuple):
    """One event: `session` is whose, empty for what is of all."""

    number: int
    name: str
    data: str
    session: str = ""


class EventLog:
    """The numbered events of one server."""

    def __init__(self) -> None:
        self._boot = secrets.token_hex(4)
        self._watch = Watch()
        self._announced: set[str] = set()
        self._events: deque[LoggedEvent] = deque(maxlen=KEPT)
        self._number = 0
        self._looked = float("-inf")
        self._lock = Lock()

    def id_of(self, event: LoggedEvent) -> str:
        """The id under which a listener may ask for what is behind this event."""
        return f"{self._boot}-{event.number}"

    def start(self, last_id: str = "") -> tuple[int, list[LoggedEvent]]:
        """Where a listener is, and what it has to get first.

        last_id: the last event it had; what it missed since, or else every live session.
        """
        with self._lock:
            self._look()
            boot, _, number = last_id.partition("-")
            known = boot == self._boot and number.isdecimal() and int(number) <= self._number
            oldest = self._events[0].number if self._events else self._number + 1
            if known and int(number) >= oldest - 1:
                return int(number), []
            views = [view for view in self._watch.sessions if view.live]
            first = [self._session(view, self._number) for view in reversed(views)]
            return self._number, [*first, self._attention(self._number)]

    def after(self, number: int) -> list[LoggedEvent]:
        """The events behind `number`, with what has changed by now."""
        with self._lock:
            if time.monotonic() - self._looked >= POLL:
                self._look()
            missing = self._number - number
            if missing > len(self._events):  # it listens too slowly: what is now has to do
                return list(self._events)
            return list(self._events)[len(self._events) - missing :] if missing > 0 else []

    def _look(self) -> None:
        self._looked = time.monotonic()
        changed = self._watch.poll()
        told = [view for view in changed if view.live or view.session.id in self._announced]
        for view in told:
            self._number += 1
            self._events.append(self._session(view, self._number))
        if told:
            self._number += 1
            self._events.append(self._attention(self._number))

    def _session(self, view: SessionView, number: int) -> LoggedEvent:
        self._announced.add(view.session.id)
        return LoggedEvent(number, "session", json.dumps(session_to_dict(view)), view.session.id)

    def _attention(self, number: int) -> LoggedEvent:
        return LoggedEvent(number, "attention", json.dumps(roll_up(self._watch.sessions)))
