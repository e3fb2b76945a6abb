"""The spool: what hooks left for the daemon, in the order it was written.

A file holds one `SpoolEntry`. What is none is moved to `refused/`, the newest few hundred of which
are kept. Listing costs O(files).
"""

import contextlib
import json
import time
from pathlib import Path
from typing import NamedTuple

from dejavu.model import is_json_object
from dejavu.providers.registry import agent_of_payload

from ..hook_protocol import MAGIC, SPOOL

REFUSED = "refused"
_KEPT = 200
_STALE = 3600.0  # seconds after which a file that never got its name is given up


class SpoolEntry(NamedTuple):
    """One payload: who sent it when (Unix seconds), out of which wrapped session."""

    agent: str
    at: float
    session: str | None
    instance: str | None
    payload: bytes
    path: Path | None = None


def parse(data: bytes, path: Path | None = None) -> SpoolEntry | None:
    """The entry in `data`; None if it is none."""
    head, _, payload = data.partition(b"\n")
    words = head.decode("utf-8", "replace").split(" ")
    if len(words) != 5 or words[0] != MAGIC.decode() or not words[1].isdecimal():
        return None
    _, at, agent, session, instance = words
    if agent == "-":
        agent = _agent_of(payload)
    given = [None if word == "-" else word for word in (session, instance)]
    return SpoolEntry(agent, int(at) / 1e9, given[0], given[1], payload, path)


def _agent_of(payload: bytes) -> str:
    """The agent that a payload looks like, where the hook was not told whose it is."""
    try:
        value: object = json.loads(payload)
    except (ValueError, RecursionError):
        value = None
    return agent_of_payload(value if is_json_object(value) else {}).name


class Spool:
    """The entries below one folder."""

    def __init__(self, folder: Path) -> None:
        self._spool, self._refused = folder / SPOOL, folder / REFUSED

    def __bool__(self) -> bool:
        """Whether there is an entry."""
        try:
            return any(not path.name.startswith(".") for path in self._spool.iterdir())
        except FileNotFoundError:
            return False

    def entries(self, most: int) -> list[SpoolEntry]:
        """The oldest entries, at most so many."""
        try:
            names = sorted(path.name for path in self._spool.iterdir())
        except FileNotFoundError:
            return []
        entries: list[SpoolEntry] = []
        for name in names:
            path = self._spool / name
            if name.startswith("."):
                self._discard_stale(path)
            elif len(entries) < most:
                entries += [entry] if (entry := self._open(path)) else []
        return entries

    def remove(self, entry: SpoolEntry) -> None:
        """The entry is in the archive."""
        if entry.path is not None:
            entry.path.unlink(missing_ok=True)

    def quarantine(self, path: Path) -> None:
        """Put a file aside that nothing can be made of."""
        self._refused.mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            path.rename(self._refused / path.name)
        for old in sorted(self._refused.iterdir())[:-_KEPT]:
            old.unlink(missing_ok=True)

    def _open(self, path: Path) -> SpoolEntry | None:
        try:
            entry = parse(path.read_bytes(), path)
        except FileNotFoundError:
            return None
        if entry is None:
            self.quarantine(path)
        return entry

    def _discard_stale(self, path: Path) -> None:
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _STALE:
                path.unlink()
