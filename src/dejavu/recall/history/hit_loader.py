"""Reading what the retrievers found: the archive disposes of what they proposed.

An exchange that is gone or changed never shows, and one that holds too little of the question is no
hit. Of its turns the one that holds most of the question is the evidence; the prompt and an answer
are shown with it. Turns read for one question are kept for the next, as long as they did not
change.

Costs O(turns of the passages looked at).
"""

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from dejavu.archive import Archive, derived
from dejavu.model import NotFoundError, Role, ToolCall, Turn

from ..rationale import any_written, rationales
from ..terms import content_stems, misspelt
from .documents import Document
from .entities import files
from .events import Event, Kind, events
from .passages import begins_exchange, indexed_text
from .query import Query
from .retrievers import SearchContext
from .retrievers.base import ExchangeRef
from .score_fusion import Ranked

KIND_WEIGHT = {
    Kind.PROMPT: 0.9, Kind.TEXT: 1.0, Kind.REASONING: 0.75, Kind.CALL: 0.65, Kind.RESULT: 0.6,
    Kind.NOTE: 0.3, Kind.RATIONALE: 1.0,
}  # fmt: skip
"""What a word counts by where it stands, when the evidence among an exchange's turns is chosen."""
_KEPT = 2_048  # turns kept for the next question
_MANY = 3  # telling words of a prompt from which on one of them is not enough
_UNKNOWN = 0.6  # what a word counts that stands nowhere
SURE = 0.22
"""How much nearer in meaning than most an exchange is that is shown whatever its words are."""
DOUBT = 0.2
"""How much nearer it must be to be shown for some of its words only."""
_AGREED = 1.2  # what a share of words counts where the vectors agree
_CLEAR = 0.6  # a share of the question's weight that no vector makes doubtful
_BESIDE = 0.5  # what a word counts that stands in the exchange before
_BACK = 12  # turns before an exchange that are looked through for the one before
_ALONE = 1.3  # times the floor, for one word of a longer question
_FILES = 8  # of an exchange, that are named
_AHEAD = 20  # places whose turns are fetched at once from a store far away
_SHOWN = 400  # turns of a passage that are read
_SPOKEN = (Kind.PROMPT, Kind.TEXT, Kind.RATIONALE)
_ANSWERS = (Kind.TEXT, Kind.RATIONALE)
TurnRef = tuple[int, int]


class RecallHit(NamedTuple):
    """An exchange that answers.

    `seq`, `role`, `kind` and `excerpt` are of its evidence: the turn that holds most of the
    question. `question` and `answer` are excerpts of its prompt and of what was answered,
    `start` and `stop` its first turn and the last one looked at. `tiers` found it, the strongest
    first; `held` is the share of the question's weight it holds. `replaces` are the events
    (`conversation#turn`) of older hits that it takes back, `files` those its
    tools touched. All texts are as captured: sanitise
    before display.
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
    question: str = ""
    answer: str = ""
    start: int = 0
    stop: int = 0
    replaces: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def event(self) -> str:
        """The id of its evidence: `conversation#turn`."""
        return f"{self.conversation}#{self.seq}"


class LoadedTurn:
    """A turn as read; its events and the stems of each are made when they are wanted."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn

    @cached_property
    def events(self) -> list[tuple[Event, frozenset[str]]]:
        """Each event with the stems of what is indexed of it."""
        return [
            (event, frozenset(content_stems(indexed_text(event)))) for event in events(self.turn)
        ]


class TurnCache:
    """Turns read before, kept for the next question for as long as they did not change."""

    def __init__(self) -> None:
        self.turns: dict[TurnRef, LoadedTurn | None] = {}
        self.summaries: dict[str, tuple[str, str]] = {}
        self._seen = 0

    def follow(self, archive: Archive, start: int) -> None:
        """Let go of what changed since the last question, and of everything where it is much.

        start: a sequence of the log that is not long ago, for the first question.
        """
        self._seen = self._seen or start
        changes = derived.fold(archive.log(self._seen))
        changed = {change.number for change in changes}
        for change in changes:
            self.summaries.pop(change.conversation, None)
            self._seen = change.sequence
        if len(self.turns) > _KEPT:
            self.turns.clear()
        elif changed:
            for turn_ref in [turn_ref for turn_ref in self.turns if turn_ref[0] in changed]:
                del self.turns[turn_ref]


