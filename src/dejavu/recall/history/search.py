"""Ranked history: the exchanges of any past session that answer a question.

Hits come best first. The retrievers propose, the archive disposes: what they found is read there,
so an exchange that is gone or changed never shows, and how much of the question it really holds
decides whether it is shown at all. An empty answer is an answer. The order does not depend on how
many are asked for: the first ten are the same among twenty.

Costs a question O(postings of its words + the best exchanges); catching up O(what changed).
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dejavu.archive import Archive, Lag

from .classifier import Classifier
from .code_graph import CodeGraph, Imports
from .documents import token
from .hit_loader import HitLoader, RecallHit, TurnCache
from .index import ExchangeIndex
from .query import Query, parse_query
from .rerank import Reranker
from .retrievers import RETRIEVERS, Retriever, SearchContext
from .retrievers.base import ExchangeRef
from .retrievers.embedding import Embedding
from .score_fusion import STRATEGIES, Ranked, Strategy, fuse_scores, recency_boost
from .supersession import WINDOW, newest_first

if TYPE_CHECKING:  # hooks do without vectors, and wait for every import
    from .embeddings import SentenceEncoder

MIN_COVERAGE = 0.33
"""How much of the question's weight a hit (with its neighbours) must hold to be worth showing."""

_READ = 40  # of the best, that are read for the first hits
_LEANING = 0.6  # of the floor, for a prompt that is read with what was said before it


class Answer(NamedTuple):
    """Hits, and what is to be said about the search.

    `uncertain` are the best of what was found and held too little of the question for a hit: for
    somebody who asked and may judge, never for a prompt. `notes` are names too common to look by.
    `behind` is how many conversations changed since the index was last written: there was no time
    to bring it up to the archive, or it cannot be written, and they were not looked at.
    """

    hits: list[RecallHit]
    notes: tuple[str, ...] = ()
    behind: int = 0
    uncertain: tuple[RecallHit, ...] = ()


class SearchHelpers(NamedTuple):
    """What may help a search that somebody asked for, and can wait for: all off by default."""

    classify: Classifier | None = None
    rerank: Reranker | None = None
    graph: CodeGraph | None = None


