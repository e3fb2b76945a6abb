"""Reading what the retrievers found: the archive disposes of what they proposed.

An exchange that is gone or changed never shows. What speaks for the others is noted with them
(`evidence`); nothing is left out here for how little it is. Of its turns the one that holds most of
the question is its evidence; the prompt and an answer are shown with it. Turns read for one question
are kept for the next, as long as they did not change.

Costs O(turns of the passages looked at).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from dejavu.archive import Archive, derived
from dejavu.model import NotFoundError, Role, ToolCall, Turn
from dejavu.model.conversation import turn_name

from ..rationale import any_written, rationales
from ..terms import content_stems, files, without_folders
from .documents import ANSWER, Document, begins_exchange, indexed_text, prompt_number
from .events import Event, Kind, events
from .evidence import Evidence, QuestionWeights, routine
from .retrievers import SearchContext
from .retrievers.base import ExchangeRef
from .score_fusion import Ranked

KIND_WEIGHT = {
    Kind.PROMPT: 0.9, Kind.TEXT: 1.0, Kind.REASONING: 0.75, Kind.CALL: 0.65, Kind.RESULT: 0.6,
    Kind.NOTE: 0.3, Kind.RATIONALE: 1.0,
}  # fmt: skip
"""What a word counts by where it is, when the evidence among an exchange's turns is chosen."""
_KEPT = 2_048  # turns kept for the next question
_BACK = 12  # turns before an exchange that are looked through for the one before
_FILES = 8  # of an exchange, that are named
_AHEAD = 20  # places whose turns are fetched at once from a store far away
_ALIKE = 24  # exchanges in a hit's words, among which the later ones are looked for
_REVISED = 3  # hits whose successors are looked for
_SUCCESSORS = 6  # later exchanges of each that are read
_TOLD = 60  # words of a hit that are looked by
_SHOWN = 400  # turns of a passage that are read
_SPOKEN = (Kind.PROMPT, Kind.TEXT, Kind.RATIONALE)
_ANSWERS = (Kind.TEXT, Kind.RATIONALE)
TurnRef = tuple[int, int]


class RecallHit(NamedTuple):
    """An exchange that answers.

    `seq`, `role`, `kind` and `excerpt` are of its evidence: the turn that holds most of the
    question. `question` and `answer` are excerpts of its prompt and of what was answered,
    `start` and `stop` its first turn and the last one looked at. `tiers` found it, the strongest
    first; `held` is the share of the question's weight it holds. `confidence` is the probability
    that it answers, `sure` whether that is enough to put it before a prompt unasked. `replaces` are the events
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
    confidence: float = 0.0
    sure: bool = False
    evidence: Evidence = Evidence(0.0)

    @property
    def event(self) -> str:
        """The id of its evidence: `conversation#turn`."""
        return turn_name(self.conversation, self.seq)


class LoadedTurn:
    """A turn as read; its events and the stems of each are made when they are wanted."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn

    @cached_property
    def events(self) -> list[tuple[Event, frozenset[str]]]:
        """Each event with the stems of what is indexed of it."""
        return [
            (event, frozenset(content_stems(without_folders(indexed_text(event)))))
            for event in events(self.turn)
        ]


