"""Search by the server, while this machine's own index lacks too much of the archive.

Making an index from nothing reads the whole archive over the network; one statement asks the server
for the newest turns that hold all the words, then any of them. Nearly the same words answer as in the index;
how rare a word is does not count. Whether to ask
it is decided by how many turns and bytes the index lacks. Costs one round trip, O(matches) there,
O(hits) here.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from dejavu.model import Role

from .. import log
from ..backends.backend import Backend
from .direct import changed_turns
from .filters import Hit, SearchResult
from .query import Query, Word
from .snippet import excerpt

MOST_TURNS = 256
"""Turns that the index may lack and still be brought up before a search."""
_MOST_CHANGES = 256
_MOST_BYTES = 1 << 20  # of what is to be fetched for that, raw not counted
_WIDER = 4  # candidates for each hit


class TextQuery(NamedTuple):
    """What the server is asked: queries in its own syntax, the best first, and filters."""

    queries: list[str]
    workspace: str | None
    instance: str | None
    agent: str | None
    role: str | None
    tool: str | None
    since: float | None
    until: float | None


class FoundTurn(NamedTuple):
    """A turn that answers, with the text of its part that does."""

    conversation: str
    seq: int
    role: str
    at: float | None
    agent: str
    content: str


@runtime_checkable
class TextSearch(Protocol):
    """A backend that searches by itself."""

    def find_text(self, wanted: TextQuery, most: int) -> list[FoundTurn]:
        """The newest turns that answer, at most `most` for each of the queries."""
        ...

    def bytes_of(self, turns: Sequence[tuple[int, int, int]]) -> int:
        """How much is to be fetched for turns (conversation number, start, stop)."""
        ...


def search(
    backend: Backend, query: Query, limit: int, mark: Callable[[], int]
) -> SearchResult | None:
    """What the server finds; None where this machine shall look itself.

    `mark` says how far along the log this machine's index is.
    """
    positive = [word for word in query.words if not word.negative]
    if not isinstance(backend, TextSearch) or not positive or query.paths:
        return None
    try:
        reached = mark()
    except (ValueError, OSError):  # tantivy says everything by ValueError; a full disk
        reached = 0
    missing = backend.read(log.last_sequence) - max(0, reached)
    if missing <= 0 or _is_little(backend, max(0, reached), missing):
        return None
    facets = query.facets
    wanted = TextQuery(
        _queries(query.words), facets.get("workspace"), facets.get("instance"), facets.get("agent"),
        facets.get("role"), facets.get("tool"), query.since, query.until,
    )  # fmt: skip
    hits: dict[tuple[str, int], Hit] = {}
    prefixes = [word.tokens[-1] for word in positive if word.prefix]
    for turn in backend.find_text(wanted, limit * _WIDER):
        shown = excerpt(turn.content, query.marked, prefixes)
        lowered = turn.content.casefold()
        score = sum(token in lowered for token in query.marked) / max(1, len(query.marked))
        hit = Hit(
            turn.conversation, turn.seq, Role(turn.role), score, shown.text, turn.at, turn.agent,
            shown.marks,
        )  # fmt: skip
        known = hits.get((hit.conversation, hit.seq))
        if known is None or known.score < score:
            hits[hit.conversation, hit.seq] = hit
    best = sorted(hits.values(), key=lambda hit: (-hit.score, -(hit.at or 0.0)))
    note = (
        f"searched by the server: this machine's index lacks {missing} changes; "
        "`dejavu sync` brings it up"
    )
    return SearchResult(best[:limit], notes=[note])


def _is_little(backend: Backend, reached: int, missing: int) -> bool:
    """Whether the index can be brought up in a moment. Two round trips, none where it is much."""
    if missing > _MOST_CHANGES or not isinstance(backend, TextSearch):
        return False
    changed = changed_turns(backend, reached)
    if sum(stop - start for start, stop in changed.values()) > MOST_TURNS:
        return False
    spans = [(number, start, stop) for number, (start, stop) in changed.items()]
    return not spans or backend.bytes_of(spans) <= _MOST_BYTES


def _queries(words: list[Word]) -> list[str]:
    """All the words, then any of them, as PostgreSQL's tsquery."""
    negative = "".join(f" & !({_term(word)})" for word in words if word.negative)
    terms = [f"({_term(word)})" for word in words if not word.negative]
    every, some = " & ".join(terms), " | ".join(terms)
    return [f"({query}){negative}" for query in dict.fromkeys((every, some))]


def _term(word: Word) -> str:
    quoted = ["'" + t.replace("\\", "\\\\").replace("'", "''") + "'" for t in word.tokens]
    if word.prefix:
        quoted[-1] += ":*"
    return " <-> ".join(quoted)
