"""Turns that no index knows yet, read from the archive itself and compared with the query.

For what was committed while the index could not be written: another process is at it, the disk is
full, the medium is read-only. The newest changes come first, at most `MOST_TURNS` turns of them
are read; what is beyond is counted, for the caller to say. Words count as in the index (a hit has
one of them at least, phrases and negatives and filters hold), but there is no BM25 here: the more of
the words a turn has, the better.

Costs O(text of the turns read): about half a second for all of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dejavu.model import Conversation, Turn

from .. import derived, log
from ..backends.backend import Backend
from . import tokenize
from .indexer import read_turns
from .query import Query, Word, tokens
from .snippet import Hit, excerpt

MOST_TURNS = 2_000
_MOST_ENTRIES = 50_000  # of the log that are looked at


class DirectResult(NamedTuple):
    """Hits, the best first, and how many conversations were not read whole."""

    hits: list[Hit]
    behind: int


def scan(backend: Backend, query: Query, after: int, last: int) -> DirectResult:
    """Look in what the log has from `after` on, up to `last`."""
    changed = changed_turns(backend, max(after, last - _MOST_ENTRIES))
    rated: list[tuple[int, Hit]] = []
    left, behind = MOST_TURNS, 0
    for number, (start, stop) in reversed(changed.items()):
        if query.numbers is not None and number not in query.numbers:
            continue
        if stop - start > left:
            behind += 1
            start = stop - left  # the newest of them
        left -= stop - start
        for conversation, turns in read_turns(backend, number, start, stop):
            compared = (_compare(conversation, turn, query) for turn in turns)
            rated += [(score, hit) for score, hit in compared if hit is not None]
    rated.sort(key=lambda pair: (-pair[0], -(pair[1].at or 0.0)))
    return DirectResult([hit for _, hit in rated], behind)


def changed_turns(backend: Backend, after: int) -> dict[int, tuple[int, int]]:
    """The turns that changed by their conversation's number, the newest change last."""
    changes = derived.fold(log.pages(backend.read, after))
    return {
        entry.number: (entry.start, entry.stop)
        for entry in changes
        if entry.change is not log.Change.REMOVED and entry.stop > entry.start
    }


def _compare(conversation: Conversation, turn: Turn, query: Query) -> tuple[int, Hit | None]:
    """(words found, the hit); no hit where the turn does not answer."""
    content, tools, paths = tokenize.searchable_text(turn)
    if not _fits(conversation, turn, tools, query):
        return 0, None
    if any(all(not _stands(path, tokens(pattern)) for pattern in paths) for path in query.paths):
        return 0, None
    stems = tokens(content)
    met = 0
    for word in query.words:
        there = has_word(word, stems)
        if word.negative and there:
            return 0, None
        if word.phrase and not word.negative and not there:
            return 0, None
        met += there and not word.negative
    if not met and any(not word.negative for word in query.words):
        return 0, None
    prefixes = [w.tokens[-1] for w in query.words if w.prefix and not w.negative]
    shown = excerpt(content, query.marked, prefixes)
    return met, Hit(
        conversation.id, turn.seq, turn.role, 0.0, shown.text, turn.at, conversation.agent,
        shown.marks,
    )  # fmt: skip


def _fits(conversation: Conversation, turn: Turn, tools: Sequence[str], query: Query) -> bool:
    facets = {"role": str(turn.role)}
    for kind in ("workspace", "instance", "agent"):
        facets[kind] = getattr(conversation, kind)
    at = turn.at if turn.at is not None else conversation.ended_at
    return query.wanted.between(at) and all(
        name in map(str.lower, tools) if kind == "tool" else facets.get(kind) == name
        for kind, name in query.wanted.names()
    )


def has_word(word: Word, stems: Sequence[str]) -> bool:
    """Whether a text has a word, prefix or phrase; `stems` are its tokens."""
    if word.prefix and any(stem.startswith(word.tokens[-1]) for stem in stems):
        return True
    if word.phrase or word.negative:
        return _stands(word.tokens, stems)
    return any(token in stems for token in word.tokens[: -1 if word.prefix else None])


def _stands(sequence: Sequence[str], stems: Sequence[str]) -> bool:
    """Whether tokens stand together, in order."""
    size = len(sequence)
    return any(
        tuple(stems[at : at + size]) == tuple(sequence) for at in range(len(stems) - size + 1)
    )
