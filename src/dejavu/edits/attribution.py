"""Which change each line of a file came from: the matching, without files, git or the archive.

A line's candidates are the changes whose new lines hold it and that are not younger than the commit
it is of. The neighbours of a line decide between several: a change is believed more the more lines
around it stand as they stood in it. What is certain is so by these rules alone:

* the line says enough by itself (is long, and was written once), or both its neighbours came from
  the same place of the same change;
* no commit before the line's own took it, or others of the change, in after the change (else it went
  and came again, by whom nobody saw);
* no other conversation's change fits as well;
* the change says what stood there before: who writes a whole file that was there already may have
  written a person's lines again.

A line without a candidate is certainly nobody's only where no change of an agent fell between its
commit and the one before, and only between others that are.

Does no I/O. Costs O(lines + fingerprints of the changes).
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from .hunk_prints import HunkPrints, digest, line_print, prints_of
from .queries import Edit

_WEIGHT = 10  # characters, white space aside, by which a line says enough
_SURE = 24  # the same, for being sure of it: shorter lines are often written twice
_REACH = 4  # lines on either side that are compared
_UNDONE = 50  # commits back that one may revert
_SLACK = 1.0  # seconds: commits are dated to the second
_EDGE = 8  # characters of a part of a line that are looked for


class Attribution(NamedTuple):
    """Where a line came from: `edit` is None where no change of an agent holds it."""

    edit: Edit | None = None
    certain: bool = False
    reason: str = ""


class Commit(NamedTuple):
    """A commit of the file: its time and the fingerprints it added and removed."""

    commit: str
    at: float
    added: frozenset[bytes]
    removed: frozenset[bytes]


class Line(NamedTuple):
    """A line of the file, and the commit it is of ("" and infinity where of none)."""

    text: str
    commit: str = ""
    at: float = inf


class _Place(NamedTuple):
    """A new line of a change: the change's number, its hunk's sequence, the line's place there."""

    edit: int
    hunk: int
    position: int
    fresh: bool
    blind: bool
    """Of a whole file, written over one whose content is not known."""


class _Choice(NamedTuple):
    place: _Place
    context: int
    consistent: bool


def weight(text: str) -> int:
    """How much a line says by itself: its characters, none where they are no words."""
    bare = "".join(text.split())
    return len(bare) if sum(map(str.isalnum, bare)) >= 4 else 0


def attribute(
    lines: Sequence[Line], edits: Sequence[Edit], commits: Sequence[Commit], doubtful: str = ""
) -> list[Attribution]:
    """Where each line came from; `edits` and `commits` are the file's own, oldest first.

    doubtful: the commit in which the file appeared, where it may have had another name before.
    """
    came = _Matching(lines, edits, commits).result()
    if doubtful:
        for index, (line, one) in enumerate(zip(lines, came, strict=True)):
            if line.commit == doubtful and one.edit is None:
                came[index] = Attribution(reason="the file may have had another name before")
    return came


