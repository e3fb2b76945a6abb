"""Ranked history: the turns of any past session that answer a prompt.

Hits come best first. The tiers propose, the archive disposes: what they found is read there, so a
turn that is gone or changed never shows, and how much of the question it really holds decides
whether it is shown at all. An empty answer is an answer.

Costs a question O(postings of its words + the 40 best turns); catching up O(what changed).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive

from .classifier import Classifier
from .code_graph import CodeGraph, Imports
from .dedupe import is_duplicate, superseded
from .embeddings import embed_pending, embedding
from .hit_loader import HitLoader, RecallHit, TurnCache
from .index import EventIndex, token
from .query import parse_query
from .rerank import Reranker
from .retrievers import RETRIEVERS, Retriever, SearchContext
from .score_fusion import fuse_scores

MIN_COVERAGE = 0.3
"""How much of the question's weight a hit (with its neighbours) must hold to be worth showing."""

_SPARE = 4  # hits found beyond those asked for, because some will not stand
_LEANING = 0.6  # of the floor, for a prompt that is read with what was said before it
_READ = 24  # turns looked at for ten hits


class Answer(NamedTuple):
    """Hits, and what is to be said about the search.

    `notes` are names too common to look by. `behind` is how many conversations changed since the
    index was last written: it could not be brought up to the archive, and they were not looked at.
    """

    hits: list[RecallHit]
    notes: tuple[str, ...] = ()
    behind: int = 0


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
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Search `archive` by the tiers named (all of them, if none are) but those in `without`."""
        self._aids = aids or SearchHelpers()
        self._archive = archive
        self._index = EventIndex(archive)
        wanted = {tier.name for tier in RETRIEVERS} if tiers is None else set(tiers)
        wanted -= set(without)
        self._tiers: list[Retriever] = [tier for tier in RETRIEVERS if tier.name in wanted]
        self._clock = clock
        self._kept = TurnCache()

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
    ) -> list[RecallHit]:
        """The turns that answer `query`, best first; none where nothing is worth showing.

        before: the last lines said before the prompt, for prompts such as "do that".
        without: conversations (ids) that must not show. spoken: prompts and answers alone, no
        tool output. floor: 0 shows everything found. catch_up: see all that was committed.
        """
        return self.ask(
            query, limit, workspace, before=before, without=without, spoken=spoken, floor=floor,
            catch_up=catch_up,
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
    ) -> Answer:
        """As `search`, with what is to be said about it."""
        behind = 0
        if catch_up:
            self._catch_up_if_possible()
            behind = self._index.conversations_behind()
        searcher = self._index.searcher()
        parsed = parse_query(query, before=before, workspace=workspace)
        if self._aids.classify is not None and (
            classified := self._aids.classify(self._archive, query, workspace)
        ):
            parsed = parsed.with_hints(classified.entities, classified.files, classified.subsystems)
        if searcher is None or limit <= 0 or not (parsed.weights or parsed.names):
            return Answer([], behind=behind)
        facets = () if workspace is None else (f"workspace:{workspace}",)
        graph = self._aids.graph or Imports()
        context = SearchContext(self._archive, self._index, searcher, facets, graph)
        scores = {tier.name: tier.scores(parsed, context) for tier in self._tiers}
        weights = {tier.name: tier.weight for tier in self._tiers}
        reader = HitLoader(self._archive, context, parsed, set(without), self._kept)
        reader.semantic_scores = scores.get("embedding", {})
        ranking = fuse_scores(scores, weights, max(_READ, 3 * limit))
        reader.prefetch([ranked.place for ranked in ranking[: limit + _SPARE]])
        if parsed.uses_context:
            floor *= _LEANING
        hits: list[RecallHit] = []
        for ranked in ranking:
            hit = reader.hit(ranked, self._clock(), floor, spoken=spoken)
            if hit is not None:
                hits.append(hit)
                if len(hits) >= limit + _SPARE:
                    break
        hits.sort(key=lambda hit: -hit.score)
        if self._aids.rerank is not None:
            hits = self._aids.rerank(query, hits)
        return Answer(_standing(hits, limit), tuple(parsed.dropped_terms), behind)

    def _catch_up_if_possible(self) -> None:
        """Bring the index up to the archive; where it cannot be written, `behind` says so."""
        with suppress(OSError, ValueError):  # tantivy says everything by ValueError
            self._index.catch_up()

    def catch_up(self, most: int | None = None) -> int:
        """Bring the index up to the archive; return the number of changes applied.

        most: leave it as it is where more turns are waiting; a hook has no time for them.
        """
        if most is not None and self._index.pending(most) > most:
            return 0
        return self._index.catch_up()

    def catching_up(self) -> Iterator[int]:
        """As `catch_up`, in short steps: yield the number of changes each applied.

        For a process that has other things to do in between. Others cannot write the index until
        the iterator is closed or at its end; what was taken in is kept either way.
        """
        return self._index.catching_up()

    def pending(self, most: int) -> int:
        """How many turns the index has not seen, counted up to a little above `most`."""
        return self._index.pending(most)

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
        return embed_pending(self._archive, most)

    def embedding(self) -> Iterator[int]:
        """As `embed_pending`, all of them, a step of a few vectors at a time."""
        return embedding(self._archive)


def _standing(hits: list[RecallHit], limit: int) -> list[RecallHit]:
    """The hits that stand: no doubles, and none that a later one contradicts."""
    distinct: list[RecallHit] = []
    for hit in hits:
        if any(is_duplicate(hit.excerpt, other.excerpt) for other in distinct):
            continue
        distinct.append(hit)
        if len(distinct) >= limit + 5:
            break
    old = superseded([(hit.excerpt, hit.at or 0.0) for hit in distinct[: limit + 5]])
    return [hit for number, hit in enumerate(distinct) if number not in old][:limit]
