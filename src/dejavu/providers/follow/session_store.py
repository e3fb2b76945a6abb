"""What a store of sessions is that edits them in place: sessions, their messages, their parts.

Defines the protocol that every store implements, and the plain objects it returns. Ids come from
the paths and columns, as the agents themselves take them.

Tested in: tests/providers/opencode/test_json_tree.py
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Message = dict[str, Any]
"""`{"id", "created", "data", "parts": [{"id", "data"}]}`, parts in order."""


@dataclass(slots=True)
class Entry:
    """A message in a store's index: when it was made, and what tells that it changed."""

    created: float
    print: tuple[int, ...]


class Store(Protocol):
    """One place where sessions are kept."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    def sessions(self) -> Iterable[str]:
        """Each session's id."""
        ...

    def gate(self, native: str) -> tuple[int, ...] | None:
        """What tells, cheaply, that a session may have changed; None if it is not here."""
        ...

    def extra_paths(self, native: str) -> tuple[Path, ...]:
        """Files and folders of a session that change without `path`."""
        ...

    def session(self, native: str) -> dict[str, Any]:
        """The session's own object; empty if it is not here."""
        ...

    def index(self, native: str) -> dict[str, Entry]:
        """Each message of the session."""
        ...

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Those messages, with their parts."""
        ...
