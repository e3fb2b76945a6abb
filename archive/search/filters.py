"""What a search gives: values, and nothing else.

Apart from the search itself, so that code which only reads or writes the archive does not load it.

Tested in: tests/archive/search/test_engine.py
"""

from collections.abc import Iterable
from typing import NamedTuple

from dejavu.model import Role


class Hit(NamedTuple):
    """A turn that answers. `excerpt` is cut around the match, `marks` are ranges in it."""

    conversation: str
    seq: int
    role: Role
    score: float
    excerpt: str
    at: float | None
    agent: str
    marks: tuple[tuple[int, int], ...] = ()


class SearchResult(list[Hit]):
    """Hits, the best first. `behind`: conversations that could not be looked in whole.

    The index cannot always be brought up to the archive (another process writes it, the disk is
    full); what it lacks is read from the archive itself as far as that is bounded
    (`direct.MOST_TURNS`), and the rest is counted here. 0: everything was looked at. `notes`:
    sentences on what was searched for in place of what was asked.
    """

    def __init__(
        self, hits: Iterable[Hit] = (), behind: int = 0, notes: Iterable[str] = ()
    ) -> None:
        """Hold `hits`."""
        super().__init__(hits)
        self.behind = behind
        self.notes = list(notes)
