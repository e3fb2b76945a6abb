"""Which change each line of a file came from: the matching, without files, git or the archive.

A line's candidates are the changes whose new lines hold it and that are not younger than the commit
it is of. The neighbours of a line decide between several: a change is believed more the more lines
around it stand as they stood in it. What is certain is so by these rules alone:

* the line says enough alone (is long, and was written once), or both its neighbours came from
  the same place of the same change. A line of a few words needs that of one neighbour if its other
  side is the end of the file that the change created, or another change of the same conversation;
* no commit before the line's own took it, or others of the change, in after the change (else it went
  and came again, by whom is unknown);
* no other conversation's change fits as well;
* the change says what stood there before: who writes a whole file that was there already may have
  written a person's lines again.

A line without a candidate certainly has no owner only where no change of an agent fell between its
commit and the one before, and only between others that are.

Does no I/O. Costs O(lines + fingerprints of the changes).

Tested in: tests/extensions/code/test_blame.py
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from .hunk_prints import digest
from .line_sources import ENOUGH, SLACK, SURE, Commit, LineSources, Place, SourcedLine
from .queries import Edit

_REACH = 4  # lines on either side that are compared
_SHORT = "too short to attribute"
_EDGE = 8  # characters of a part of a line that are looked for


class Attribution(NamedTuple):
    """Where a line came from: `edit` is None where no change of an agent holds it."""

    edit: Edit | None = None
    certain: bool = False
    reason: str = ""


class _Choice(NamedTuple):
    place: Place
    context: int
    consistent: bool


def attribute(
    lines: Sequence[SourcedLine],
    edits: Sequence[Edit],
    commits: Sequence[Commit],
    doubtful: str = "",
) -> list[Attribution]:
    """Where each line came from; `edits` and `commits` are the file's own, oldest first.

    doubtful: the commit in which the file appeared, where it may have had another name before.
    """
    came = _Matching(LineSources(lines, edits, commits)).result()
    if doubtful:
        for index, (line, one) in enumerate(zip(lines, came, strict=True)):
            if line.commit == doubtful and one.edit is None:
                came[index] = Attribution(reason="the file may have had another name before")
    return came


class _Matching:
    def __init__(self, sources: LineSources) -> None:
        self._sources = sources

    def result(self) -> list[Attribution]:
        """Choose for each line, then look at what lines share a place, and at the neighbours."""
        count = len(self._sources.lines)
        found = [self._choices(index) for index in range(count)]
        best = [self._best(index, found[index]) for index in range(count)]
        doubled = self._doubled(best)
        came = [self._attribution(index, best[index], index in doubled) for index in range(count)]
        for index in range(count):
            short = self._sources.weights[index] < (SURE if came[index].certain else ENOUGH)
            if short:
                came[index] = self._of_neighbours(index, came, best, found[index])
        return came

    def _doubled(self, best: "Sequence[tuple[_Choice, bool] | None]") -> set[int]:
        """The lines that share one place of a change, except the one that fits best."""
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
        """Where a line came from that says nothing alone, such as a brace: as its neighbours."""
        neighbours = [other for other in (index - 1, index + 1) if 0 <= other < len(came)]
        choice = best[index]
        if choice is not None and came[index].certain:
            sides = self._sides_that_agree(index, choice[0].place, came, best)
            if sides >= 2 and not self._is_elsewhere_later(choice[0], found):
                return came[index]
            return came[index]._replace(certain=False, reason=_SHORT)
        if choice is not None and came[index].edit is not None:
            return came[index]
        owners = {came[other].edit for other in neighbours if came[other].edit is not None}
        consistent = [candidate.place.edit for candidate in found if candidate.consistent]
        for number in consistent:
            if self._sources.edits[number] in owners:
                return Attribution(self._sources.edits[number], reason=_SHORT)
        within = set(consistent) & set(self._sources.changes_before(self._sources.origin(index)[0]))
        if len(within) == 1 and self._sources.lines[index].text.strip():
            return Attribution(self._sources.edits[within.pop()], reason=_SHORT)
        commit = self._sources.lines[index].commit
        alone = all(
            came[other].certain
            and came[other].edit is None
            and self._sources.lines[other].commit == commit
            for other in neighbours
        )
        alone = alone and not self._sources.places.get(
            self._sources.prints[index]
        )  # git lets such lines slide
        return came[index] if alone else Attribution(reason=_SHORT)

    def _sides_that_agree(
        self,
        index: int,
        place: Place,
        came: list[Attribution],
        best: "Sequence[tuple[_Choice, bool] | None]",
    ) -> int:
        """Count the sides of a line on which its neighbour, or an end, is that of its place too."""
        neighbours = [other for other in (index - 1, index + 1) if 0 <= other < len(came)]
        same = [
            other
            for other in neighbours
            if (one := best[other]) is not None
            and one[0].place.hunk == place.hunk
            and one[0].place.position == place.position + other - index
            and self._sources.lines[other].commit == self._sources.lines[index].commit
        ]
        if not same or self._sources.weights[index] < ENOUGH:
            return len(same)
        return (
            len(same)
            + self._at_edge(index, place)
            + sum(
                other not in same and self._of_the_same(came, best, other, index)
                for other in neighbours
            )
        )

    def _is_elsewhere_later(self, choice: _Choice, found: list[_Choice]) -> bool:
        """Whether a change from another source wrote the same line at that time or later."""
        chosen, at = self._source(choice), self._sources.times[choice.place.edit]
        return any(
            self._source(one) != chosen and self._sources.times[one.place.edit] >= at
            for one in found
        )

    def _at_edge(self, index: int, place: Place) -> int:
        """How many ends a file and the change that created it have in common at a line."""
        if self._sources.edits[place.edit].kind != "write" or place.blind:
            return 0
        last = len(self._sources.lines) - 1, len(self._sources.sequences[place.hunk]) - 1
        return (index, place.position) == (0, 0) or (index, place.position) == last

    def _of_the_same(
        self,
        came: list[Attribution],
        best: "Sequence[tuple[_Choice, bool] | None]",
        other: int,
        index: int,
    ) -> bool:
        """Whether a neighbour was certainly put there by a change of the same conversation."""
        one, mine = best[other], came[index].edit
        if one is None or mine is None or one[0].place.blind or not one[1]:
            return False
        theirs = self._sources.edits[one[0].place.edit]
        commits = self._sources.lines[other].commit == self._sources.lines[index].commit
        return commits and theirs.conversation == mine.conversation and one[0].consistent

    @staticmethod
    def _context_of(best: "Sequence[tuple[_Choice, bool] | None]", index: int) -> int:
        choice = best[index]
        return -1 if choice is None else choice[0].context

    def _choices(self, index: int) -> list[_Choice]:
        print_ = self._sources.prints[index]
        places, times = self._sources.places.get(print_, ()), self._sources.times
        committed, commit = self._sources.origin(index)
        found: list[_Choice] = []
        for place in places:
            at = times[place.edit]
            if at > committed + SLACK:
                continue
            context = self._context(index, place)
            explains = self._sources.explains(print_, at, commit)
            found.append(
                _Choice(
                    place,
                    context,
                    explains and committed <= self._sources.first_committed(place.edit),
                )
            )
        return found

    def _context(self, index: int, place: Place) -> int:
        """The lines around that stand as in the change; those that say nothing count if one does."""
        sequence, prints = self._sources.sequences[place.hunk], self._sources.prints
        score = said = 0
        for step in (-1, 1):
            for distance in range(1, _REACH + 1):
                here, there = index + step * distance, place.position + step * distance
                inside = 0 <= here < len(prints) and 0 <= there < len(sequence)
                if not inside or prints[here] != sequence[there]:
                    break
                score += 1
                said += self._sources.weights[here] >= ENOUGH
        return score if said else 0

    def _best(self, index: int, found: list[_Choice]) -> "tuple[_Choice, bool] | None":
        """The choice for a line, and whether no other fits as well."""
        enough = self._sources.weights[index] >= ENOUGH
        found = [choice for choice in found if enough or choice.context]
        if not found:
            return None
        consistent = [choice for choice in found if choice.consistent]
        pool = consistent or found
        top = max(choice.context for choice in pool)
        best = max(
            pool, key=lambda choice: (choice.context, self._sources.times[choice.place.edit])
        )
        latest = max(pool, key=lambda choice: self._sources.times[choice.place.edit])
        if latest.place.fresh and (
            latest.context == top or self._sources.count[self._sources.prints[index]] == 1
        ):
            best = latest
        source = self._source(best)
        rivals = [
            choice
            for choice in pool
            if choice.context >= best.context and self._source(choice) != source
        ]
        alone = not rivals or (
            best.place.fresh
            and all(
                self._sources.times[r.place.edit] < self._sources.times[best.place.edit]
                for r in rivals
            )
        )
        return best, alone and bool(consistent)

    def _source(self, choice: _Choice) -> tuple[str, int]:
        edit = self._sources.edits[choice.place.edit]
        return edit.conversation, edit.seq

    def _attribution(
        self, index: int, choice: "tuple[_Choice, bool] | None", doubled: bool
    ) -> Attribution:
        if choice is None:
            return self._unmatched(index)
        best, alone = choice
        edit = self._sources.edits[best.place.edit]
        says = self._sources.weights[index] >= ENOUGH
        if not best.consistent:
            reason = "removed, and back in a later commit"
            return Attribution(edit if says else None, reason=reason)
        if doubled:
            reason = "occurs more often than it was written"
            return Attribution(edit if says or best.context else None, reason=reason)
        if best.place.blind:
            return Attribution(edit, reason="part of a whole file written over another")
        if not alone:
            return Attribution(edit, reason="several changes wrote the same")
        if self._sources.count[self._sources.prints[index]] > 1 and not best.context:
            return Attribution(edit, reason="occurs here more than once")
        return Attribution(edit, certain=True)

    def _unmatched(self, index: int) -> Attribution:
        """A part of a line that a change wrote, or no one's."""
        at = self._sources.origin(index)[0]
        between = self._sources.changes_before(at)
        if not between:
            return Attribution(certain=True)
        edit = self._part(index, between) if self._sources.weights[index] >= _EDGE else None
        if edit is not None:
            return Attribution(edit, reason="a part of the line")
        return Attribution(reason="an agent changed the file at that time, in other lines")

    def _part(self, index: int, between: list[int]) -> Edit | None:
        """The newest change whose first or last new line is a good part of a line."""
        bare = "".join(self._sources.lines[index].text.split())
        for number in reversed(between):
            for hunk in self._sources.edits[number].hunks:
                for edge, place in ((hunk.edges[0], 0), (hunk.edges[1], -1)):
                    part = "".join(edge.split())
                    long = len(part) >= _EDGE and 4 * len(part) >= len(bare)
                    if (
                        long
                        and part in bare
                        and hunk.new[place]
                        and digest(part) not in self._sources.present
                    ):
                        return self._sources.edits[number]
        return None
