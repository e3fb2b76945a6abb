"""Proposals of rules for a pack that a release has made stale, from labelled screens.

Releases change what comes before words, and the words of hints; what surrounds them stays. So
three kinds of changes are tried: a sign added to those a rule knows, a new rule for prompts or
answers from what comes before them on the screen, and words that stand on screens of an agent at
work and on none of an idle one. A change is taken if the screens it is learnt from are read better
by it; whether it holds is for `evaluate` to say on screens it was not learnt from. Pure. Cost: an
evaluation of the screens a candidate (see `rule_candidates`).

Tested in: tests/scrapers/test_labelled_screens.py
"""

from collections.abc import Sequence
from typing import NamedTuple

from dejavu.model import RulePackError

from .labelled_screens import BUSY, LabelledScreen, evaluate
from .pack_text import merge_packs, split_pack
from .packs import CompiledPack
from .reading import Signals, classify
from .rule_candidates import Change, candidates, with_sign
from .rules import parse_pack
from .segment import segment
from .self_check import Agreement
from .state import State

# The least by which a change must better the mean of text and states.
_GAIN = 0.004


class Proposal(NamedTuple):
    """Changes that were taken, and the pack's text with them."""

    changes: tuple[Change, ...]
    text: str

    def to_toml(self) -> str:
        """The learnt tables alone, each with its evidence."""
        return "\n".join(change.to_toml() for change in self.changes)


def score(agreement: Agreement) -> float:
    """What is made better: the mean of text and states."""
    figures = [n for n in (agreement.of_text, agreement.of_states) if n is not None]
    return sum(figures) / len(figures) if figures else 0.0


def compiled(text: str) -> CompiledPack:
    """Return the pack of one file's text.

    Raises:
        RulePackError: it breaks the schema.
    """
    return CompiledPack(parse_pack(text, "learnt"))


def measure(pack: CompiledPack, sessions: Sequence[Sequence[LabelledScreen]]) -> Agreement:
    """Return how a pack reads the screens of all sessions."""
    return evaluate(pack, (screen for screens in sessions for screen in screens))


def propose(base: str, sessions: Sequence[Sequence[LabelledScreen]]) -> Proposal:
    """Return the changes by which the pack `base` (TOML) reads the sessions' screens better."""
    changes: dict[tuple[str, str], Change] = {}
    text, best = base, score(measure(compiled(base), sessions))
    for _ in range(3):
        gains: list[tuple[float, Change]] = []
        for change in candidates(text, sessions):
            gain = _score_with(text, change, sessions) - best
            if gain >= _GAIN:
                gains.append((gain, change))
        taken = 0
        # The greatest gain first; what the ones before have fixed needs no other.
        for _, change in sorted(gains, key=lambda entry: -entry[0]):
            change = _rebased(change, text)
            now = _score_with(text, change, sessions)
            if now - best >= _GAIN:
                text, best, taken = merge_packs(text, change.table.text), now, taken + 1
                key = change.table.section, change.table.id
                before = changes.get(key)
                changes[key] = change if before is None else _joined(before, change)
        if not taken:
            break
    return Proposal(tuple(changes.values()), text)


def _score_with(text: str, change: Change, sessions: Sequence[Sequence[LabelledScreen]]) -> float:
    try:
        return score(measure(compiled(merge_packs(text, change.table.text)), sessions))
    except RulePackError:
        return 0.0


def _joined(before: Change, change: Change) -> Change:
    """Return two changes of one table as one."""
    return Change(
        change.table,
        f"{before.reason}; {change.reason}",
        max(before.screens, change.screens),
        max(before.sessions, change.sessions),
        (*before.rows, *change.rows)[:6],
    )


def _rebased(change: Change, text: str) -> Change:
    """Return a change of a sign on top of those that were taken of the same table."""
    for table in split_pack(text)[1] if change.sign else ():
        if (table.section, table.id) == (change.table.section, change.table.id):
            for edited, atom in with_sign(table, change.sign):
                if atom.strip("[]").startswith(change.atom.strip("[]")):
                    return change._replace(table=edited)
    return change


class Trial(NamedTuple):
    """A proposal, and how screens that it was not learnt from are read before and after.

    `false_idles` are screens of an agent at work that only the proposal reads as idle.
    """

    proposal: Proposal
    screens: int
    before: Agreement
    after: Agreement
    false_idles: int

    @property
    def holds(self) -> bool:
        """Whether it reads those better, and none of them as idle that is not."""
        better = score(self.after) - score(self.before) >= _GAIN
        return bool(self.proposal.changes) and better and not self.false_idles

    @property
    def before_figures(self) -> dict[str, float | None]:
        """Text and states without the proposal."""
        return {"text": self.before.of_text, "states": self.before.of_states}

    @property
    def after_figures(self) -> dict[str, float | None]:
        """Text and states with it."""
        return {"text": self.after.of_text, "states": self.after.of_states}


def try_out(base: str, sessions: Sequence[Sequence[LabelledScreen]]) -> Trial:
    """Learn from every second session, or half of a single one, and try it on the rest."""
    if len(sessions) == 1:
        middle = len(sessions[0]) // 2
        learnt, rest = [sessions[0][:middle]], [sessions[0][middle:]]
    else:
        learnt, rest = [*sessions[::2]], [*sessions[1::2]]
    proposal = propose(base, learnt)
    before, after = compiled(base), compiled(proposal.text)
    busy = [screen for screens in rest for screen in screens if screen.state == BUSY]
    false_idles = sum(
        _state(after, screen) is State.IDLE and _state(before, screen) is not State.IDLE
        for screen in busy
    )
    count = sum(map(len, rest))
    return Trial(proposal, count, measure(before, rest), measure(after, rest), false_idles)


def _state(pack: CompiledPack, screen: LabelledScreen) -> State:
    layout = segment(pack, screen.snapshot)
    return classify(pack, screen.snapshot, layout, Signals()).state