class _Matching:
    def __init__(
        self, lines: Sequence[Line], edits: Sequence[Edit], commits: Sequence[Commit]
    ) -> None:
        self._lines = lines
        self._edits = edits
        self._commits = commits
        self._prints = [line_print(line.text) for line in lines]
        self._weights = [weight(line.text) for line in lines]
        self._present = set(self._prints)
        self._sequences: list[list[bytes]] = []
        self._places: dict[bytes, list[_Place]] = defaultdict(list)
        self._count: dict[bytes, int] = defaultdict(int)
        for print_ in self._prints:
            self._count[print_] += 1
        self._additions: dict[bytes, list[tuple[float, str]]] = defaultdict(list)
        self._again: dict[tuple[str, bytes], tuple[float, str]] = {}
        self._read(commits)
        self._times = [edit.at or 0.0 for edit in edits]
        self._commit_times = sorted(commit.at for commit in commits)
        self._gaps: dict[float, list[int]] = {}
        self._first: dict[int, float] = {}
        self._collect()
        for index, print_ in enumerate(self._prints):
            sources = {
                (self._edits[place.edit].conversation, self._edits[place.edit].seq)
                for place in self._places.get(print_, ())
            }
            common = len(sources), self._count[print_], len(self._additions.get(print_, ()))
            if max(common) > 1:  # what many write says nothing by itself
                long = self._weights[index] >= _SURE
                self._weights[index] = _SURE - 1 if long else 0
        says = zip(self._prints, self._weights, strict=True)
        self._speaking = {print_ for print_, weight_ in says if weight_ >= _WEIGHT}

    def _read(self, commits: Sequence[Commit]) -> None:
        """Find where each text was first committed, past moves within the file and reverts."""
        for number, commit in enumerate(commits):
            undone = any(
                commit.removed == other.added and commit.added == other.removed
                for other in commits[max(0, number - _UNDONE) : number]
            )
            for print_ in commit.added & self._present:
                earlier = self._additions[print_]
                if earlier and (undone or print_ in commit.removed):
                    self._again[commit.commit, print_] = earlier[-1]
                else:
                    earlier.append((commit.at, commit.commit))

    def _origin(self, index: int) -> tuple[float, str]:
        """The time and hash of the commit that a line is of, past moves and reverts."""
        line = self._lines[index]
        return self._again.get((line.commit, self._prints[index]), (line.at, line.commit))

    def _collect(self) -> None:
        """Find the new lines of every change, in order, beside what commits changed between."""
        standing: set[bytes] = set()
        pending = list(reversed(self._commits))
        for number, edit in enumerate(self._edits):
            while pending and pending[-1].at + _SLACK < self._times[number]:
                commit = pending.pop()
                standing = (standing - commit.removed) | commit.added
            whole = edit.kind == "write"
            for hunk in edit.hunks:
                self._take(number, hunk, standing, whole=whole)

    def _take(self, number: int, hunk: HunkPrints, standing: set[bytes], *, whole: bool) -> None:
        after = prints_of(hunk.after)
        self._sequences.append(after)
        sequence = len(self._sequences) - 1
        before = set(standing)
        blind = whole and bool(before)
        for position, print_ in enumerate(after):
            if not hunk.new[position] or (whole and print_ in before):
                continue
            if print_ in self._present:
                self._places[print_].append(
                    _Place(number, sequence, position, print_ not in before, blind)
                )
        if whole:
            standing.clear()
        standing.difference_update(prints_of(hunk.before))
        standing.update(after)

    def result(self) -> list[Attribution]:
        """Choose for each line, then look at what lines share a place, and at the neighbours."""
        count = len(self._lines)
        found = [self._choices(index) for index in range(count)]
        best = [self._best(index, found[index]) for index in range(count)]
        doubled = self._doubled(best)
        came = [self._attribution(index, best[index], index in doubled) for index in range(count)]
        for index in range(count):
            short = self._weights[index] < (_SURE if came[index].certain else _WEIGHT)
            if short:
                came[index] = self._of_neighbours(index, came, best, found[index])
        return came

    def _doubled(self, best: "Sequence[tuple[_Choice, bool] | None]") -> set[int]:
        """The lines that share one place of a change, but the one that stands there best."""
        taken: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, choice in enumerate(best):
            if choice is not None:
                taken[choice[0].place.hunk, choice[0].place.position].append(index)
        doubled: set[int] = set()
        for indices in taken.values():
            contexts = sorted((self._context_of(best, index) for index in indices), reverse=True)
            strict = len(indices) == 1 or contexts[0] > contexts[1]
            doubled.update(
                index
                for index in indices
                if not (strict and self._context_of(best, index) == contexts[0])
            )
        return doubled

    def _of_neighbours(
        self,
        index: int,
        came: list[Attribution],
        best: "Sequence[tuple[_Choice, bool] | None]",
        found: list[_Choice],
    ) -> Attribution:
        """Where a line came from that says nothing by itself, such as a brace: as its neighbours."""
        beside = [other for other in (index - 1, index + 1) if 0 <= other < len(came)]
        choice = best[index]
        if choice is not None and came[index].certain:
            place = choice[0].place
            same = [
                other
                for other in beside
                if (one := best[other]) is not None
                and one[0].place.hunk == place.hunk
                and one[0].place.position == place.position + other - index
                and self._lines[other].commit == self._lines[index].commit
            ]
            chosen = self._source(choice[0])
            later = any(
                self._source(one) != chosen
                and self._times[one.place.edit] >= self._times[place.edit]
                for one in found
            )
            if len(same) == 2 and not later:
                return came[index]
            return came[index]._replace(certain=False, reason="says too little by itself")
        if choice is not None and came[index].edit is not None:
            return came[index]
        owners = {came[other].edit for other in beside if came[other].edit is not None}
        consistent = [candidate.place.edit for candidate in found if candidate.consistent]
        for number in consistent:
            if self._edits[number] in owners:
                return Attribution(self._edits[number], reason="says too little by itself")
        within = set(consistent) & set(self._between(self._origin(index)[0]))
        if len(within) == 1 and self._lines[index].text.strip():
            return Attribution(self._edits[within.pop()], reason="says too little by itself")
        commit = self._lines[index].commit
        alone = all(
            came[other].certain and came[other].edit is None and self._lines[other].commit == commit
            for other in beside
        )
        alone = alone and not self._places.get(self._prints[index])  # git lets such lines slide
        return came[index] if alone else Attribution(reason="says too little by itself")

    @staticmethod
    def _context_of(best: "Sequence[tuple[_Choice, bool] | None]", index: int) -> int:
        choice = best[index]
        return -1 if choice is None else choice[0].context

    def _choices(self, index: int) -> list[_Choice]:
        print_ = self._prints[index]
        committed, commit = self._origin(index)
        found: list[_Choice] = []
        for place in self._places.get(print_, ()):
            at = self._times[place.edit]
            if at > committed + _SLACK:
                continue
            context = self._context(index, place)
            explains = self._explains(print_, at, commit)
            found.append(
                _Choice(place, context, explains and committed <= self._committed(place.edit))
            )
        return found

    def _committed(self, number: int) -> float:
        """When the first lines of a change were committed: what was not among them had gone."""
        known = self._first.get(number)
        if known is None:
            at = self._times[number] - _SLACK
            times = [inf]
            for hunk in self._edits[number].hunks:
                for place, print_ in enumerate(prints_of(hunk.after)):
                    additions = self._additions.get(print_, [])
                    first = bisect_left(additions, (at, ""))
                    if hunk.new[place] and print_ in self._speaking and first < len(additions):
                        times.append(additions[first][0])
            known = self._first[number] = min(times)
        return known

    def _explains(self, print_: bytes, at: float, commit: str) -> bool:
        """Whether the first commit to take a text in after a change is the line's own."""
        additions = self._additions.get(print_, [])
        first = bisect_left(additions, (at - _SLACK, ""))
        if first == len(additions):
            return True  # of no commit yet, or of one whose changes are not known
        return additions[first][1] == commit

    def _context(self, index: int, place: _Place) -> int:
        """The lines around that stand as in the change; those that say nothing count if one does."""
        sequence = self._sequences[place.hunk]
        score = said = 0
        for step in (-1, 1):
            for distance in range(1, _REACH + 1):
                here, there = index + step * distance, place.position + step * distance
                inside = 0 <= here < len(self._prints) and 0 <= there < len(sequence)
                if not inside or self._prints[here] != sequence[there]:
                    break
                score += 1
                said += self._weights[here] >= _WEIGHT
        return score if said else 0

    def _best(self, index: int, found: list[_Choice]) -> "tuple[_Choice, bool] | None":
        """The choice for a line, and whether no other fits as well."""
        enough = self._weights[index] >= _WEIGHT
        found = [choice for choice in found if enough or choice.context]
        if not found:
            return None
        consistent = [choice for choice in found if choice.consistent]
        pool = consistent or found
        top = max(choice.context for choice in pool)
        best = max(pool, key=lambda choice: (choice.context, self._times[choice.place.edit]))
        latest = max(pool, key=lambda choice: self._times[choice.place.edit])
        if latest.place.fresh and (latest.context == top or self._count[self._prints[index]] == 1):
            best = latest
        source = self._source(best)
        rivals = [
            choice
            for choice in pool
            if choice.context >= best.context and self._source(choice) != source
        ]
        alone = not rivals or (
            best.place.fresh
            and all(self._times[r.place.edit] < self._times[best.place.edit] for r in rivals)
        )
        return best, alone and bool(consistent)

    def _source(self, choice: _Choice) -> tuple[str, int]:
        edit = self._edits[choice.place.edit]
        return edit.conversation, edit.seq

    def _attribution(
        self, index: int, choice: "tuple[_Choice, bool] | None", doubled: bool
    ) -> Attribution:
        if choice is None:
            return self._unmatched(index)
        best, alone = choice
        edit = self._edits[best.place.edit]
        says = self._weights[index] >= _WEIGHT
        if not best.consistent:
            reason = "went and came again in a later commit"
            return Attribution(edit if says else None, reason=reason)
        if doubled:
            reason = "stands more often than it was written"
            return Attribution(edit if says or best.context else None, reason=reason)
        if best.place.blind:
            return Attribution(edit, reason="of a whole file written over another")
        if not alone:
            return Attribution(edit, reason="several changes wrote the same")
        if self._count[self._prints[index]] > 1 and not best.context:
            return Attribution(edit, reason="stands here more than once")
        return Attribution(edit, certain=True)

    def _unmatched(self, index: int) -> Attribution:
        """A part of a line that a change wrote, or nobody's."""
        at = self._origin(index)[0]
        between = self._between(at)
        if not between:
            return Attribution(certain=True)
        edit = self._part(index, between) if self._weights[index] >= _EDGE else None
        if edit is not None:
            return Attribution(edit, reason="a part of the line")
        return Attribution(reason="an agent changed the file at that time, in other lines")

    def _part(self, index: int, between: list[int]) -> Edit | None:
        """The newest change whose first or last new line is a good part of a line."""
        bare = "".join(self._lines[index].text.split())
        for number in reversed(between):
            for hunk in self._edits[number].hunks:
                for edge, place in ((hunk.edges[0], 0), (hunk.edges[1], -1)):
                    part = "".join(edge.split())
                    long = len(part) >= _EDGE and 4 * len(part) >= len(bare)
                    if (
                        long
                        and part in bare
                        and hunk.new[place]
                        and digest(part) not in self._present
                    ):
                        return self._edits[number]
        return None

    def _between(self, at: float) -> list[int]:
        """The changes between a commit and the one before it, or after the last commit."""
        known = self._gaps.get(at)
        if known is None:
            last = bisect_left(self._commit_times, at) - 1
            since = self._commit_times[last] if last >= 0 else -inf
            known = self._gaps[at] = [
                number
                for number, time in enumerate(self._times)
                if since - _SLACK <= time <= at + _SLACK
            ]
        return known
