"""What is known of the lines of a file: which changes wrote each, and which commits took it in.

Fingerprints of the lines, of what agents' changes wrote and of what commits added are put side by
side here; which change a line came from is for `attribution` to choose. Does no I/O. Costs O(lines +
fingerprints of the changes and commits).

Tested in: tests/extensions/code/test_blame.py
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from .hunk_prints import HunkPrints, line_print, prints_of
from .queries import Edit

ENOUGH = 10  # characters, white space aside, by which a line says enough
SURE = 24  # the same, for being sure of it: shorter lines are often written twice
_UNDONE = 50  # commits back that one may revert
SLACK = 1.0  # seconds: commits are dated to the second


class Commit(NamedTuple):
    """A commit of the file: its time and the fingerprints it added and removed."""

    commit: str
    at: float
    added: frozenset[bytes]
    removed: frozenset[bytes]


class SourcedLine(NamedTuple):
    """A line of the file, and the commit it is of ("" and infinity where of none)."""

    text: str
    commit: str = ""
    at: float = inf


class Place(NamedTuple):
    """A new line of a change: the change's number, its hunk's sequence, the line's place there."""

    edit: int
    hunk: int
    position: int
    fresh: bool
    blind: bool
    """Of a whole file, written over one whose content is not known."""


def weight(text: str) -> int:
    """How much a line says alone: its characters, none where they are no words."""
    bare = "".join(text.split())
    return len(bare) if sum(map(str.isalnum, bare)) >= 4 else 0


class LineSources:
    """The lines of a file with the changes and commits of it, oldest first."""

    def __init__(
        self, lines: Sequence[SourcedLine], edits: Sequence[Edit], commits: Sequence[Commit]
    ) -> None:
        self.lines = lines
        self.edits = edits
        self._commits = commits
        self.prints = [line_print(line.text) for line in lines]
        self.weights = [weight(line.text) for line in lines]
        self.present = set(self.prints)
        self.sequences: list[list[bytes]] = []
        self.places: dict[bytes, list[Place]] = defaultdict(list)
        self.count: dict[bytes, int] = defaultdict(int)
        for print_ in self.prints:
            self.count[print_] += 1
        self.additions: dict[bytes, list[tuple[float, str]]] = defaultdict(list)
        self._again: dict[tuple[str, bytes], tuple[float, str]] = {}
        self._read(commits)
        self.times = [edit.at or 0.0 for edit in edits]
        self._commit_times = sorted(commit.at for commit in commits)
        self._gaps: dict[float, list[int]] = {}
        self._first: dict[int, float] = {}
        self._collect()
        for index, print_ in enumerate(self.prints):
            sources = {
                (self.edits[place.edit].conversation, self.edits[place.edit].seq)
                for place in self.places.get(print_, ())
            }
            common = len(sources), self.count[print_], len(self.additions.get(print_, ()))
            if max(common) > 1:  # what many write says nothing alone
                long = self.weights[index] >= SURE
                self.weights[index] = SURE - 1 if long else 0
        says = zip(self.prints, self.weights, strict=True)
        self.speaking = {print_ for print_, weight_ in says if weight_ >= ENOUGH}

    def _read(self, commits: Sequence[Commit]) -> None:
        """Find where each text was first committed, past moves within the file and reverts."""
        for number, commit in enumerate(commits):
            undone = any(
                commit.removed == other.added and commit.added == other.removed
                for other in commits[max(0, number - _UNDONE) : number]
            )
            for print_ in commit.added & self.present:
                earlier = self.additions[print_]
                if earlier and (undone or print_ in commit.removed):
                    self._again[commit.commit, print_] = earlier[-1]
                else:
                    earlier.append((commit.at, commit.commit))

    def _collect(self) -> None:
        """Find the new lines of every change, in order, with what commits changed between."""
        standing: set[bytes] = set()
        pending = list(reversed(self._commits))
        for number, edit in enumerate(self.edits):
            while pending and pending[-1].at + SLACK < self.times[number]:
                commit = pending.pop()
                standing = (standing - commit.removed) | commit.added
            whole = edit.kind == "write"
            for hunk in edit.hunks:
                self._take(number, hunk, standing, whole=whole)

    def _take(self, number: int, hunk: HunkPrints, standing: set[bytes], *, whole: bool) -> None:
        after = prints_of(hunk.after)
        self.sequences.append(after)
        sequence = len(self.sequences) - 1
        before = set(standing)
        blind = whole and bool(before)
        for position, print_ in enumerate(after):
            if not hunk.new[position] or (whole and print_ in before):
                continue
            if print_ in self.present:
                self.places[print_].append(
                    Place(number, sequence, position, print_ not in before, blind)
                )
        if whole:
            standing.clear()
        standing.difference_update(prints_of(hunk.before))
        standing.update(after)

    def origin(self, index: int) -> tuple[float, str]:
        """The time and hash of the commit that a line is of, past moves and reverts."""
        line = self.lines[index]
        return self._again.get((line.commit, self.prints[index]), (line.at, line.commit))

    def first_committed(self, number: int) -> float:
        """When the first lines of a change were committed: what was not among them had gone."""
        known = self._first.get(number)
        if known is None:
            at = self.times[number] - SLACK
            times = [inf]
            for hunk in self.edits[number].hunks:
                for place, print_ in enumerate(prints_of(hunk.after)):
                    additions = self.additions.get(print_, [])
                    first = bisect_left(additions, (at, ""))
                    if hunk.new[place] and print_ in self.speaking and first < len(additions):
                        times.append(additions[first][0])
            known = self._first[number] = min(times)
        return known

    def explains(self, print_: bytes, at: float, commit: str) -> bool:
        """Whether the first commit to take a text in after a change is the line's own."""
        additions = self.additions.get(print_, [])
        first = bisect_left(additions, (at - SLACK, ""))
        if first == len(additions):
            return True  # of no commit yet, or of one whose changes are not known
        return additions[first][1] == commit

    def changes_before(self, at: float) -> list[int]:
        """The changes between a commit and the one before it, or after the last commit."""
        known = self._gaps.get(at)
        if known is None:
            last = bisect_left(self._commit_times, at) - 1
            since = self._commit_times[last] if last >= 0 else -inf
            known = self._gaps[at] = [
                number
                for number, time in enumerate(self.times)
                if since - SLACK <= time <= at + SLACK
            ]
        return known
