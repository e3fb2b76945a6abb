"""A pane that is watched: its session, the way it is followed by, and when its output is read.

Output is read at most every `PACE` seconds, so that twenty busy agents cost no more than their
screens' reading, and where only a spinner turns every `PACE_QUIET`: with what the reader takes, no
state comes 300 ms late. Of a long text every pane is read one `SLICE` a turn.

Tested in: tests/extensions/panes/test_watcher.py
"""

from dataclasses import dataclass

from .pane_session import PaneSession
from .tmux_client import PaneStream, TmuxClient

PACE = 0.12
"""Seconds between two times that a pane's output is fed while it continues; the first is at once."""

PACE_QUIET = 0.2
"""The same while nothing but a spinner turns, and what waits is no longer than what turns one."""

_SPIN = 400  # bytes
_BEHIND = 0.25  # seconds for which output is read late before the pane is looked at instead


@dataclass(slots=True)
class WatchedPane:
    """A session with the ways its pane is followed by: a stream of a client, or frames."""

    session: PaneSession
    pidfd: int
    stream: PaneStream | None = None
    client: TmuxClient | None = None
    painted: bool = False
    fed_at: float = 0.0
    due: float | None = None
    _behind_at: float = 0.0

    def time_left(self, now: float, clock: float) -> float:
        """Seconds until there is something to do."""
        due = float("inf") if self.due is None else self.due - now
        if self.stream is not None and self.stream.waits:
            return min(due, self._feed_at(self.stream) - clock)
        return due

    def feed(self, now: float, clock: float) -> None:
        """Read what has come, if it is time."""
        stream, client, session = self.stream, self.client, self.session
        if stream is None or client is None:
            return
        if stream.wants_look_at and clock >= stream.wants_look_at:
            client.look(stream)
        if not stream.waits or clock < self._feed_at(stream):
            return
        if stream.lost:
            stream.lost = False
            session.gap(now)
        if stream.size is not None:
            session.resize(*stream.size, now)
            stream.size = None
        if stream.data:
            session.output(stream.take(), now)
        self.fed_at, self.due = clock, session.due
        if not stream.data:
            self._behind_at = 0.0
            return
        # The rest of a long text is for the next turn: others have theirs first.
        self.fed_at -= PACE_QUIET
        self._behind_at = self._behind_at or clock
        if clock - self._behind_at > _BEHIND:
            client.pause(stream.pane, clock)

    def tick(self, now: float, share: int) -> None:
        """Do what has become due; `share`: sessions that are watched by this process."""
        if self.due is not None and now >= self.due:
            self.session.tick(now, share)
            self.due = self.session.due

    def _feed_at(self, stream: PaneStream) -> float:
        """When what waits is to be read (monotonic)."""
        spins = self.session.is_quiet and len(stream.data) < _SPIN
        return self.fed_at + (PACE_QUIET if spins else PACE)
