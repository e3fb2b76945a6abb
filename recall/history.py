"""Ranked history: the turns of any past session that answer a prompt.

Takes a prompt; gives hits, best first. The tiers propose, the archive disposes: what they found is
read there, so a turn that is gone or changed never shows, and how much of the question it really
holds decides whether it is shown at all. An empty answer is an answer.

Costs a question O(postings of its words + the 40 best turns); catching up O(what changed).
"""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.record import NotFound, Role, Turn

from .blend import Place, Ranked, blended, newness
from .events import Event, Kind, events
from .index import EventIndex, token
from .question import Question, question
from .standing import double, superseded
from .terms import content, likeness, trigrams
from .tiers import TIERS, Tier, View
from .tiers.tier import KIND_WEIGHT
from .vectors import embed_pending

FLOOR = 0.3
"""How much of the question's weight a hit (with its neighbours) must hold to be worth showing."""

_TYPO = 0.3
_READ = 40  # turns looked at for ten hits
_SPOKEN = (Kind.PROMPT, Kind.TEXT)


class RecallHit(NamedTuple):
    """A turn that answers.

    `tiers` found it, the strongest first; `held` is the share of the question's weight it holds;
    `excerpt` is as captured: sanitise before display.
    """

    conversation: str
    seq: int
    role: Role
    score: float
    excerpt: str
    tiers: tuple[str, ...]
    at: float | None
    agent: str
    workspace: str
    kind: Kind
    held: float


class Answer(NamedTuple):
    """Hits, and what is to be said about the search: names too common to look by."""

    hits: list[RecallHit]
    notes: tuple[str, ...] = ()


