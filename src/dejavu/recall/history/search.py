"""Ranked history: the exchanges of any past session that answer a question.

Hits come best first. The retrievers propose, the archive disposes: what they found is read there,
so an exchange that is gone or changed never shows, and how much of the question it really holds
decides whether it is shown at all. An empty answer is an answer. The order does not depend on how
many are asked for: the first ten are the same among twenty.

Costs a question O(postings of its words + the best exchanges); catching up O(what changed).
"""

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tantivy

from dejavu.archive import Archive, Lag
from dejavu.archive.derived import Follower
from dejavu.config.projects import project_of
from dejavu.model import NotFoundError

from ..question import Question
from .code_graph import CodeGraph, Imports
from .confidence import READ, behind_sure, by_share, is_near, judged, orders_apart, worth_reading
from .documents import project_facet, token
from .evidence import QuestionWeights
from .hit_loader import HitLoader, RecallHit, TurnCache
from .index import ExchangeIndex
from .query import PromptKind, Query, kind_of, parse_query
from .retrievers import DEFAULT, RETRIEVERS, Retriever, SearchContext
from .retrievers.base import ExchangeRef
from .retrievers.embedding import Embedding
from .retrievers.lexical import Lexical
from .score_fusion import (
    PLAIN,
    Merging,
    Ranked,
    Strategy,
    fuse_scores,
    is_enough,
    recency_boost,
)
from .supersession import WINDOW, Likeness, newest_first

if TYPE_CHECKING:  # hooks do without vectors and commands, and wait for every import
    from .classifier import Classifier
    from .embeddings import SentenceEncoder
    from .rerank import Reranker


class Answer(NamedTuple):
    """Hits, and what is to be said about the search.

    `hits` is the whole ranking; those that may not answer are not `sure`. `notes` are names too
    common to look by.
    `behind` is how many conversations changed since the index was last written: there was no time
    to bring it up to the archive, or it cannot be written, and they were not looked at.
    """

    hits: list[RecallHit]
    notes: tuple[str, ...] = ()
    behind: int = 0

    @property
    def sure(self) -> list[RecallHit]:
        """The hits that answer, as far as can be told."""
        return [hit for hit in self.hits if hit.sure]

    @property
    def uncertain(self) -> list[RecallHit]:
        """The hits that may not answer: for someone who asked and can judge, never for a prompt."""
        return [hit for hit in self.hits if not hit.sure]


