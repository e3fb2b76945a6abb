"""The turns that hold a text letter by letter, or that a regular expression matches, newest first.

Reads every kind of content. The index of exact text says where a text may be that each match holds;
without such a text, or without an index, all is read. An expression ends after `expression.PATIENCE`
seconds either way.

Tested in: tests/archive/search/test_engine.py
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice

from dejavu.model import Conversation, ConversationFilter, Turn

from ..backends.backend import Backend
from . import remote, tokenize
from .expression import Expression, OutOfTimeError
from .query import Query, fits, tokens
from .snippet import Hit, SearchResult, cut_around
from .substring import MatchingText, Runs, scan_all, scan_candidates

RunsOf = Callable[[str], Runs | None]
"""Where a text may be; None where that is not known."""


def exact(
    backend: Backend, text: str, wanted: ConversationFilter, limit: int, runs_of: RunsOf
) -> SearchResult:
    """The newest turns that hold `text`, which is not empty."""

    def hits(found: Iterable[MatchingText]) -> list[Hit]:
        fitting = (one for one in found if fits(one[1], one[0], wanted))
        return [_hit(one, one[2].index(text), len(text)) for one in islice(fitting, limit)]

    runs = runs_of(text)
    if runs is not None:
        return SearchResult(hits(scan_candidates(backend, text, wanted, runs)))
    for thorough in (False, True):
        there = remote.exact(backend, text, wanted, limit, thorough=thorough)
        if there is None:
            break
        found = hits(scan_candidates(backend, text, wanted, there.runs))
        if thorough or there.complete or len(found) >= limit:
            return SearchResult(found, notes=there.notes)
    return SearchResult(hits(scan_all(backend, text, wanted)))


def matching(
    backend: Backend, expression: Expression, query: Query, limit: int, runs_of: RunsOf
) -> SearchResult:
    """The newest turns that it matches and that pass the query's fields and words."""
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
        for one in found:
            span = expression.find(one[2]) if _passes(one[1], one[0], query) else None
            if span is not None:
                hits.append(_hit(one, span[0], span[1] - span[0]))
            if len(hits) >= limit:
                break
    return SearchResult(hits, notes=[*query.notes, *expression.notes])


def _hit(found: MatchingText, start: int, length: int) -> Hit:
    summary, turn, piece = found
    cut, mark = cut_around(piece, start, start + length)
    return Hit(summary.id, turn.seq, turn.role, 1.0, cut, turn.at, summary.agent, (mark,))


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