class Recall:
    """Search over everything the archive holds. Use one a thread."""

    def __init__(
        self,
        archive: Archive,
        *,
        tiers: Iterable[str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Search `archive` by the tiers named (all of them, if none are)."""
        self._archive = archive
        self._index = EventIndex(archive)
        wanted = None if tiers is None else set(tiers)
        self._tiers: list[Tier] = [t for t in TIERS if wanted is None or t.name in wanted]
        self._clock = clock

    def search(
        self,
        query: str,
        limit: int = 10,
        workspace: str | None = None,
        *,
        before: Sequence[str] = (),
        without: Sequence[str] = (),
        spoken: bool = False,
        floor: float = FLOOR,
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
        floor: float = FLOOR,
        catch_up: bool = True,
    ) -> Answer:
        """As `search`, with what is to be said about it."""
        if catch_up:
            self._index.catch_up()
        searcher = self._index.searcher()
        asked = question(query, before=before, workspace=workspace)
        if searcher is None or limit <= 0 or not (asked.weights or asked.names):
            return Answer([])
        facets = () if workspace is None else (f"workspace:{workspace}",)
        view = View(self._archive, self._index, searcher, facets)
        found = {tier.name: tier.scores(asked, view) for tier in self._tiers}
        weights = {tier.name: tier.weight for tier in self._tiers}
        reader = _Reader(self._archive, view, asked, set(without))
        hits = [
            hit
            for ranked in blended(found, weights)[: max(_READ, 3 * limit)]
            if (hit := reader.hit(ranked, self._clock(), spoken=spoken)) is not None
            and hit.held >= floor
        ]
        hits.sort(key=lambda hit: -hit.score)
        return Answer(_standing(hits, limit), tuple(asked.dropped))

    def catch_up(self, most: int | None = None) -> int:
        """Bring the index up to the archive; gives how many changes that took.

        most: leave it as it is where more turns are waiting; a hook has no time for them.
        """
        if most is not None and self._index.pending(most) > most:
            return 0
        return self._index.catch_up()

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
                str(one)
                for one in (path, *path.parents)
                if searcher.doc_freq("facet", token(f"workspace:{one}"))
            ),
            None,
        )

    def embed_pending(self, most: int = 1_000) -> int:
        """Make up to about `most` missing vectors; 0 without the `semantic` extra."""
        return embed_pending(self._archive, most)


class _Reader:
    """Looks up in the archive what the tiers found."""

    def __init__(self, archive: Archive, view: View, asked: Question, without: set[str]) -> None:
        self._archive = archive
        self._view = view
        self._asked = asked
        self._without = without
        self._met = {place[0]: document for place, document in view.met.items()}
        self._ids: dict[int, str | None] = {}
        self._turns: dict[Place, Turn | None] = {}
        self._heads: dict[str, tuple[str, str]] = {}
        total = max(1, view.searcher.num_docs)
        # What was said before a prompt holds many words of no matter.
        unknown = 0.3 if asked.leaning else 1.0
        self._rarity = {
            stem: weight * _rarity(view.frequency("text", stem), total, unknown)
            for stem, weight in asked.weights.items()
        }
        self._misspelt = {
            stem: trigrams(stem)
            for stem in asked.weights
            if len(stem) >= 5 and not view.frequency("text", stem)
        }

    def hit(self, ranked: Ranked, now: float, *, spoken: bool) -> RecallHit | None:
        """The hit at a place; None where there is nothing (any more), or nothing to show."""
        number, seq = ranked.place
        identity = self._identity(number)
        if identity is None or identity in self._without:
            return None
        turn = self._turn(identity, number, seq)
        told = [] if turn is None else list(events(turn))
        if spoken:
            told = [event for event in told if event.kind in _SPOKEN]
        if turn is None or not told:
            return None
        event = max(told, key=lambda one: (self._share(one.text), KIND_WEIGHT[one.kind]))
        beside = [self._turn(identity, number, seq + step) for step in (-2, -1, 1)]
        held = self._held([turn, *(one for one in beside if one is not None)])
        agent, workspace = self._head(identity)
        at = turn.at
        document = self._view.met.get(ranked.place)
        age = at if at is not None else (document.at if document else 0.0)
        quiet = 1.0 if any(one.kind in _SPOKEN for one in told) else 0.6
        return RecallHit(
            conversation=identity,
            seq=seq,
            role=turn.role,
            score=round(ranked.score * quiet * newness(age, now), 4),
            excerpt=_around(event, self._rarity),
            tiers=ranked.tiers,
            at=at,
            agent=agent,
            workspace=workspace,
            kind=event.kind,
            held=round(held, 3),
        )

    def _identity(self, number: int) -> str | None:
        if number not in self._ids:
            document = self._met.get(number)
            self._ids[number] = document and self._view.index.identity(
                self._view.searcher, document
            )
        return self._ids[number]

    def _share(self, text: str) -> float:
        stems = set(content(text[:4_000]))
        return sum(weight for stem, weight in self._rarity.items() if stem in stems)

    def _held(self, turns: list[Turn]) -> float:
        """The share of the question's weight that stands in these turns together."""
        stems = {stem for turn in turns for event in events(turn) for stem in content(event.search)}
        whole = sum(self._rarity.values()) or 1.0
        return (
            sum(
                weight
                for stem, weight in self._rarity.items()
                if stem in stems or (stem in self._misspelt and self._almost(stem, stems))
            )
            / whole
        )

    def _almost(self, stem: str, stems: set[str]) -> bool:
        """Whether a word that stands nowhere is one of the stems, misspelt."""
        grams = self._misspelt[stem]
        near = (one for one in stems if one[0] == stem[0] and abs(len(one) - len(stem)) <= 2)
        return any(likeness(grams, trigrams(one)) >= _TYPO for one in near)

    def _turn(self, identity: str, number: int, seq: int) -> Turn | None:
        place = number, seq
        if place not in self._turns:
            try:
                turns = self._archive.turns(identity, seq, seq + 1)
                self._turns[place] = next(turns, None) if seq >= 0 else None
            except NotFound:
                self._turns[place] = None
        return self._turns[place]

    def _head(self, identity: str) -> tuple[str, str]:
        if identity not in self._heads:
            head = self._archive.head(identity)
            self._heads[identity] = head.agent, head.workspace
        return self._heads[identity]


def _rarity(held: int, total: int, unknown: float) -> float:
    """How much a word tells, 0.1 to 1; one that stands nowhere tells `unknown`."""
    return max(0.1, 1.0 - held / (0.2 * total + 10)) if held else unknown


def _around(event: Event, rarity: dict[str, float]) -> str:
    """The excerpt of an event: its beginning, or the part that answers where it is long."""
    if len(event.text) <= len(event.excerpt) + 1:
        return event.excerpt
    width = len(event.excerpt)
    text = event.text[:20_000]
    starts = range(0, len(text), max(1, width // 2))
    best = max(
        starts,
        key=lambda at: (
            sum(rarity.get(s, 0.0) for s in set(content(text[at : at + width]))),
            -at,
        ),
    )
    return event.excerpt if best == 0 else "…" + text[best : best + width].strip()


def _standing(hits: list[RecallHit], limit: int) -> list[RecallHit]:
    """The hits that stand: no doubles, and none that a later one contradicts."""
    kept: list[RecallHit] = []
    for hit in hits:
        if any(double(hit.excerpt, other.excerpt) for other in kept):
            continue
        kept.append(hit)
        if len(kept) >= limit + 5:
            break
    old = superseded([(hit.excerpt, hit.at or 0.0) for hit in kept[: limit + 5]])
    return [hit for number, hit in enumerate(kept) if number not in old][:limit]
