"""Search by the server, while this machine's own index lacks too much of the archive.

Making an index from nothing reads the whole archive over the network; one statement asks the server
for the newest turns that hold all the words, then any of them. Nearly the same words answer as in the index;
how rare a word is does not count. Whether to ask
it is decided by how many turns and bytes the index lacks. Costs one round trip, O(matches) there,
O(hits) here. Exact text is looked for there, too, where this machine has no index of it: by trigrams
(pg_trgm) or, without, in every text.

Tested in: tests/extensions/teams/test_postgres_far.py
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from dejavu.model import ConversationFilter, Role

from .. import log
from ..backends.backend import Backend
from .direct import changed_turns
from .query import Query, Word
from .snippet import Hit, SearchResult, excerpt
from .substring import Runs

MOST_TURNS = 256
"""Turns that the index may lack and still be brought up before a search."""
_MOST_CHANGES = 256
_MOST_BYTES = 1 << 20  # of what is to be fetched for that, raw not counted
_WIDER = 4  # candidates for each hit
_CANDIDATES = 2_000  # at least, of an exact search
_LONG_CHARACTERS = 4 << 20  # of texts that the server does not keep whole, to be fetched


class FoundTurn(NamedTuple):
    """A turn that answers, with the text of its part that does."""

    conversation: str
    seq: int
    role: str
    at: float | None
    agent: str
    content: str


class Candidate(NamedTuple):
    """A turn that may hold a text; `rest`: of how many characters one is that is not kept whole."""

    conversation: int
    seq: int
    rest: int


@runtime_checkable
class TextSearch(Protocol):
    """A backend that has its own search."""

    def find_text(
        self, queries: Sequence[str], wanted: ConversationFilter, most: int
    ) -> list[FoundTurn]:
        """The newest turns that answer, at most `most` for each of the queries.

        `queries` are in the server's own syntax, the best first.
        """
        ...

    def find_exact(
        self, patterns: tuple[str, str], wanted: ConversationFilter, most: int
    ) -> list[Candidate] | None:
        """The turns that may hold a text, the newest month's first, at most `most`.

        `patterns` of LIKE: the text as it is, and as it is written in JSON. None: the server cannot tell.
        """
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
    if not isinstance(backend, TextSearch) or not positive or query.paths or query.numbers:
        return None
    try:
        reached = mark()
    except (ValueError, OSError):  # tantivy says everything by ValueError; a full disk
        reached = 0
    missing = backend.read(log.last_sequence) - max(0, reached)
    if missing <= 0 or _is_little(backend, max(0, reached), missing):
        return None
    hits: dict[tuple[str, int], Hit] = {}
    prefixes = [word.tokens[-1] for word in positive if word.prefix]
    for turn in backend.find_text(_queries(query.words), query.wanted, limit * _WIDER):
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


class ExactCandidates(NamedTuple):
    """Turns that may hold a text; `complete`: there are no others; `notes` for the user."""

    runs: Runs
    complete: bool
    notes: list[str]


def exact(
    backend: Backend, text: str, wanted: ConversationFilter, limit: int, *, thorough: bool
) -> ExactCandidates | None:
    """Where the server says that `text` may stand; None where it is not asked.

    The caller reads these turns and looks itself. The server keeps the first 65,536 characters of a
    part: what is longer is among these turns as long as that is little to fetch, and else counted in a
    sentence. `thorough`: thousands, where the fewest that can be enough were not.
    """
    if not isinstance(backend, TextSearch) or not _can_be_kept(text):
        return None
    if wanted.tool is not None:
        wanted = wanted.replace(tool=wanted.tool.lower())
    patterns = (_like(text), _like(json.dumps(text, ensure_ascii=False)[1:-1]))
    most = max(_CANDIDATES, _WIDER * limit) if thorough else 2 * limit
    found = backend.find_exact(patterns, wanted, most)
    if found is None:
        return None
    runs: dict[int, list[tuple[int, int | None]]] = {}
    room, unread = _LONG_CHARACTERS, 0
    for candidate in found:
        room -= candidate.rest
        if candidate.rest and room < 0:
            unread += 1
            continue
        runs.setdefault(candidate.conversation, []).append((candidate.seq, candidate.seq + 1))
    notes = ["looked for by the server; `dejavu sync` makes this machine's own index"]
    if unread:
        notes.append(f"of {unread} long turns only the first 65,536 characters were looked at")
    if thorough and len(found) >= most:
        notes.append(f"no more than {most} turns that may hold it were looked at, the newest")
    return ExactCandidates(runs, len(found) < most, notes)


def _can_be_kept(text: str) -> bool:
    """Whether the server can hold `text` as it is: no NUL, nothing that is no UTF-8."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _like(text: str) -> str:
    """The pattern of what holds `text`."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"


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