class TurnCache:
    """Turns read before, kept for the next question for as long as they did not change."""

    explained = True
    """Whether their rationales are read with them, where there are any."""

    def __init__(self) -> None:
        self.turns: dict[TurnRef, LoadedTurn | None] = {}
        self.summaries: dict[str, tuple[str, str]] = {}
        self.ids: dict[int, str | None] = {}
        self._seen = 0

    def follow(self, archive: Archive, start: int) -> None:
        """Let go of what changed since the last question, and of everything where it is much.

        start: a sequence of the log that is not long ago, for the first question.
        """
        self._seen = self._seen or start
        changes = derived.fold(archive.log(self._seen))
        changed = {change.number for change in changes}
        self.ids.clear()
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
        without: set[str],
        cache: TurnCache,
        weights: QuestionWeights,
    ) -> None:
        cache.follow(archive, context.index.sequence(context.searcher))
        self._archive = archive
        self._context = context
        self._without = without
        self._ids = cache.ids
        self._explained = cache.explained and any_written(archive)
        self._turns = cache.turns
        self._summaries = cache.summaries
        self.weights = weights

    def first(self, ranking: Sequence[Ranked], most: int, *, spoken: bool) -> list[RecallHit]:
        """The first hits of a ranking, at most so many; see `hit`."""
        hits = (self.hit(ranked, spoken=spoken) for ranked in self.ahead(ranking))
        return list(islice((hit for hit in hits if hit is not None), most))

    def successors(self, hits: Sequence[RecallHit], *, spoken: bool) -> list[RecallHit]:
        """Later exchanges in the words of the first of some hits, of their questions and answers."""
        later: dict[ExchangeRef, None] = {}
        for hit in hits[:_REVISED]:
            told = content_stems(f"{hit.question}\n{hit.answer or hit.excerpt}")[:_TOLD]
            alike = self._context.alike(told, _ALIKE)
            documents = ((place, self._context.document(place)) for place in alike)
            newer = (place for place, at in documents if at and at.at > (hit.at or 0.0))
            later.update(dict.fromkeys(islice(newer, _SUCCESSORS)))
        return self.first(
            [Ranked(place, 0.0, ("lexical",)) for place in later], len(later), spoken=spoken
        )

    def ahead(self, ranking: Sequence[Ranked]) -> Iterator[Ranked]:
        """The ranking, with what its places take fetched some of them at a time."""
        for position, ranked in enumerate(ranking):
            if self._archive.views.far and not position % _AHEAD:
                places = (one.place for one in ranking[position : position + _AHEAD])
                documents = [d for place in places if (d := self._context.document(place))]
                spans = (
                    (d.conversation, max(0, d.exchange - _BACK), min(d.stop, d.seq + _SHOWN) + 1)
                    for d in documents
                )
                self._archive.views.expect_turns(
                    [span for span in spans if (span[0], span[2] - 1) not in self._turns]
                )
            yield ranked

    def hit(self, ranked: Ranked, *, spoken: bool) -> RecallHit | None:
        """The hit at a place; None where there is nothing (any more).

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
        told, _ = max(shown, key=self._evidence_order)
        answers = [entry for entry in shown if entry[0].kind in _ANSWERS]
        answer = max(answers, key=self._evidence_order)[0] if answers else None
        if answer is not None and told.kind is Kind.PROMPT and told.seq != document.exchange:
            answer = None  # two prompts without an answer between them
        prompt = next((event for event, _ in exchange if event.kind is Kind.PROMPT), None)
        agent, workspace = self._summary(identity)
        role, at = self._source(document, told)
        touched = _files(exchange)
        evidence = self._evidence(ranked, document, identity, shown, touched)
        return RecallHit(
            conversation=identity,
            seq=told.seq,
            role=role,
            score=round(ranked.score, 4),
            excerpt=around(told, self.weights.rarity),
            tiers=ranked.tiers,
            at=at,
            agent=agent,
            workspace=workspace,
            kind=told.kind,
            held=round(evidence.share, 3),
            question=prompt.excerpt if prompt is not None else "",
            answer=around(answer, self.weights.rarity) if answer is not None else "",
            start=document.exchange,
            stop=document.stop,
            files=touched,
            evidence=evidence,
        )

    def _evidence(
        self,
        ranked: Ranked,
        document: Document,
        identity: str,
        shown: Sequence[tuple[Event, frozenset[str]]],
        touched: Sequence[str],
    ) -> Evidence:
        """What speaks for an exchange, by what is shown of it."""
        stems = {stem for _, own in shown for stem in own}
        share, before = self.weights.share(stems), frozenset[str]()
        if share < 1.0 and document.ordinal > 1:
            before = self._before(identity, document) - stems
        margin, best = self._context.meant.get(ranked.place), self._context.best_margin
        answers = [len(event.text) for event, _ in shown if event.kind in _ANSWERS]
        prompt = next((event.text for event, _ in shown if event.kind is Kind.PROMPT), "")
        return Evidence(
            share=share,
            before=self.weights.share(before),
            margin=margin,
            nearness=None if margin is None else margin / best,
            length=min(ANSWER, max(answers, default=0)) / ANSWER,
            repeats=routine(self._context.times_given(prompt_number(prompt)) if prompt else 0),
            unknown=self.weights.unknown(stems),
            met=self.weights.met(stems | before),
            telling=len(self.weights.telling),
            another=self.weights.another(stems, prompt),
            named=self.weights.named(stems),
            touched=self.weights.touched(touched),
            blend=ranked.score,
            place=ranked.place,
        )

    def _evidence_order(self, entry: tuple[Event, frozenset[str]]) -> tuple[float, int, int]:
        event, stems = entry
        share = self.weights.weight(stems) * KIND_WEIGHT[event.kind]
        return share, int(event.kind in _ANSWERS), event.seq

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
            found += [
                (w.event, frozenset(content_stems(without_folders(w.text)))) for w in why.values()
            ]
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
