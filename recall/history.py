"""Ranked history: the turns of any past session that answer a prompt.

Takes a prompt; gives hits, best first. The tiers propose, the archive disposes: what they found is
read there, so a turn that is gone or changed never shows, and how much of the question it really
holds decides whether it is shown at all. An empty answer is an answer.

Costs a question O(postings of its words + the 40 best turns); catching up O(what changed).
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.record import NotFound, Role, Turn

from .blend import Place, Ranked, blended, newness
from .events import Event, Kind, events
from .index import EventIndex, token
from .question import Question, question
from .standing import double, superseded
from .terms import content, misspelt
from .tiers import TIERS, Tier, View
from .tiers.tier import KIND_WEIGHT
from .vectors import embed_pending

FLOOR = 0.3
"""How much of the question's weight a hit (with its neighbours) must hold to be worth showing."""

_SPARE = 4  # hits found beyond those asked for, because some will not stand
_WINDOW = 6  # turns before a turn in which what it answers is looked for
_LEANING = 0.6  # of the floor, for a prompt that is read with what was said before it
_QUIET = 0.6  # what tool traffic counts beside what was said
_UNKNOWN = 0.6  # what a word counts that stands nowhere
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
        if asked.leaning:
            floor *= _LEANING
        hits: list[RecallHit] = []
        for ranked in blended(found, weights)[: max(_READ, 3 * limit)]:
            hit = reader.hit(ranked, self._clock(), floor, spoken=spoken)
            if hit is not None:
                hits.append(hit)
                if len(hits) >= limit + _SPARE:
                    break
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


class _Told(NamedTuple):
    """A turn as read: its events, and the stems of each."""

    turn: Turn
    events: list[tuple[Event, frozenset[str]]]


class _Reader:
    """Looks up in the archive what the tiers found."""

    def __init__(self, archive: Archive, view: View, asked: Question, without: set[str]) -> None:
        self._archive = archive
        self._view = view
        self._without = without
        self._met = {place[0]: document for place, document in view.met.items()}
        self._ids: dict[int, str | None] = {}
        self._told: dict[Place, _Told | None] = {}
        self._heads: dict[str, tuple[str, str]] = {}
        total = max(1, view.searcher.num_docs)
        # What was said before a prompt holds many words of no matter.
        unknown = 0.3 if asked.leaning else _UNKNOWN
        self._rarity: dict[str, float] = {}
        self._misspelt: set[str] = set()
        for stem, weight in asked.weights.items():
            held = view.frequency("text", stem)
            self._rarity[stem] = weight * _rarity(held, total, unknown)
            if not held and len(stem) >= 5:
                self._misspelt.add(stem)
        self._whole = sum(self._rarity.values()) or 1.0

    def hit(self, ranked: Ranked, now: float, floor: float, *, spoken: bool) -> RecallHit | None:
        """The hit at a place; None where there is nothing (any more), or less than the floor."""
        number, seq = ranked.place
        identity = self._identity(number)
        if identity is None or identity in self._without:
            return None
        told = self._read(identity, ranked.place)
        shown = [
            one for one in ([] if told is None else told.events)
            if not spoken or one[0].kind in _SPOKEN
        ]  # fmt: skip
        if told is None or not shown:
            return None
        held = self._held(identity, ranked.place, told, floor)
        if held < floor:
            return None
        event, _ = max(shown, key=lambda one: (self._share(one[1]), KIND_WEIGHT[one[0].kind]))
        agent, workspace = self._head(identity)
        document = self._view.met.get(ranked.place)
        age = document.at if told.turn.at is None and document else told.turn.at or 0.0
        quiet = 1.0 if any(one.kind in _SPOKEN for one, _ in shown) else _QUIET
        return RecallHit(
            conversation=identity,
            seq=seq,
            role=told.turn.role,
            score=round(ranked.score * quiet * newness(age, now), 4),
            excerpt=_around(event, self._rarity),
            tiers=ranked.tiers,
            at=told.turn.at,
            agent=agent,
            workspace=workspace,
            kind=event.kind,
            held=round(held, 3),
        )

    def _held(self, identity: str, place: Place, told: _Told, floor: float) -> float:
        """The share of the question's weight in a turn; with those beside it, if it needs them."""
        own = {stem for _, one in told.events for stem in one}
        held = self._share(own) / self._whole
        if held >= floor:
            return held
        number, seq = place
        self._load(identity, number, range(max(0, seq - _WINDOW), seq + 2))
        for at in range(seq - _WINDOW, seq + 2):
            beside = self._told.get((number, at))
            if beside is None:
                continue
            if at >= seq - 1 or (beside.turn.role is Role.USER and self._answers(number, at, seq)):
                own.update(*(one for _, one in beside.events))
        return self._share(own) / self._whole

    def _answers(self, number: int, prompt: int, seq: int) -> bool:
        """Whether no other prompt stands between a prompt and a turn."""
        between = (self._told.get((number, at)) for at in range(prompt + 1, seq))
        return not any(one is not None and one.turn.role is Role.USER for one in between)

    def _share(self, stems: Set[str]) -> float:
        return sum(
            weight
            for stem, weight in self._rarity.items()
            if stem in stems
            or (stem in self._misspelt and any(misspelt(stem, one) for one in stems))
        )

    def _read(self, identity: str, place: Place) -> _Told | None:
        """The turn at a place."""
        number, seq = place
        self._load(identity, number, range(seq, seq + 1))
        return self._told[place]

    def _load(self, identity: str, number: int, wanted: range) -> None:
        """Read turns that were not read yet."""
        missing = [at for at in wanted if (number, at) not in self._told]
        if not missing:
            return
        self._told.update({(number, at): None for at in missing})
        try:
            for turn in self._archive.turns(identity, missing[0], missing[-1] + 1):
                if turn.seq in missing:
                    told = [(one, frozenset(content(one.search))) for one in events(turn)]
                    self._told[number, turn.seq] = _Told(turn, told)
        except NotFound:
            return

    def _identity(self, number: int) -> str | None:
        if number not in self._ids:
            document = self._met.get(number)
            self._ids[number] = document and self._view.index.identity(
                self._view.searcher, document
            )
        return self._ids[number]

    def _head(self, identity: str) -> tuple[str, str]:
        if identity not in self._heads:
            head = self._archive.head(identity)
            self._heads[identity] = head.agent, head.workspace
        return self._heads[identity]


def _rarity(held: int, total: int, unknown: float) -> float:
    """How much a word tells, 0 to 1; one that stands nowhere tells `unknown`."""
    return math.log(1 + total / held) / math.log(1 + total) if held else unknown


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
