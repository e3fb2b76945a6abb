"""Reading what the tiers found: the archive disposes of what they proposed.

A turn that is gone or changed never shows, and one that holds too little of the question (with
what stands beside it and the prompt it answers) is no hit. Turns read for one question are kept
for the next, as long as they did not change.

Costs O(turns looked at); those of one conversation are read at once.
"""

import math
from collections.abc import Iterable, Mapping, Set
from functools import cached_property
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.model import NotFoundError, Role, Turn

from ..terms import content_stems, misspelt
from .events import Event, Kind, events
from .query import Query
from .retrievers import SearchContext
from .retrievers.base import KIND_WEIGHT
from .retrievers.embedding import FLOOR
from .score_fusion import Ranked, TurnRef, recency_boost

_WINDOW = 6  # turns before a turn in which what it answers is looked for
_MEANT = 0.5  # a cosine that makes up for missing words
_KEPT = 2_048  # turns kept for the next question
_CLOSE = 48  # turns that are cheaper to read at once
_QUIET = 0.6  # what tool traffic counts beside what was said
_MANY = 3  # telling words of a prompt from which on one of them is not enough
_UNKNOWN = 0.6  # what a word counts that stands nowhere
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


class LoadedTurn:
    """A turn as read; its events and the stems of each are made when they are wanted."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn

    @cached_property
    def events(self) -> list[tuple[Event, frozenset[str]]]:
        """Each event with the stems of its search text."""
        return [(event, frozenset(content_stems(event.search))) for event in events(self.turn)]


class TurnCache:
    """Turns read before, kept for the next question for as long as they did not change."""

    def __init__(self) -> None:
        self.told: dict[TurnRef, LoadedTurn | None] = {}
        self.heads: dict[str, tuple[str, str]] = {}
        self._seen = 0

    def follow(self, archive: Archive, start: int) -> None:
        """Let go of what changed since the last question, and of everything where it is much.

        start: a sequence of the log that is not long ago, for the first question.
        """
        self._seen = self._seen or start
        changed: set[int] = set()
        for entry in archive.log(self._seen):
            changed.add(entry.number)
            self.heads.pop(entry.conversation, None)
            self._seen = entry.sequence
        if len(self.told) > _KEPT:
            self.told.clear()
        elif changed:
            for turn_ref in [turn_ref for turn_ref in self.told if turn_ref[0] in changed]:
                del self.told[turn_ref]


class HitLoader:
    """Looks up in the archive what the tiers found."""

    def __init__(
        self,
        archive: Archive,
        context: SearchContext,
        query: Query,
        without: set[str],
        cache: TurnCache,
    ) -> None:
        cache.follow(archive, context.index.sequence(context.searcher))
        self._archive = archive
        self._view = context
        self._without = without
        self._met = {turn_ref[0]: document for turn_ref, document in context.documents.items()}
        self._ids: dict[int, str | None] = {}
        self._told = cache.told
        self._heads = cache.heads
        total = max(1, context.searcher.num_docs)
        # What was said before a prompt holds many words of no matter.
        unknown = 0.3 if query.uses_context else _UNKNOWN
        self._rarity: dict[str, float] = {}
        self._misspelt: set[str] = set()
        self._is_relevant: set[str] = set()
        self._names = {stem for name in query.names for stem in content_stems(name)}
        for stem, weight in query.weights.items():
            frequency = context.frequency("text", stem)
            self._rarity[stem] = weight * _rarity(frequency, total, unknown)
            if not frequency and len(stem) >= 5:
                self._misspelt.add(stem)
            if weight >= 1.0:
                self._is_relevant.add(stem)
        many = len(self._is_relevant) >= _MANY and not query.asks_history
        self._wanted = 2 if many else min(1, len(self._is_relevant))
        if query.uses_context:  # what was said before it tells, not its own words
            self._wanted = 0
        self.semantic_scores: Mapping[TurnRef, float] = {}
        self._whole = sum(self._rarity.values()) or 1.0

    def prefetch(self, turn_refs: Iterable[TurnRef]) -> None:
        """Read the turns at the places, those of one conversation that stand close at once."""
        by_number: dict[int, list[int]] = {}
        for number, seq in turn_refs:
            by_number.setdefault(number, []).append(seq)
        for number, seqs in by_number.items():
            identity = self._identity(number)
            low, high = min(seqs), max(seqs)
            if identity is not None and identity not in self._without and high - low < _CLOSE:
                self._load(identity, number, range(max(0, low - _WINDOW), high + 2))

    def hit(self, ranked: Ranked, now: float, floor: float, *, spoken: bool) -> RecallHit | None:
        """The hit at a place; None where there is nothing (any more), or less than the floor."""
        number, seq = ranked.place
        identity = self._identity(number)
        if identity is None or identity in self._without:
            return None
        loaded = self._read(identity, ranked.place)
        shown = [
            entry for entry in ([] if loaded is None else loaded.events)
            if not spoken or entry[0].kind in _SPOKEN
        ]  # fmt: skip
        if loaded is None or not shown:
            return None
        coverage = self._held(identity, ranked.place, loaded, floor)
        if coverage < floor:
            return None
        event, _ = max(shown, key=lambda entry: (self._share(entry[1]), KIND_WEIGHT[entry[0].kind]))
        agent, workspace = self._head(identity)
        document = self._view.documents.get(ranked.place)
        age = document.at if loaded.turn.at is None and document else loaded.turn.at or 0.0
        quiet = 1.0 if any(entry.kind in _SPOKEN for entry, _ in shown) else _QUIET
        return RecallHit(
            conversation=identity,
            seq=seq,
            role=loaded.turn.role,
            score=round(ranked.score * quiet * recency_boost(age, now), 4),
            excerpt=around(event, self._rarity),
            tiers=ranked.tiers,
            at=loaded.turn.at,
            agent=agent,
            workspace=workspace,
            kind=event.kind,
            held=round(coverage, 3),
        )

    def _held(self, identity: str, turn_ref: TurnRef, loaded: LoadedTurn, floor: float) -> float:
        """The share of the question's weight in a turn; with those beside it, if it needs them."""
        cosine = self.semantic_scores.get(turn_ref, 0.0) + FLOOR
        if cosine >= _MEANT:  # the same in other words
            return max(floor, cosine)
        own = {stem for _, stems in loaded.events for stem in stems}
        coverage = self._share(own) / self._whole
        if coverage >= floor and self._enough(own):
            return coverage
        number, seq = turn_ref
        self._load(identity, number, range(max(0, seq - _WINDOW), seq + 2))
        for at in range(seq + 1, seq - _WINDOW - 1, -1):
            neighbours = self._told.get((number, at))
            if neighbours is None:
                continue
            asks = neighbours.turn.role is Role.USER
            if at == seq + 1 and asks:
                continue  # another exchange begins
            if at >= seq - 1 or asks:
                own.update(*(stems for _, stems in neighbours.events))
            if asks and at <= seq:
                break
        return self._share(own) / self._whole if not floor or self._enough(own) else 0.0

    def _enough(self, stems: Set[str]) -> bool:
        """Whether more than one word of a longer question is there, or a name it uses."""
        met = {stem for stem in self._is_relevant if self._holds(stem, stems)}
        return len(met) >= self._wanted or bool(met & self._names)

    def _share(self, stems: Set[str]) -> float:
        return sum(weight for stem, weight in self._rarity.items() if self._holds(stem, stems))

    def _holds(self, stem: str, stems: Set[str]) -> bool:
        return stem in stems or (
            stem in self._misspelt and any(misspelt(stem, known_stem) for known_stem in stems)
        )

    def _read(self, identity: str, turn_ref: TurnRef) -> LoadedTurn | None:
        """The turn at a place."""
        number, seq = turn_ref
        self._load(identity, number, range(seq, seq + 1))
        return self._told[turn_ref]

    def _load(self, identity: str, number: int, wanted: range) -> None:
        """Read turns that were not read yet."""
        missing = [at for at in wanted if (number, at) not in self._told]
        if not missing:
            return
        self._told.update({(number, at): None for at in missing})
        try:
            for turn in self._archive.turns(identity, missing[0], missing[-1] + 1):
                if turn.seq in missing:
                    self._told[number, turn.seq] = LoadedTurn(turn)
        except NotFoundError:
            return

    def _identity(self, number: int) -> str | None:
        if number not in self._ids:
            document = self._met.get(number)
            # Vectors find turns of conversations that no word led to: the archive names those.
            self._ids[number] = (
                self._archive.identity(number)
                if document is None
                else self._view.index.identity(self._view.searcher, document)
            )
        return self._ids[number]

    def _head(self, identity: str) -> tuple[str, str]:
        if identity not in self._heads:
            head = self._archive.summary(identity)
            self._heads[identity] = head.agent, head.workspace
        return self._heads[identity]


def _rarity(frequency: int, total: int, unknown: float) -> float:
    """How much a word tells, 0 to 1; one that stands nowhere tells `unknown`."""
    return math.log(1 + total / frequency) / math.log(1 + total) if frequency else unknown


def around(event: Event, rarity: dict[str, float]) -> str:
    """The excerpt of an event: its beginning, or the part that answers where it is long."""
    if len(event.text) <= len(event.excerpt) + 1:
        return event.excerpt
    width = len(event.excerpt)
    text = event.text[:20_000]
    starts = range(0, len(text), max(1, width // 2))
    best = max(
        starts,
        key=lambda at: (
            sum(rarity.get(s, 0.0) for s in set(content_stems(text[at : at + width]))),
            -at,
        ),
    )
    if best == 0:
        return event.excerpt
    cut = "…" if best + width < len(event.text) else ""
    return "…" + text[best : best + width].strip() + cut