class Recall:
    """Search over everything the archive holds. Use one a thread."""

    def __init__(
        self,
        archive: Archive,
        *,
        tiers: Iterable[str] | None = None,
        without: Iterable[str] = (),
        aids: SearchHelpers | None = None,
        embed: Callable[[str], Sequence[float]] | None = None,
        space: str = "custom",
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Search `archive` by the retrievers named in `tiers` (None: all) but those in `without`.

        embed: a function from text to vector, in place of the `semantic` extra's model; `space`
        names it, and vectors made under another name are made anew.
        """
        self._aids = aids or SearchHelpers()
        self._archive = archive
        self._index = ExchangeIndex(archive)
        names = {retriever.name for retriever in RETRIEVERS} if tiers is None else set(tiers)
        names -= set(without)
        self._retrievers: list[Retriever] = [one for one in RETRIEVERS if one.name in names]
        self._model: SentenceEncoder | None = None
        if embed is not None:
            from .embeddings import CustomEncoder

            self._model = CustomEncoder(embed, space)
            own = Embedding(self._model)
            self._retrievers = [own if one.name == own.name else one for one in self._retrievers]
        self._clock = clock
        self._cache = TurnCache()

    def search(
        self,
        query: str,
        limit: int = 10,
        workspace: str | None = None,
        *,
        before: Sequence[str] = (),
        without: Sequence[str] = (),
        spoken: bool = False,
        floor: float = MIN_COVERAGE,
        catch_up: bool = True,
        strategy: Strategy = "weighted",
    ) -> list[RecallHit]:
        """The exchanges that answer `query`, best first; none where nothing is worth showing.

        before: the last lines said before the prompt, for prompts such as "do that".
        without: conversations (ids) that must not show. spoken: prompts and answers alone, no
        tool output. floor: 0 shows everything found. catch_up: see all that was committed.
        strategy: how what several retrievers found is merged (`score_fusion`).

        Raises:
            ValueError: there is no such strategy.
        """
        return self.ask(
            query, limit, workspace, before=before, without=without, spoken=spoken, floor=floor,
            catch_up=catch_up, strategy=strategy,
        ).hits  # fmt: skip

    def ask(
        self,
        query: str,
        limit: int = 10,
        workspace: str | None = None,
        *,
        before: Sequence[str] = (),
        without: Sequence[str] = (),
        spoken: bool = False,
        floor: float = MIN_COVERAGE,
        catch_up: bool = True,
        patience: float | None = None,
        strategy: Strategy = "weighted",
    ) -> Answer:
        """As `search`, with what is to be said about it; `patience` as of `catch_up`."""
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy {strategy!r} is none of {', '.join(STRATEGIES)}")
        behind = 0
        if catch_up:
            self._catch_up_if_possible(patience)
            behind = self._index.lag().conversations
        with self._archive.view():
            return self._answer(
                query, limit, workspace, before, without, floor, behind, strategy, spoken=spoken
            )

    def _answer(
        self,
        query: str,
        limit: int,
        workspace: str | None,
        before: Sequence[str],
        without: Sequence[str],
        floor: float,
        behind: int,
        strategy: Strategy,
        *,
        spoken: bool,
    ) -> Answer:
        """The answer from what the index holds now."""
        parsed = parse_query(query, before=before, workspace=workspace)
        if self._aids.classify is not None and (
            classified := self._aids.classify(self._archive, query, workspace)
        ):
            parsed = parsed.with_hints(classified.entities, classified.files, classified.subsystems)
        searcher = self._index.searcher()
        if searcher is None or limit <= 0 or not (parsed.weights or parsed.names):
            return Answer([], behind=behind)
        context = SearchContext(
            self._archive, self._index, searcher, workspace, not spoken,
            self._aids.graph or Imports(),
        )  # fmt: skip
        ranking = self._rank(parsed, context, strategy)
        loader = HitLoader(self._archive, context, parsed, set(without), self._cache)
        if parsed.uses_context:
            floor *= _LEANING
        # The order among the first is settled by the same hits for every limit.
        found = self._load(loader, ranking[:_READ], WINDOW, floor, spoken=spoken)
        hits = newest_first(found, query)
        if limit > max(WINDOW, len(hits)):
            read = {(hit.conversation, hit.start) for hit in hits}
            more = self._load(loader, ranking, limit + len(hits), floor, spoken=spoken)
            hits += [hit for hit in more if (hit.conversation, hit.start) not in read]
        if self._aids.rerank is not None:
            hits = self._aids.rerank(query, hits)
        uncertain = self._uncertain(loader, ranking, hits, limit, spoken=spoken) if floor else ()
        return Answer(hits[:limit], tuple(parsed.dropped_terms), behind, uncertain)

    def _uncertain(
        self,
        loader: HitLoader,
        ranking: Sequence[Ranked],
        hits: Sequence[RecallHit],
        limit: int,
        *,
        spoken: bool,
    ) -> tuple[RecallHit, ...]:
        """What was found below the floor, at most as many as hits are missing from `limit`."""
        if len(hits) >= limit:
            return ()
        shown = {(hit.conversation, hit.start) for hit in hits}
        found = self._load(loader, ranking[:_READ], limit + len(hits), 0.0, spoken=spoken)
        rest = [hit for hit in found if (hit.conversation, hit.start) not in shown]
        return tuple(rest[: limit - len(hits)])

    @staticmethod
    def _load(
        loader: HitLoader, ranking: Sequence[Ranked], most: int, floor: float, *, spoken: bool
    ) -> list[RecallHit]:
        """The first hits of a ranking, at most so many."""
        hits = (loader.hit(ranked, floor, spoken=spoken) for ranked in loader.ahead(ranking))
        return list(islice((hit for hit in hits if hit is not None), most))

    def _rank(self, query: Query, context: SearchContext, strategy: Strategy) -> list[Ranked]:
        """All that was found, best first."""
        scores: dict[str, dict[ExchangeRef, float]] = {}
        for retriever in self._retrievers:
            scores[retriever.name] = retriever.scores(query, context)
            if strategy == "short_circuit" and scores[retriever.name]:
                break
        weights = {retriever.name: retriever.weight for retriever in self._retrievers}
        now = self._clock()
        ranking = [
            ranked._replace(score=ranked.score * recency_boost(self._age(context, ranked), now))
            for ranked in fuse_scores(scores, weights, strategy)
        ]
        return sorted(ranking, key=lambda ranked: (-ranked.score, ranked.place))

    @staticmethod
    def _age(context: SearchContext, ranked: Ranked) -> float:
        document = context.documents.get(ranked.place)
        return 0.0 if document is None else document.at

    def _catch_up_if_possible(self, patience: float | None) -> None:
        """Bring the index up to the archive; where it cannot be written, `behind` says so."""
        with suppress(OSError, ValueError):  # tantivy says everything by ValueError
            self._index.catch_up(patience)

    def catch_up(self, most: int | None = None, patience: float | None = None) -> int:
        """Bring the index up to the archive; return the number of changes applied.

        most: leave it as it is where more turns are waiting; a hook has no time for them.
        patience: seconds after which the rest is left, some of it is always taken in.
        """
        if most is not None and self.pending(most) > most:
            return 0
        return self._index.catch_up(patience)

    def catching_up(self) -> Generator[int]:
        """As `catch_up`, in short steps: yield the number of changes each applied.

        For a process that has other things to do in between. Others cannot write the index until
        the iterator is closed or at its end; what was taken in is kept either way.
        """
        return self._index.catching_up()

    @property
    def name(self) -> str:
        """What people call this index."""
        return "recall index"

    def lag(self) -> Lag:
        """What the index has not seen."""
        return self._index.lag()

    def pending(self, most: int) -> int:
        """How many turns the index has not seen, counted up to a little above `most`."""
        lag = self._index.lag(most)
        return lag.turns + lag.entries

    def workspace_of(self, folder: str) -> str | None:
        """The workspace with history that a folder is, or lies in; None where there is none."""
        searcher = self._index.searcher()
        if searcher is None:
            return None
        path = Path(folder)
        return next(
            (
                str(parent)
                for parent in (path, *path.parents)
                if searcher.doc_freq("facet", token(f"workspace:{parent}"))
            ),
            None,
        )

    def embed_pending(self, most: int = 1_000) -> int:
        """Make up to about `most` missing vectors; 0 without the `semantic` extra."""
        from .embeddings import embed_pending

        return embed_pending(self._archive, most, self._model)

    def embedding(self) -> Iterator[int]:
        """As `embed_pending`, all of them, a step of a few vectors at a time."""
        from .embeddings import embedding

        return embedding(self._archive, self._model)
