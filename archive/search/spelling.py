"""Words that no turn holds, as they were probably meant: begun, or mistyped.

Of a word in no turn (`retyr*`: of a beginning of none, as a query has it while it is typed) the words
that begin so are looked for, then those at a small distance
(insertions, deletions, substitutions, swapped neighbours): one for up to seven letters, two beyond.
Short words, and any with a digit (ids, hashes, versions), are never taken for mistyped ones.
Costs, for such a word alone, one fuzzy search and the texts of `_SAMPLE` turns.

Tested in: tests/archive/search/test_engine.py
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from tantivy import Query as Tantivy
from tantivy import Schema, Searcher

from dejavu.model.edit_distance import distance

from .index import Place
from .query import Query, Word

_SHORTEST = 4  # letters of a word that may be mistyped
_LONG = 8  # letters from which on two mistakes are one too many no more
_SAMPLE = 48  # turns in which the words meant are looked for

TokensAt = Callable[[list[Place]], Iterable[tuple[str, ...]]]
"""The tokens of the turns at some places of the index."""


def respelled(
    query: Query, searcher: Searcher, schema: Schema, tokens_at: TokensAt
) -> tuple[Query, list[str]]:
    """Return the query with the words that were meant, and a sentence for each that was replaced."""
    notes: list[str] = []
    words: list[Word] = []
    for word in query.words:
        if word.negative:
            words.append(word)
            continue
        changed = word
        for place, token in enumerate(word.tokens):
            if searcher.doc_freq("text", token):
                continue
            last = place == len(word.tokens) - 1
            if word.prefix and last and _begins(searcher, token):
                continue
            single = len(word.tokens) == 1 and not word.phrase
            if single and _may_be_begun(token) and _begins(searcher, token):
                changed = replace(word, prefix=True)
                notes.append(f"no turn has {token!r}: searched for words that start with it")
            elif not _may_be_mistyped(token):
                continue
            elif (meant := _nearest(token, searcher, schema, tokens_at)) is not None:
                tokens = (*changed.tokens[:place], meant, *changed.tokens[place + 1 :])
                changed = replace(changed, tokens=tokens, prefix=changed.prefix and not last)
                notes.append(f"no turn has {token!r}: searched for {meant!r}")
        words.append(changed)
    return (query, notes) if not notes else (replace(query, words=words), notes)


def _may_be_mistyped(token: str) -> bool:
    return len(token) >= _SHORTEST and token.isalpha()


def _may_be_begun(token: str) -> bool:
    return len(token) > 1 and token.isalpha()


def _begins(searcher: Searcher, token: str) -> bool:
    return bool(searcher.terms_with_prefix("text", token, limit=1))


def _nearest(token: str, searcher: Searcher, schema: Schema, tokens_at: TokensAt) -> str | None:
    """The word meant: the nearest, and of those the one in most turns."""
    most = 1 if len(token) < _LONG else 2
    fuzzy = Tantivy.fuzzy_term_query(schema, "text", token, distance=most)
    hits = searcher.search(fuzzy, _SAMPLE, count=False).hits
    addresses = [address for _, address in hits]
    numbers = searcher.fast_field_values("conversation", addresses)
    seqs = searcher.fast_field_values("seq", addresses)
    places = [Place(int(n or 0), int(s or 0), 0.0) for n, s in zip(numbers, seqs, strict=True)]
    near: dict[str, int] = {}
    for tokens in tokens_at(places):
        for other in set(tokens) - near.keys():
            if abs(len(other) - len(token)) <= most and other.isalpha():
                apart = distance(token, other)
                if apart <= most:
                    near[other] = apart
    return min(near, key=lambda word: (near[word], -searcher.doc_freq("text", word)), default=None)


__all__ = ["respelled"]