class HitLoader:
    """Looks up in the archive what the retrievers found."""

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
        self._context = context
        self._without = without
        self._ids: dict[int, str | None] = {}
        self._explained = any_written(archive)
        self._turns = cache.turns
        self._summaries = cache.summaries
        # What was said before a prompt holds many words of no matter.
        unknown = 0.3 if query.uses_context else _UNKNOWN
        self._rarity: dict[str, float] = {}
        self._misspelt: set[str] = set()
        self._telling: set[str] = set()
        self._names = {stem for name in query.names for stem in content_stems(name)}
        for stem, weight in query.weights.items():
            frequency = context.frequency("text", stem) or context.frequency("tools", stem)
            self._rarity[stem] = weight * _rarity(frequency, context.size, unknown)
            if not frequency and len(stem) >= 5:
                self._misspelt.add(stem)
            if weight >= 1.0:
                self._telling.add(stem)
        self._wanted = 2 if len(self._telling) >= _MANY else min(1, len(self._telling))
        self._leans = query.uses_context
        if query.uses_context:  # what was said before it tells, not its own words
            self._wanted = 0
        self._whole = sum(self._rarity.values()) or 1.0

    def ahead(self, ranking: Sequence[Ranked]) -> Iterator[Ranked]:
        """The ranking, with what its places take fetched some of them at a time."""
        for position, ranked in enumerate(ranking):
            if self._archive.far and not position % _AHEAD:
                places = (one.place for one in ranking[position : position + _AHEAD])
                documents = [d for place in places if (d := self._context.document(place))]
                spans = (
                    (d.conversation, max(0, d.exchange - _BACK), min(d.stop, d.seq + _SHOWN) + 1)
                    for d in documents
                )
                self._archive.expect_turns(
                    [span for span in spans if (span[0], span[2] - 1) not in self._turns]
                )
            yield ranked

    def hit(self, ranked: Ranked, floor: float, *, spoken: bool) -> RecallHit | None:
        """The hit at a place; None where there is nothing (any more), or less than the floor.

        spoken: only prompts and answers.
        """
        document = self._context.document(ranked.place)
        identity = None if document is None else self._identity(ranked.place[0])
        if document is None or identity is None or identity in self._without:
            return None
        exchange = self._exchange(identity, document)
        shown = [entry for entry in exchange if not spoken or entry[0].kind in _SPOKEN]
        if not shown:
            return None
        held = self._held({stem for _, stems in shown for stem in stems}, document, identity, floor)
        held = self._believed(held, floor, ranked.place)
        if held < floor:
            return None
        evidence, _ = max(shown, key=self._evidence_order)
        answers = [entry for entry in shown if entry[0].kind in _ANSWERS]
        answer = max(answers, key=self._evidence_order)[0] if answers else None
        if (
            answer is not None
            and evidence.kind is Kind.PROMPT
            and evidence.seq != document.exchange
        ):
            answer = None  # two prompts without an answer between them
        prompt = next((event for event, _ in exchange if event.kind is Kind.PROMPT), None)
        agent, workspace = self._summary(identity)
        role, at = self._source(document, evidence)
        return RecallHit(
            conversation=identity,
            seq=evidence.seq,
            role=role,
            score=round(ranked.score, 4),
            excerpt=around(evidence, self._rarity),
            tiers=ranked.tiers,
            at=at,
            agent=agent,
            workspace=workspace,
            kind=evidence.kind,
            held=round(held, 3),
            question=prompt.excerpt if prompt is not None else "",
            answer=around(answer, self._rarity) if answer is not None else "",
            start=document.exchange,
            stop=document.stop,
            files=_files(exchange),
        )

    def _believed(self, held: float, floor: float, place: ExchangeRef) -> float:
        """The share held, at least the floor where vectors are sure, 0 where they doubt it."""
        meant = self._context.meant.get(place)
        if meant is None or not floor:
            return held
        if meant >= SURE:
            return max(floor, held)
        if meant < DOUBT:
            return held if held >= _CLEAR or self._leans else 0.0
        return _AGREED * held

    def _evidence_order(self, entry: tuple[Event, frozenset[str]]) -> tuple[float, int, int]:
        event, stems = entry
        share = self._share(stems) * KIND_WEIGHT[event.kind]
        return share, int(event.kind in _ANSWERS), event.seq

    def _held(self, stems: Set[str], document: Document, identity: str, floor: float) -> float:
        """The share of the question's weight in some stems, and half of what else stands before.

        One word of a longer question is a chance hit unless it carries much of the weight.
        """
        held = self._share(stems)
        met = sum(self._holds(stem, stems) for stem in self._telling)
        if held < self._whole and document.ordinal > 1:
            before = self._before(identity, document) - stems
            held += _BESIDE * self._share(before)
            met += sum(self._holds(stem, before) for stem in self._telling)
        share = held / self._whole
        named = any(self._holds(stem, stems) for stem in self._names)
        return share if met >= self._wanted or named or share >= _ALONE * floor else 0.0

    def _before(self, identity: str, document: Document) -> frozenset[str]:
        """The stems of what was said in the exchange before."""
        number, found = document.conversation, set[str]()
        start = max(0, document.exchange - _BACK)
        self._load(identity, number, range(start, document.exchange))
        for seq in range(document.exchange - 1, start - 1, -1):
            loaded = self._turns.get((number, seq))
            if loaded is None:
                continue
            found.update(s for event, own in loaded.events if event.kind in _SPOKEN for s in own)
            if begins_exchange(loaded.turn):
                break
        return frozenset(found)

    def _share(self, stems: Set[str]) -> float:
        return sum(weight for stem, weight in self._rarity.items() if self._holds(stem, stems))

    def _holds(self, stem: str, stems: Set[str]) -> bool:
        return stem in stems or (
            stem in self._misspelt and any(misspelt(stem, known_stem) for known_stem in stems)
        )

    def _exchange(self, identity: str, document: Document) -> list[tuple[Event, frozenset[str]]]:
        """What happened in a passage, its prompt first; with its rationales."""
        number = document.conversation
        stop = min(document.stop, document.seq + _SHOWN)
        self._load(identity, number, range(document.seq, stop + 1))
        self._load(identity, number, range(document.exchange, document.exchange + 1))
        seqs = dict.fromkeys((document.exchange, *range(document.seq, stop + 1)))
        loaded = [self._turns.get((number, seq)) for seq in seqs]
        turns = [turn for turn in loaded if turn is not None]
        if document.ordinal and (not turns or not begins_exchange(turns[0].turn)):
            return []  # its turns are others by now
        found = [entry for turn in turns for entry in turn.events]
        if self._explained:
            why = rationales(self._archive, identity, document.seq, stop + 1)
            found += [(w.event, frozenset(content_stems(w.text))) for w in why.values()]
        return found

    def _source(self, document: Document, evidence: Event) -> tuple[Role, float | None]:
        turn = self._turns.get((document.conversation, evidence.seq))
        return (Role.ASSISTANT, evidence.at) if turn is None else (turn.turn.role, turn.turn.at)

    def _load(self, identity: str, number: int, wanted: range) -> None:
        """Read turns that were not read yet."""
        missing = [at for at in wanted if (number, at) not in self._turns]
        if not missing:
            return
        self._turns.update({(number, at): None for at in missing})
        try:
            for turn in self._archive.turns(identity, missing[0], missing[-1] + 1):
                if turn.seq in missing:
                    self._turns[number, turn.seq] = LoadedTurn(turn)
        except NotFoundError:
            return

    def _identity(self, number: int) -> str | None:
        if number not in self._ids:
            self._ids[number] = self._archive.identity(number)
        return self._ids[number]

    def _summary(self, identity: str) -> tuple[str, str]:
        if identity not in self._summaries:
            summary = self._archive.summary(identity)
            self._summaries[identity] = summary.agent, summary.workspace
        return self._summaries[identity]


def _files(exchange: Sequence[tuple[Event, frozenset[str]]]) -> tuple[str, ...]:
    """The first files that the tools of an exchange touched."""
    calls = (event.part for event, _ in exchange if isinstance(event.part, ToolCall))
    return tuple(dict.fromkeys(path for call in calls for path in files(call.arguments)))[:_FILES]


def _rarity(frequency: int, total: int, unknown: float) -> float:
    """How much a word tells, 0 to 1; one that stands nowhere tells `unknown`."""
    return math.log(1 + total / frequency) / math.log(1 + total) if frequency else unknown


def around(event: Event, rarity: Mapping[str, float]) -> str:
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


__all__ = ["ExchangeRef", "HitLoader", "RecallHit", "TurnCache", "around"]
