"""A query put to the index: which turns may answer, best first.

`SearchPlan` turns a `Query` into places and BM25 scores. A word of several tokens counts as each
of them, and for more where they stand together. Words in more than a tenth of all turns (a
thirtieth, where there are filters: then every turn of a word is looked at) are left out where
rarer ones are asked for: they would cost most and tell least. Of the words that begin as asked,
only the most frequent of the others are looked for. `incomplete` says so; asked with `thorough`,
they count too.

Costs O(postings of the words asked for); the best ones are found without scoring all of them. So
where words and moments are all that is asked, the best are looked at whether they fit the moments,
before every turn between these is. `confirmed` makes hits of the places where the archive still
holds an answer.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from tantivy import DocAddress, FieldType, Occur, Order, Searcher
from tantivy import Query as Tantivy

from dejavu.model import Conversation, Turn

from .. import conversations, raw, turns
from ..backends.backend import Backend
from ..backends.transaction import Reader
from ..records import from_text
from . import tokenize
from .index import Place, SearchIndex, facet
from .indexer import record_of
from .query import Query, Word
from .snippet import Hit, excerpt

_COMMON = 0.1
_COMMON_FILTERED = 0.03
_FEW = 1_000  # in a small index no word is too common
_BEGINNINGS = 24  # words looked for that begin as asked
_GUESS, _GUESSED = 64, 1_024  # of the best, looked at for their moments: at first, at the most
_KNOWN = 1.0  # the first moment: 0 means one that is not known
_TOGETHER = 2.0  # what tokens next to each other count, compared with each alone


class SearchPlan:
    """One question, asked in pages."""

    def __init__(
        self, index: SearchIndex, searcher: Searcher, query: Query, *, thorough: bool = False
    ) -> None:
        """Ask `query` of `searcher`; `thorough`: of every word, however common."""
        self.incomplete = False
        self._thorough = thorough
        wanted = query.wanted
        self._since, self._until = wanted.since, wanted.until
        limited = bool(query.paths or query.numbers or any(wanted.names()))
        self._filtered = wanted.is_timed or limited
        self._schema = index.schema
        self._mark = index.marks()
        self._searcher = searcher
        self._worded = any(not word.negative for word in query.words)
        self._query = self._whole(query)
        self._guess: Tantivy | None = None
        if wanted.is_timed and not limited:
            # Words alone: tantivy ranks them without looking at each of their turns.
            self._filtered = any(word.negative or word.phrase for word in query.words)
            self._guess = None if self._filtered else self._words(query.words)

    def places(self, count: int, offset: int) -> list[Place]:
        """Up to `count` places after the best `offset` ones; by date where no word was asked."""
        if self._guess is not None:
            wide, wanted = _GUESS, offset + count
            while wide <= _GUESSED:
                best = self._ranked(self._guess, wide, 0)
                ats = self._searcher.fast_field_values("at", [address for _, address in best])
                fit = [ranked for ranked, at in zip(best, ats, strict=True) if self._between(at)]
                if len(fit) >= wanted or len(best) < wide:
                    return self._placed(fit[offset:wanted])
                wide = 2 * wide * wanted // (len(fit) or 1)
        return self._placed(self._ranked(self._query, count, offset))

    def _between(self, at: object) -> bool:
        """Whether a moment is one of those asked for."""
        if self._since is None and self._until is None:
            return True
        return (
            isinstance(at, float)
            and at >= (self._since or _KNOWN)
            and (self._until is None or at <= self._until)
        )

    def _ranked(self, query: Tantivy, count: int, offset: int) -> list[tuple[Any, DocAddress]]:
        return self._searcher.search(
            query,
            count,
            count=False,
            offset=offset,
            order_by_field=None if self._worded else "at",
            order=Order.Desc,
        ).hits

    def _placed(self, hits: list[tuple[Any, DocAddress]]) -> list[Place]:
        addresses = [address for _, address in hits]
        numbers = self._searcher.fast_field_values("conversation", addresses)
        seqs = self._searcher.fast_field_values("seq", addresses)
        return [
            Place(int(number or 0), int(seq or 0), float(score) if self._worded else 0.0)
            for (score, _), number, seq in zip(hits, numbers, seqs, strict=True)
        ]

    def _whole(self, query: Query) -> Tantivy:
        musts = [
            self._sequence("text", w.tokens) for w in query.words if w.phrase and not w.negative
        ]
        loose = self._words([w for w in query.words if not w.phrase and not w.negative])
        filters = [self._sequence("path", path) for path in query.paths]
        filters += [
            Tantivy.term_query(self._schema, "facet", facet(kind, name))
            for kind, name in query.wanted.names()
        ]
        if query.numbers is not None:
            filters.append(self._conversations(query.numbers))
        if query.wanted.is_timed:
            since, until = query.wanted.since or _KNOWN, query.wanted.until
            filters.append(Tantivy.range_query(self._schema, "at", FieldType.Float, since, until))
        nots = [self._sequence("text", word.tokens) for word in query.words if word.negative]
        if loose is not None and not (musts or filters or nots):
            return loose  # a bare union: tantivy skips what cannot be among the best
        clauses = [(Occur.Must, clause) for clause in musts]
        clauses += [(Occur.Must, Tantivy.const_score_query(clause, 0.0)) for clause in filters]
        clauses += [(Occur.MustNot, clause) for clause in nots]
        if loose is not None:
            clauses.append((Occur.Must, loose))
        elif not musts:  # every turn, and the watermark is none
            clauses += [(Occur.Must, Tantivy.all_query()), (Occur.MustNot, self._mark)]
        return Tantivy.boolean_query(clauses)

    def _conversations(self, numbers: frozenset[int]) -> Tantivy:
        """Any turn of these conversations."""
        return Tantivy.boolean_query([
            (Occur.Should, Tantivy.term_query(self._schema, "conversation", number))
            for number in sorted(numbers)
        ])  # fmt: skip

    def _words(self, wanted: list[Word]) -> Tantivy | None:
        """Any of the words."""
        selective = self._telling({token for word in wanted for token in word.tokens})
        clauses: list[Tantivy] = []
        for word in wanted:
            if word.prefix:
                clauses += self._beginning(word.tokens[-1])
            if len(word.tokens) > 1:
                together = self._sequence("text", word.tokens)
                clauses.append(Tantivy.boost_query(together, _TOGETHER))
            whole = word.tokens[:-1] if word.prefix else word.tokens
            clauses += [self._sequence("text", (token,)) for token in whole if token in selective]
        if not clauses:  # nothing begins as asked, or nothing was
            return Tantivy.empty_query() if wanted else None
        if len(clauses) == 1:
            return clauses[0]
        return Tantivy.boolean_query([(Occur.Should, clause) for clause in clauses])

    def _beginning(self, prefix: str) -> list[Tantivy]:
        """The words that begin so."""
        if self._thorough:
            return [Tantivy.regex_query(self._schema, "text", f"{prefix}.*")]
        terms = self._searcher.terms_with_prefix("text", prefix, limit=2 * _BEGINNINGS)
        bound = self._bound()
        selective = [word for word, turns in terms if turns <= bound] or [word for word, _ in terms]
        self.incomplete = self.incomplete or len(terms) > len(selective[:_BEGINNINGS])
        return [self._sequence("text", (word,)) for word in selective[:_BEGINNINGS]]

    def _bound(self) -> float:
        """In how many turns a word may be before it is too common."""
        share = _COMMON_FILTERED if self._filtered else _COMMON
        return max(_FEW, self._searcher.num_docs * share)

    def _telling(self, query_tokens: set[str]) -> set[str]:
        """The tokens worth looking for: all, or those that are not in every tenth turn."""
        if self._thorough:
            return query_tokens
        bound = self._bound()
        turns = {token: self._searcher.doc_freq("text", token) for token in query_tokens}
        rare = {token for token in query_tokens if turns[token] <= bound}
        if not any(turns[token] for token in rare):
            return query_tokens
        self.incomplete = self.incomplete or rare != query_tokens
        return rare

    def _sequence(self, field: str, tokens: tuple[str, ...]) -> Tantivy:
        if len(tokens) == 1:
            return Tantivy.term_query(self._schema, field, tokens[0], index_option="freq")
        return Tantivy.phrase_query(self._schema, field, list(tokens))


def confirmed(backend: Backend, places: Sequence[Place], query: Query, most: int) -> list[Hit]:
    """Hits at the first `most` places where the archive still holds an answer."""
    prefixes = [w.tokens[-1] for w in query.words if w.prefix and not w.negative]
    hits: list[Hit] = []
    for ranked, conversation, text in backend.read(partial(stored_turns, places=places)):
        turn = from_text(text, Turn)
        content = tokenize.searchable_text(turn).text
        shown = excerpt(content, query.marked, prefixes)
        if not (shown.marks or query.answers(content)):
            continue
        hits.append(
            Hit(
                conversation.id, turn.seq, turn.role, ranked.score, shown.text, turn.at,
                conversation.agent, shown.marks,
            )
        )  # fmt: skip
        if len(hits) >= most:
            break
    return hits


def stored_turns(txn: Reader, places: Sequence[Place]) -> list[tuple[Place, Conversation, bytes]]:
    """What the archive holds at the places; those that are gone are left out."""
    chunks = raw.Chunks(scattered=True)
    stored: list[tuple[Place, Conversation, bytes]] = []
    turns.expect(txn, [(ranked.conversation, ranked.seq, ranked.seq + 1) for ranked in places])
    for ranked in places:
        record = record_of(txn, ranked.conversation)
        if record is None:
            continue
        summary = conversations.summary_of(record)
        with conversations.naming(summary.id):
            texts = turns.read_texts(txn, record.number, ranked.seq, ranked.seq + 1, chunks)
        if texts:
            stored.append((ranked, summary, texts[0]))
    return stored
