"""What hooks said of this session's state (written by `sessions.hook_status`), for the observer.

Returns a state and its moment when there is a newer one than the last. One stat a poll.
"""

from pathlib import Path
from typing import NamedTuple

from dejavu.config.files import read_json
from dejavu.scrapers import State

from ..hook_status import NAME


class StatusSignal(NamedTuple):
    """A structured signal: the state, when it was so (Unix seconds), who said it."""

    state: State
    at: float
    source: str


class StatusReader:
    """The status file of one session."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._mtime_ns = 0
        self.has_data = False

    def conversation(self) -> str | None:
        """The conversation that was spoken of, if anything was said."""
        conversation = read_json(self._path).get("conversation")
        return conversation if isinstance(conversation, str) else None

    def poll(self, now: float) -> StatusSignal | None:
        """The signal written since the last call, unless it has expired."""
        try:
            mtime_ns = self._path.stat().st_mtime_ns
        except OSError:
            return None
        self.has_data = True
        if mtime_ns == self._mtime_ns:
            return None
        self._mtime_ns = mtime_ns
        signal = read_json(self._path)
        state, at, until = signal.get("state"), signal.get("at"), signal.get("expires_at")
        if not isinstance(state, str) or state not in {str(member) for member in State}:
            return None
        if not isinstance(at, int | float) or not isinstance(until, int | float) or now >= until:
            return None
        return StatusSignal(State(state), float(at), str(signal.get("source")))
