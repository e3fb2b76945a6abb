"""What a retriever is, and what it looks at."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import tantivy

from dejavu.archive import Archive

from ..code_graph import CodeGraph, Imports
from ..events import Kind
from ..index import Document, EventIndex, token
from ..query import Query

TurnRef = tuple[int, int]
"""A turn: its conversation's number, its seq."""

KIND_WEIGHT = {
    Kind.PROMPT: 1.0, Kind.TEXT: 1.0, Kind.REASONING: 0.75, Kind.CALL: 0.65, Kind.RESULT: 0.5,
    Kind.NOTE: 0.3, Kind.RATIONALE: 1.0,
}  # fmt: skip


@dataclass(slots=True)
class SearchContext:
    """The index as one question sees it; `documents` collects what is known of every turn found."""

    archive: Archive
    index: EventIndex
    searcher: tantivy.Searcher
    facets: tuple[str, ...] = ()
    graph: CodeGraph = field(default_factory=Imports)
    documents: dict[TurnRef, Document] = field(default_factory=dict[TurnRef, Document])

    def frequency(self, name: str, term: str) -> int:
        """In how many events a term stands."""
        return int(self.searcher.doc_freq(name, term))

    def any_of(self, name: str, weights: dict[str, float]) -> tantivy.Query:
        """Any of the terms, each with its weight."""
        return self.either((name, weights))

    def either(self, *fields: tuple[str, dict[str, float]]) -> tantivy.Query:
        """Any of the terms in any of the fields, each with its weight."""
        clauses: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for name, weights in fields:
            for term, weight in weights.items():
                query = tantivy.Query.term_query(self.index.schema, name, term, index_option="freq")
                if weight != 1.0:
                    query = tantivy.Query.boost_query(query, weight)
                clauses.append((tantivy.Occur.Should, query))
        return tantivy.Query.boolean_query(clauses)

    def find(self, query: tantivy.Query, most: int) -> list[Document]:
        """The best events for a query, within the workspace asked about."""
        if self.facets:
            wheres = [
                tantivy.Query.const_score_query(
                    tantivy.Query.term_query(
                        self.index.schema, "facet", token(facet), index_option="freq"
                    ),
                    0.0,
                )
                for facet in self.facets
            ]
            musts = [(tantivy.Occur.Must, clause) for clause in (*wheres, query)]
            query = tantivy.Query.boolean_query(musts)
        documents = self.index.find(self.searcher, query, most)
        for document in documents:
            best = self.documents.get((document.conversation, document.seq))
            if best is None or KIND_WEIGHT[document.kind] > KIND_WEIGHT[best.kind]:
                self.documents[document.conversation, document.seq] = document
        return documents

    def by_turn(
        self, documents: Iterable[Document], score: Callable[[Document], float]
    ) -> dict[TurnRef, float]:
        """The best score of each turn's events, the kinds weighed."""
        best: dict[TurnRef, float] = {}
        for document in documents:
            turn_ref = document.conversation, document.seq
            best[turn_ref] = max(
                best.get(turn_ref, 0.0), score(document) * KIND_WEIGHT[document.kind]
            )
        return best


class Retriever(Protocol):
    """One way to find turns. `weight` is its share in the blend."""

    name: str
    weight: float

    def scores(self, query: Query, context: SearchContext) -> dict[TurnRef, float]:
        """A positive score for each turn found; empty where the tier has nothing to say."""
        ...
