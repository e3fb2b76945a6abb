"""The spool: letters that hooks left, in the order they were written.

Takes the spool's folder; gives `Letter`s, and removes or puts aside what was dealt with. What is
no letter is moved to `refused/`, the newest few hundred of which are kept. Listing costs O(files).
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


class Letter(NamedTuple):
    """One payload: who sent it when (Unix seconds), out of which wrapped session."""

    agent: str
    at: float
    session: str | None
    instance: str | None
    payload: bytes
    path: Path | None = None


def opened(data: bytes, path: Path | None = None) -> Letter | None:
    """The letter in `data`; None if it is none."""
    head, _, payload = data.partition(b"\n")
    words = head.decode("utf-8", "replace").split(" ")
    if len(words) != 5 or words[0] != MAGIC.decode() or not words[1].isdecimal():
        return None
    _, at, agent, session, instance = words
    if agent == "-":
        agent = _agent_of(payload)
    given = [None if word == "-" else word for word in (session, instance)]
    return Letter(agent, int(at) / 1e9, given[0], given[1], payload, path)


def _agent_of(payload: bytes) -> str:
    """The agent that a payload looks like, where the hook was not told whose it is."""
    try:
        value: object = json.loads(payload)
    except (ValueError, RecursionError):
        value = None
    return agent_of_payload(value if is_json_object(value) else {}).name


class Spool:
    """The letters below one folder."""

    def __init__(self, folder: Path) -> None:
        self._spool, self._refused = folder / SPOOL, folder / REFUSED

    def __bool__(self) -> bool:
        """Whether there is a letter."""
        try:
            return any(not path.name.startswith(".") for path in self._spool.iterdir())
        except FileNotFoundError:
            return False

    def letters(self, most: int) -> list[Letter]:
        """The oldest letters, at most so many."""
        try:
            names = sorted(path.name for path in self._spool.iterdir())
        except FileNotFoundError:
            return []
        found: list[Letter] = []
        for name in names:
            path = self._spool / name
            if name.startswith("."):
                self._tidy(path)
            elif len(found) < most:
                found += [letter] if (letter := self._open(path)) else []
        return found

    def done(self, letter: Letter) -> None:
        """The letter is in the archive."""
        if letter.path is not None:
            letter.path.unlink(missing_ok=True)

    def refuse(self, path: Path) -> None:
        """Put a file aside that nothing can be made of."""
        self._refused.mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            path.rename(self._refused / path.name)
        for old in sorted(self._refused.iterdir())[:-_KEPT]:
            old.unlink(missing_ok=True)

    def _open(self, path: Path) -> Letter | None:
        try:
            letter = opened(path.read_bytes(), path)
        except FileNotFoundError:
            return None
        if letter is None:
            self.refuse(path)
        return letter

    def _tidy(self, path: Path) -> None:
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _STALE:
                path.unlink()
