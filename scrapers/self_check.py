"""How well a screen was read, by the agent's own trace of the same session: its turns and states.

`SelfCheck` takes the turns that the reader gave up and exchanges of the trace as they are complete,
and returns an `Agreement` for each: texts are compared by their runs of three words, so markdown,
wrapping and glyphs do not count, and the trace's moments say when the agent was at work, so a
reading of `idle` within them was wrong. Pure, no clocks. Cost: O(words of the exchanges compared);
memory: at most `_WINDOW` exchanges of the screen.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dejavu.model import Role, Text, ToolCall, Turn
from dejavu.model.conversation import exchanges

from .reports import SOURCES
from .state import State
from .status import ANSWERED_IDLE_DEBOUNCE, IDLE_DEBOUNCE, UNKNOWN_DEBOUNCE

# Exchanges of the screen that wait for the trace's.
_WINDOW = 40
# Characters of one side of an exchange that are compared.
_LONGEST = 40_000
# The share of a prompt that must have been read to tell which exchange it is.
_SAME = 0.5
# Seconds behind a moment of the trace, and before the next, that prove nothing: it is written
# before or after it is drawn.
_LEAD, _LAG = 1.0, 0.5
# How often something must have been compared before rules are judged by it; frames come in scores.
_ENOUGH, _ENOUGH_FRAMES = 6, 40
# Seconds for which the rules must read such a state before the status says it.
_TOLD = {State.IDLE: IDLE_DEBOUNCE, State.UNKNOWN: UNKNOWN_DEBOUNCE}
_FRAMES = frozenset(("program-status", "agent-status"))
_FENCE = re.compile(r"(?m)^\s*```\w*\s*$")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")

Interval = tuple[float, float]
Words = Counter[tuple[str, ...]]


@dataclass(slots=True)
class Agreement:
    """Sums over what was compared. `states`: by what was said, how much was compared and agreed.

    The unit of `states` is the exchange (`trace`), the frame (a report's source) or the event.
    """

    turns: int = 0
    text: float = 0.0
    states: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])

    def add(self, other: "Agreement") -> None:
        """Add the sums of another."""
        self.turns += other.turns
        self.text += other.text
        for said, (compared, agreed) in other.states.items():
            before = self.states.get(said, (0.0, 0.0))
            self.states[said] = before[0] + compared, before[1] + agreed

    @property
    def of_text(self) -> float | None:
        """The mean share of a turn's words that was read as that turn; None: nothing compared."""
        return self.text / self.turns if self.turns else None

    @property
    def of_states(self) -> float | None:
        """The mean share of agreement, each state that was said counting the same."""
        shares = [agreed / compared for compared, agreed in self.states.values() if compared >= 1]
        return sum(shares) / len(shares) if shares else None

    @property
    def score(self) -> float | None:
        """The lower one of the two, for each is relied on alone."""
        return min((n for n in (self.of_text, self.of_states) if n is not None), default=None)

    @property
    def sufficient(self) -> "Agreement":
        """What of it was compared often enough to judge rules by."""
        states = {
            said: sums
            for said, sums in self.states.items()
            if sums[0] >= (_ENOUGH_FRAMES if said.partition(":")[0] in _FRAMES else _ENOUGH)
        }
        text = (self.turns, self.text) if self.turns >= _ENOUGH else (0, 0.0)
        return Agreement(*text, states)

    def faded(self, most: float) -> "Agreement":
        """Return it with no count above `most` (of frames ten times that): newer ones weigh more."""
        scale = min(1.0, most / max(self.turns, 1))
        states: dict[str, tuple[float, float]] = {}
        for said, (compared, agreed) in self.states.items():
            frames = 10 if said.partition(":")[0] in _FRAMES else 1
            part = min(1.0, most * frames / max(compared, 1.0))
            states[said] = compared * part, agreed * part
        return Agreement(round(self.turns * scale), self.text * scale, states)


class SelfCheck:
    """One session's reading and its trace, both in order."""

    def __init__(self) -> None:
        self._settled: list[Turn] = []
        self._next = 0  # the `seq` behind the last exchange that was matched

    def settle(self, turns: Iterable[Turn]) -> None:
        """Take turns of the screen that the reader has given up."""
        turns = list(turns)
        if turns and turns[0].seq < self._next and turns[0].seq == 0:
            self._settled, self._next = [], 0  # others than before are the session's
        self._settled += turns
        if len(self._settled) > 4 * _WINDOW:
            kept = exchanges(self._settled)[-_WINDOW:]
            self._settled = [turn for exchange in kept for turn in exchange][-8 * _WINDOW :]

    def compare(
        self,
        exchange: Sequence[Turn],
        live: Sequence[Turn],
        readings: Sequence[tuple[float, State]],
        *,
        with_text: bool = True,
    ) -> tuple[Agreement, list[Turn] | None]:
        """Compare one exchange of the trace; `live` are the reader's turns behind the settled.

        Return with it the screen's exchange that it is, if one is. Without `with_text` (rows went
        by unseen, or turns are not read) only states are compared.
        """
        agreement = Agreement()
        _compare_states(agreement, exchange, readings)
        if not with_text:
            return agreement, None
        left = [turn for turn in (*self._settled, *live) if turn.seq >= self._next]
        shown = exchanges(left)[-_WINDOW:]
        prompt, answer = text_of(exchange, Role.USER), text_of(exchange, Role.ASSISTANT)
        wanted, best, index = word_runs(prompt), 0.0, None
        answered = word_runs(answer)
        for number, candidate in enumerate(shown):
            share = f1(wanted, word_runs(text_of(candidate, Role.USER)))
            if share >= _SAME and share > best:
                best, index = share, number
        if index is None and not answered:
            return agreement, None  # a command, perhaps, which an agent does not draw as a prompt
        if wanted:
            agreement.turns, agreement.text = 1, best
        if answered:
            found = shown if index is None else shown[index : index + 1]
            read = word_runs(text_of([turn for one in found for turn in one], Role.ASSISTANT))
            agreement.turns += 1
            # Without its prompt it is unknown where it ends: what else was read is not held
            # against it.
            agreement.text += _recall(answered, read) if index is None else f1(answered, read)
        if index is None:
            return agreement, None
        self._next = shown[index][-1].seq + 1
        return agreement, shown[index]


def text_of(turns: Sequence[Turn], role: Role) -> str:
    """Return what was said in one role."""
    texts = (
        part.content
        for turn in turns
        if turn.role is role
        for part in turn.parts
        if isinstance(part, Text)
    )
    return "\n".join(texts)[:_LONGEST]


def busy_intervals(exchange: Sequence[Turn]) -> list[Interval]:
    """Return when the agent was at work, or asked, by the trace's moments (Unix seconds).

    From a prompt, a call or a result on to what followed: the speaker of the last word may be
    idle before the next, which then begins alone.
    """
    result: list[Interval] = []
    for turn, following in pairwise(exchange):
        ends = turn.role is Role.ASSISTANT and not any(isinstance(p, ToolCall) for p in turn.parts)
        if ends or turn.role is Role.SYSTEM or turn.at is None or following.at is None:
            continue
        if following.at - _LAG > turn.at + _LEAD:
            result.append((turn.at + _LEAD, following.at - _LAG))
    return result


def of_signals(counts: Mapping[tuple[str, State, State], int]) -> Agreement:
    """Return the agreement with what reports and hooks said; hints of lower rank are left out."""
    agreement = Agreement()
    for (source, said, read), count in counts.items():
        if source in SOURCES:
            continue
        before = agreement.states.get(f"{source}:{said}", (0.0, 0.0))
        agreed = count if said is read else 0
        agreement.states[f"{source}:{said}"] = before[0] + count, before[1] + agreed
    return agreement


def _compare_states(
    agreement: Agreement, exchange: Sequence[Turn], readings: Sequence[tuple[float, State]]
) -> None:
    """Add the share of the busy time in which the rules did not say idle, or nothing.

    What they read for a moment alone counts as little as it does for the status.
    """
    known = [
        (max(start, readings[0][0]), end)
        for start, end in busy_intervals(exchange)
        if readings and end > readings[0][0]
    ]
    total = sum(end - start for start, end in known)
    if total < _LAG:
        return
    wrong = sum(
        max(0.0, min(end, stop) - max(start, at))
        for at, stop in _told(readings)
        for start, end in known
    )
    agreement.states["trace"] = 1.0, 1.0 - wrong / total


def _told(readings: Sequence[tuple[float, State]]) -> Iterator[Interval]:
    """Yield when the rules read idle, or nothing, for as long as a status takes to say so."""
    ends = [at for at, _ in readings[1:]] + [float("inf")]
    before = State.UNKNOWN
    for (at, state), end in zip(readings, ends, strict=True):
        is_answered = state is State.IDLE and before is State.BLOCKED
        if state in _TOLD and end - at >= (ANSWERED_IDLE_DEBOUNCE if is_answered else _TOLD[state]):
            yield at, end
        before = state


def word_runs(text: str) -> Words:
    """Return the runs of three words of a text; of a shorter one the words it has."""
    words = [word.lower() for word in _WORD.findall(_FENCE.sub("", text))]
    if len(words) < 3:
        return Counter([tuple(words)] if words else [])
    return Counter(zip(words, words[1:], words[2:], strict=False))


def f1(wanted: Words, found: Words) -> float:
    """Return twice what both have, of all that they have."""
    total = wanted.total() + found.total()
    return 2 * (wanted & found).total() / total if total else 0.0


def _recall(wanted: Words, found: Words) -> float:
    return (wanted & found).total() / wanted.total()
