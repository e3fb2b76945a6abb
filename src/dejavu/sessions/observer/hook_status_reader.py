"""What hooks said of this session's state (written by `sessions.hook_status`), for the observer.

Returns a state and its moment when there is a newer one than the last. One stat a poll.
"""

from pathlib import Path
from typing import NamedTuple

from dejavu.config.json_file import read_json
from dejavu.scrapers import State

from ..hook_status import NAME


class StatusSignal(NamedTuple):
    """A structured signal: the state, when it was so (Unix seconds), who said it."""

    state: State
    at: float
    source: str


class StatusReader:
    """The words about one session."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._mark = 0
        self.heard = False

    def conversation(self) -> str | None:
        """The conversation that was spoken of, if anything was said."""
        told = read_json(self._path).get("conversation")
        return told if isinstance(told, str) else None

    def newer(self, now: float) -> StatusSignal | None:
        """The word said since this was last asked, unless it has grown too old."""
        try:
            mark = self._path.stat().st_mtime_ns
        except OSError:
            return None
        self.heard = True
        if mark == self._mark:
            return None
        self._mark = mark
        said = read_json(self._path)
        at, until = said.get("at"), said.get("expires_at")
        known = said.get("state") in {str(state) for state in State}
        if not known or not isinstance(at, int | float) or not isinstance(until, int | float):
            return None
        return (
            StatusSignal(State(said["state"]), float(at), str(said.get("source")))
            if now < until
            else None
        )
