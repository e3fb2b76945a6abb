"""The turns that a regular expression matches, newest first.

Reads every kind of content. The index of exact text says where a text may be that each match holds;
without such a text, or without an index, all is read. Either way it ends after
`expression.PATIENCE` seconds.

Tested in: tests/archive/search/test_engine.py
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from dejavu.model import Conversation, Turn

from ..backends.backend import Backend
from . import tokenize
from .expression import Expression, OutOfTimeError
from .query import Query, fits, tokens
from .snippet import Hit, SearchResult, cut_around
from .substring import OpenedStore, Runs, scan_all, scan_candidates


def search(
    backend: Backend,
    expression: Expression,
    query: Query,
    limit: int,
    runs_of: Callable[[str], Runs | None],
) -> SearchResult:
    """The newest turns that it matches and that pass the query's fields and words.

    `runs_of`: where a text may be; None where that is not known.
    """
    text = next(iter(expression.literals), "")
    runs = runs_of(text) if text else None
    if query.numbers:
        marked: Runs = {number: [(0, None)] for number in query.numbers}
        runs = marked if runs is None else {n: runs[n] for n in query.numbers if n in runs}
    if runs is None:
        found = scan_all(backend, text, query.wanted, expression.find)
    else:
        found = scan_candidates(backend, text, query.wanted, runs, expression.find)
    hits: list[Hit] = []
    with suppress(OutOfTimeError):
        for hit in _hits(found, expression, query):
            hits.append(hit)
            if len(hits) >= limit:
                break
    return SearchResult(hits, notes=[*query.notes, *expression.notes])


def _hits(found: Iterable[OpenedStore], expression: Expression, query: Query) -> Iterator[Hit]:
    for conversation, turn, piece in found:
        span = expression.find(piece) if _passes(turn, conversation, query) else None
        if span is not None:
            cut, mark = cut_around(piece, *span)
            yield Hit(
                conversation.id, turn.seq, turn.role, 1.0, cut, turn.at, conversation.agent, (mark,)
            )


def _passes(turn: Turn, conversation: Conversation, query: Query) -> bool:
    """Whether a turn passes the fields, has every word, and none of those that are excluded."""
    if not fits(turn, conversation, query.wanted):
        return False
    searchable = tokenize.searchable_text(turn)
    if query.paths:
        held = [tokens(path) for path in searchable.paths]
        if not all(any(_has(one, path) for one in held) for path in query.paths):
            return False
    said = tokens(searchable.text) if query.words else ()
    return all(_has(said, word.tokens) is not word.negative for word in query.words)


def _has(held: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether the tokens stand in a row."""
    size = len(wanted)
    return any(held[n : n + size] == wanted for n in range(len(held) - size + 1))