class SearchHelpers(NamedTuple):
    """What may help a search that a user asked for, and can wait for: all off by default."""

    classify: "Classifier | None" = None
    rerank: "Reranker | None" = None
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
        merging: Merging = PLAIN,
        project_of: Callable[[str], str] = project_of,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Search `archive` by the retrievers named in `tiers` (None: `DEFAULT`) but those in `without`.

        embed: a function from text to vector, in place of the `semantic` extra's model; `space`
        names it, and vectors made under another name are computed again. merging: how what several
        retrievers found is merged, where a search does not say. project_of: the project of a folder
        that is on this machine; its history is that of all the project's folders.

        Raises:
            ValueError: `merging` names a strategy or a retriever that there is none of.
        """
        if merging != PLAIN:
            merging.check([retriever.name for retriever in RETRIEVERS])
        self._merging = merging
        self._aids = aids or SearchHelpers()
        self._archive = archive
        self._index = ExchangeIndex(archive)
        names = set(DEFAULT if tiers is None else tiers)
        names -= set(without)
        self._retrievers: list[Retriever] = [one for one in RETRIEVERS if one.name in names]
        self._model: SentenceEncoder | None = None
        if embed is not None:
            from .embeddings import CustomEncoder

            self._model = CustomEncoder(embed, space)
            own = Embedding()
            own.model = self._model
            self._retrievers = [own if one.name == own.name else one for one in self._retrievers]
        self._reads_words = Lexical.name in {one.name for one in self._retrievers}
        self._clock = clock
        self._project_of = project_of
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
        floor: float = 0.0,
        catch_up: bool = True,
        strategy: Strategy | None = None,
    ) -> list[RecallHit]:
        """The exchanges near `query`, those that answer it best first; see `RecallHit.sure`.

        before: the last lines said before the prompt, for prompts such as "do that".
        without: conversations (ids) that must not show. spoken: prompts and answers alone, no
        tool output. floor: the least `confidence`. catch_up: see all that was committed.
        strategy: how what several retrievers found is merged (`score_fusion`); else as set up.

        Raises:
            ValueError: there is no such strategy.
        """
        asked = Question(query, limit, workspace, before, without, spoken, floor, strategy)
        return self.answer(asked, catch_up=catch_up).hits

    def ask(
        self,
        query: str,
        limit: int = 10,
        workspace: str | None = None,
        *,
        before: Sequence[str] = (),
        without: Sequence[str] = (),
        spoken: bool = False,
        floor: float = 0.0,
        catch_up: bool = True,
        patience: float | None = None,
        strategy: Strategy | None = None,
    ) -> Answer:
        """As `search`, with what is to be said about it; `patience` as of `catch_up`."""
        asked = Question(query, limit, workspace, before, without, spoken, floor, strategy)
        return self.answer(asked, catch_up=catch_up, patience=patience)

    def answer(
        self, asked: Question, *, catch_up: bool = True, patience: float | None = None
    ) -> Answer:
        """As `ask`, of a question that is made already."""
        Merging(asked.strategy or self._merging.strategy).check(())
        behind = 0
        if catch_up and self._index.is_kept:
            self._catch_up_if_possible(patience)
            behind = self._index.lag().conversations
        with self._archive.views.shared():
            return self._answer(asked, behind)

    def _answer(self, asked: Question, behind: int) -> Answer:
        """The answer from what the index holds now."""
        query, limit, workspace, before, without, spoken, floor, strategy, *_ = asked
        strategy = strategy or self._merging.strategy
        parsed = parse_query(query, before=before, workspace=workspace)
        if self._aids.classify is not None and (
            classified := self._aids.classify(self._archive, query, workspace)
        ):
            parsed = parsed.with_hints(classified.entities, classified.files, classified.subsystems)
        context, cache = self._context(parsed, workspace, spoken=spoken)
        if context is None or limit <= 0 or not (parsed.weights or parsed.names):
            return Answer([], behind=behind)
        weights = QuestionWeights(parsed, context)
        shares = by_share(weights, context) if self._reads_words else {}
        ranking = self._rank(
            parsed, context, strategy, {ref: held / weights.whole for ref, held in shares.items()}
        )
        candidates = ranking[:READ]
        if strategy == "weighted":
            candidates = worth_reading(ranking, shares, weights, context)
        loader = HitLoader(self._archive, context, set(without), cache, weights)
        kind = PromptKind.QUESTION if parsed.uses_context else kind_of(query)
        # The order among the first is settled by the same hits for every limit.
        found = judged(loader.first(candidates, len(candidates), spoken=spoken), kind)
        if strategy != "weighted":
            found.sort(key=lambda hit: -hit.evidence.blend)
        near, orders = orders_apart([hit for hit in found if is_near(hit)])
        later = loader.successors([hit for hit in near if hit.sure], spoken=spoken)
        likeness = self._likeness([*near[:WINDOW], *later], context)
        hits = behind_sure(newest_first(near, query, likeness, later), orders)
        hits = [hit for hit in hits if hit.confidence >= floor]
        if asked.tail and limit > len(hits):
            read = {(hit.conversation, hit.start) for hit in found}
            more = loader.first(ranking, limit + len(found), spoken=spoken)
            rest = judged([hit for hit in more if (hit.conversation, hit.start) not in read], kind)
            hits += [hit for hit in rest if hit.confidence >= floor and is_near(hit)]
        if self._aids.rerank is not None:
            hits = self._aids.rerank(query, hits)
        return Answer(hits[:limit], tuple(parsed.dropped_terms), behind)

    def _context(
        self, query: Query, workspace: str | None, *, spoken: bool
    ) -> tuple[SearchContext | None, TurnCache]:
        """The index that a question is asked of: this machine's, or what the server found for it."""
        graph = self._aids.graph or Imports()
        if not self._index.is_kept:
            from .from_server import ask  # of use to a team's archive alone

            project = self._own_project(workspace)
            found = ask(
                self._archive, query, workspace, project, self._retrievers, graph, tools=not spoken
            )
            return found or (None, self._cache)
        searcher = self._index.searcher()
        if searcher is None:
            return None, self._cache
        context = SearchContext(
            self._archive, self._index, searcher, workspace, self.project_of(workspace), not spoken,
            graph,
        )  # fmt: skip
        return context, self._cache

    def _own_project(self, workspace: str | None) -> str:
        """The project that a folder of this machine says itself; empty for others."""
        return self._project_of(workspace) if workspace and os.path.isdir(workspace) else ""  # noqa: PTH112 - never raises

    def _likeness(self, hits: Sequence[RecallHit], context: SearchContext) -> Likeness:
        """How near two of the first hits are in meaning, where vectors tell."""
        if not context.meant:
            return lambda _first, _second: None
        from .embeddings import cosines_between, likeness

        told, places = context.told, {hit.evidence.place for hit in hits}
        cosine = cosines_between(told.vectors) if told else likeness(self._archive, places)
        return lambda first, second: cosine(first.evidence.place, second.evidence.place)

    def _rank(
        self,
        query: Query,
        context: SearchContext,
        strategy: Strategy,
        shares: Mapping[ExchangeRef, float],
    ) -> list[Ranked]:
        """All that the retrievers found, best first; shares: of the question, where words told."""
        scores: dict[str, dict[ExchangeRef, float]] = {}
        for retriever in self._retrievers:
            found = scores[retriever.name] = retriever.scores(query, context)
            if strategy == "short_circuit" and is_enough(found, shares, context.meant):
                scores = {retriever.name: found}
                break
        weights = {retriever.name: retriever.weight for retriever in self._retrievers}
        weights.update(self._merging.weights)
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

    def catch_up(
        self,
        most: int | None = None,
        patience: float | None = None,
        followers: Iterable[Follower] = (),
    ) -> int:
        """Bring the index up to the archive; return the number of changes applied.

        most: leave it as it is where more turns are waiting; a hook has no time for them.
        patience: seconds after which the rest is left, some of it is always taken in.
        followers: indexes that are given the turns on the way (`ExchangeIndex.catch_up`).
        Where a server answers in the place of an index, and there is none here, none is made.
        """
        if not self._index.is_kept or (most is not None and self.pending(most) > most):
            return 0
        return self._index.catch_up(patience, followers)

    def catching_up(self) -> Generator[int]:
        """As `catch_up`, in short steps: yield the number of changes each applied.

        For a process that has other things to do in between. Others cannot write the index until
        the iterator is closed or at its end; what was taken in is kept either way.
        """
        if self._index.is_kept:
            yield from self._index.catching_up()

    @property
    def is_kept(self) -> bool:
        """Whether this machine has an index, or makes one unasked; else a server answers in its place."""
        return self._index.is_kept

    def make_index(self) -> int:
        """As `catch_up`, also where a server would answer: who asks for an index gets one."""
        return self._index.catch_up()

    @property
    def name(self) -> str:
        """What people call this index."""
        return "recall index"

    def lag(self) -> Lag:
        """What the index has not seen; nothing where none is kept."""
        return self._index.lag()

    def pending(self, most: int) -> int:
        """How many turns the index has not seen, counted up to a little above `most`."""
        return self._index.pending(most)

    def workspace_of(self, folder: str) -> str | None:
        """The workspace with history that a folder is, or is inside; None where there is none."""
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

    def project_of(self, workspace: str | None) -> str:
        """The project with history that a workspace is, or is a folder of; empty where there is none.

        A folder of this machine says it itself; for others the newest conversation there does.
        """
        if not self._index.is_kept:
            from .from_server import known_project

            return known_project(self._archive, self._own_project(workspace))
        searcher = self._index.searcher()
        if not workspace or searcher is None:
            return ""
        project = self._own_project(workspace) or self._told_project(searcher, workspace)
        while project and not searcher.doc_freq("facet", token(project_facet(project))):
            project = project.rpartition("/")[0]
        return project

    def _told_project(self, searcher: tantivy.Searcher, workspace: str) -> str:
        """The project that a conversation held in a workspace came with."""
        there = tantivy.Query.term_query(
            self._index.schema, "facet", token(f"workspace:{workspace}")
        )
        for document in self._index.find(searcher, there, 1):
            name = self._archive.identity(document.conversation)
            with suppress(NotFoundError):
                return self._archive.summary(name).project if name else ""
        return ""

    def embed_pending(self, most: int = 1_000) -> int:
        """Make up to about `most` missing vectors; 0 without the `semantic` extra."""
        from .embeddings import embed_pending

        return embed_pending(self._archive, most, self._model)

    def embedding(self) -> Iterator[int]:
        """As `embed_pending`, all of them, a step of a few vectors at a time."""
        from .embeddings import embedding

        return embedding(self._archive, self._model)
