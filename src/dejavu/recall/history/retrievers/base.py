"""What a retriever is, and what it looks at."""

import math
from collections.abc import Collection, Iterable, Mapping
from heapq import nsmallest
from typing import Protocol

import msgspec
import tantivy

from dejavu.archive import Archive

from ...terms import content_stems
from ..code_graph import CodeGraph, Imports
from ..documents import Document, Meaning, project_facet, token
from ..index import ExchangeIndex
from ..query import Query

_COUNTED = 20  # passages with a term from which on it is counted in the workspace: it costs a query
_LEAST_MARGIN = 0.2  # a best margin below it is of nothing that is near
_TELLING = 12  # words, the rarest, by which exchanges are found that are like another
_TOOLS = 0.7  # what a word counts that is only in a tool's arguments or output
_BEFORE = 0.3  # what one counts that is only in the exchange before
ExchangeRef = tuple[int, int]
"""An exchange: its conversation's number, its own number in it."""


class SearchContext(msgspec.Struct):
    """The index as one question sees it; `documents` collects the best passage of each exchange.

    meant: how much nearer in meaning an exchange is than most, where vectors tell. known: in how many of
    `known_size` passages a stem occurs, where the index holds only what a server found for the question.
    told: what that server says of meaning.
    workspace, project: look in either only, and count words there only: a name that is everywhere in one
    project and nowhere else is rare for the index and says nothing in that project.
    """

    archive: Archive
    index: ExchangeIndex
    searcher: tantivy.Searcher
    workspace: str | None = None
    project: str = ""
    tools: bool = True
    graph: CodeGraph = msgspec.field(default_factory=Imports)
    documents: dict[ExchangeRef, Document] = msgspec.field(
        default_factory=dict[ExchangeRef, Document]
    )
    meant: dict[ExchangeRef, float] = msgspec.field(default_factory=dict[ExchangeRef, float])
    known: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])
    known_size: int = 0
    told: Meaning | None = None
    _size: int | None = None
    _given: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    _counts: dict[tuple[str, str], int] = msgspec.field(default_factory=dict[tuple[str, str], int])

    @property
    def best_margin(self) -> float:
        """The margin of the exchange nearest in meaning; a small one where none is near."""
        return max([_LEAST_MARGIN, *self.meant.values()])

    @property
    def size(self) -> int:
        """How many passages there are to look at."""
        if self.known_size:
            return self.known_size
        if self.workspace is None:
            return max(1, int(self.searcher.num_docs))
        if self._size is None:
            found = self.searcher.search(self._scope(), 1, count=True)
            self._size = max(1, int(getattr(found, "count", 0) or 0))  # not in its stubs
        return self._size

    def frequency(self, name: str, term: str) -> int:
        """In how many passages a term occurs, of the workspace if one is asked about."""
        if term in self.known:
            return self.known[term]
        total = int(self.searcher.doc_freq(name, term))
        if self.workspace is None or not total or self._is_all():
            return total
        if (name, term) not in self._counts:
            self._counts[name, term] = self.count(self.term(name, term))
        return self._counts[name, term]

    def rarity(self, name: str, term: str) -> float:
        """How rare a term is where the question looks: BM25's inverse document frequency."""
        return _inverse_frequency(self.frequency(name, term), self.size)

    def any_of(self, *fields: tuple[str, Mapping[str, float]]) -> tantivy.Query:
        """Any of the terms in any of the fields, each with its weight.

        One flat disjunction: tantivy skips what cannot come among the best only there.
        """
        total = max(1, int(self.searcher.num_docs))
        clauses: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for name, weights in fields:
            for term, weight in weights.items():
                frequency = int(self.searcher.doc_freq(name, term))
                if not frequency:
                    continue
                if term in self.known or (
                    self.workspace is not None and frequency >= _COUNTED and not self._is_all()
                ):
                    weight *= self.rarity(name, term) / _inverse_frequency(frequency, total)
                query = tantivy.Query.boost_query(self.term(name, term), weight)
                clauses.append((tantivy.Occur.Should, query))
        return tantivy.Query.boolean_query(clauses)

    def naming(self, name: str, *fields: str) -> tantivy.Query | None:
        """The passages that hold every word of a name, all with score 1; None where none can.

        Words that carry nothing are not asked for: the index leaves them out.
        fields: where the words may be; by default in what was said, and in what tools did.
        """
        words: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for stem in dict.fromkeys(content_stems(name)):
            places: list[tuple[tantivy.Occur, tantivy.Query]] = [
                (tantivy.Occur.Should, self.term(field, stem))
                for field in fields or (("text", "tools") if self.tools else ("text",))
                if self.searcher.doc_freq(field, stem)
            ]
            if not places:
                return None
            words.append((tantivy.Occur.Must, tantivy.Query.boolean_query(places)))
        named = tantivy.Query.boolean_query(words)
        return tantivy.Query.const_score_query(named, 1.0) if words else None

    def count(self, query: tantivy.Query) -> int:
        """In how many passages a query finds something, where the question looks."""
        found = self.searcher.search(self._within(query), 1, count=True)
        return int(getattr(found, "count", 0) or 0)  # not in its stubs

    def rated(self, queries: Iterable[tuple[tantivy.Query, int, float]]) -> tantivy.Query:
        """Any of some queries, each with how many passages it finds and its weight, by rarity."""
        return tantivy.Query.boolean_query(
            [
                (
                    tantivy.Occur.Should,
                    tantivy.Query.boost_query(query, weight * _inverse_frequency(count, self.size)),
                )
                for query, count, weight in queries
            ]
        )

    def find(self, query: tantivy.Query, most: int) -> dict[ExchangeRef, float]:
        """The exchanges whose passages answer best, each with the score of its best passage."""
        best: dict[ExchangeRef, float] = {}
        for document in self.index.find(self.searcher, self._within(query), most):
            ref = document.conversation, document.ordinal
            if document.score > best.get(ref, 0.0):
                best[ref] = document.score
                self.documents.setdefault(ref, document)
        return best

    def alike(self, stems: Iterable[str], most: int) -> list[ExchangeRef]:
        """The exchanges that say most of the rarest of some words, the best first.

        Words are rated by all that there is: to count them in the workspace costs a query each.
        """
        frequency = {
            stem: int(self.searcher.doc_freq("text", stem)) for stem in dict.fromkeys(stems)
        }
        shared = [stem for stem, count in frequency.items() if count > 1]
        words = [
            (tantivy.Occur.Should, self.term("text", stem))
            for stem in nsmallest(_TELLING, shared, key=frequency.__getitem__)
        ]
        return list(self.find(tantivy.Query.boolean_query(words), most)) if words else []

    def held(self, rarity: Mapping[str, float]) -> tantivy.Query:
        """A query whose score is how much of a question's weight a passage holds.

        A word in a tool's output, or in the exchange before, counts a part.
        """
        fields = [("text", 1.0), ("before", _BEFORE), *([("tools", _TOOLS)] if self.tools else [])]
        clauses: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for stem, weight in rarity.items():
            places = [
                tantivy.Query.const_score_query(self.term(name, stem), share * weight)
                for name, share in fields
                if weight and self.searcher.doc_freq(name, stem)
            ]
            if places:
                best = tantivy.Query.disjunction_max_query(places)
                clauses.append((tantivy.Occur.Should, best))
        return tantivy.Query.boolean_query(clauses)

    def find_these(
        self, query: tantivy.Query, refs: Collection[ExchangeRef]
    ) -> dict[ExchangeRef, float]:
        """The scores of some exchanges; those that a query does not find have none."""
        if not refs:
            return {}
        schema, must = self.index.schema, tantivy.Occur.Must
        places: list[tuple[tantivy.Occur, tantivy.Query]] = [
            (
                tantivy.Occur.Should,
                tantivy.Query.boolean_query(
                    [
                        (must, tantivy.Query.term_query(schema, "conversation", conversation)),
                        (must, tantivy.Query.term_query(schema, "ordinal", ordinal)),
                    ]
                ),
            )
            for conversation, ordinal in refs
        ]
        among = tantivy.Query.const_score_query(tantivy.Query.boolean_query(places), 0.0)
        both = tantivy.Query.boolean_query([(must, among), (tantivy.Occur.Should, query)])
        best: dict[ExchangeRef, float] = {}
        for document in self.index.find(self.searcher, both, 2 * len(refs)):
            ref = document.conversation, document.ordinal
            best[ref] = max(best.get(ref, 0.0), document.score)
            if ref not in self.documents or not self.documents[ref].answer:
                self.documents[ref] = document
        return best

    def times_given(self, prompt: int) -> int:
        """How many exchanges began with the prompt of this number, where the question looks."""
        if not prompt:
            return 0
        if prompt not in self._given:
            query = tantivy.Query.term_query(self.index.schema, "prompt", prompt)
            self._given[prompt] = self.count(query)
        return self._given[prompt]

    def document(self, ref: ExchangeRef) -> Document | None:
        """The best passage of an exchange; its first where no word led there."""
        if ref not in self.documents:
            for document in self.index.exchange(self.searcher, *ref)[:1]:
                self.documents[ref] = document
        return self.documents.get(ref)

    def add(self, documents: Iterable[Document]) -> None:
        """Take in passages that were not found by words."""
        for document in documents:
            self.documents.setdefault((document.conversation, document.ordinal), document)

    def _is_all(self) -> bool:
        """Whether the workspace is most of what there is, so that its own counts say no more."""
        return self.size > 0.8 * int(self.searcher.num_docs)

    def term(self, name: str, term: str) -> tantivy.Query:
        """The passages with a term in a field."""
        return tantivy.Query.term_query(self.index.schema, name, term, index_option="freq")

    def _within(self, query: tantivy.Query) -> tantivy.Query:
        if self.workspace is None:
            return query
        there = tantivy.Query.const_score_query(self._scope(), 0.0)
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, there), (tantivy.Occur.Must, query)]
        )

    @property
    def places(self) -> tuple[str, ...]:
        """The workspace and the project to look in; empty for everywhere."""
        return tuple(place for place in (self.workspace, self.project) if place)

    def _scope(self) -> tantivy.Query:
        """The passages of the workspace, and of its project's other folders."""
        there = self.term("facet", token(f"workspace:{self.workspace}"))
        if not self.project:
            return there
        project = self.term("facet", token(project_facet(self.project)))
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Should, there), (tantivy.Occur.Should, project)]
        )


def _inverse_frequency(frequency: int, total: int) -> float:
    return math.log(1 + (max(0, total - frequency) + 0.5) / (frequency + 0.5))


class Retriever(Protocol):
    """One way to find exchanges. `weight` is its share in the blend."""

    name: str
    weight: float

    def scores(self, query: Query, context: SearchContext) -> dict[ExchangeRef, float]:
        """A positive score for each exchange found; empty where it has nothing to say."""
        ...
