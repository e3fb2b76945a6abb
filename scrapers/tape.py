"""The tape: every row of a transcript once, in order, put together from overlapping views.

Takes views (what the transcript region shows now, with the rows that scrolled off before it);
gives one list of rows. A view is laid where its longest common run with the tape says it
belongs, so scrolling inside the alternate screen, redraws, folds and a user who scrolls back
neither lose nor repeat rows. After a resize rows are found again by their text without blanks.
What shares nothing with the tape is appended behind a gap. Knows no agent and no turn.

Cost: O(rows of the view) while the top of the view stands still; a scrolled view costs one
alignment of a few screens of rows; a full redraw one alignment of the whole tape.
"""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from dejavu.screen import Run

# Screens of rows above the view that an alignment looks at before it looks at the whole tape.
_LOOK_BACK = 3
# Rows of the tape an alignment may ever look at (a bound on time, about 100 ms).
_FARTHEST = 6000
# Letters without blanks that a rewrapped row needs to be found again.
_ANCHOR = 24
# A row that stands in a view more often than this is no landmark.
_USUAL = 40
# Letters (not lines of boxes) that it must hold, as a share.
_SAYING = 0.4
# Rows that went without a fold in their place, kept for the fold that may follow.
_GONE = 40
# Seconds in which it must follow.
_LATE = 5.0
# What a row weighs beside what it says, and what a run must weigh to count.
_BLANK = 0.01
_LEAST = 0.5

# A run of common rows: where it stands on the tape, where in the view, how many rows.
Block = tuple[int, int, int]


@dataclass(slots=True, eq=False)
class Row:
    """One row: its text, whether the terminal wrapped it, the width it was drawn for, its style.

    `at` is when it was first seen. `folded` are rows that the agent folded away: those a fold
    stands for, or that stood behind this row. `joined`: the row goes on in the next without a
    blank (a resize cut it).
    """

    text: str
    wrapped: bool
    width: int
    runs: tuple[Run, ...] = ()
    at: float = 0.0
    folded: tuple["Row", ...] = ()
    joined: bool = False


@dataclass(frozen=True, slots=True)
class _Change:
    """Rows that take the place of those in `[start, end)` of the tape."""

    start: int
    end: int
    rows: Sequence[Row]

    def cut(self, tape: list[Row]) -> "_Change":
        """The same without the rows at its start that stay what they are."""
        same, most = 0, min(self.end - self.start, len(self.rows))
        while same < most and tape[self.start + same].text == self.rows[same].text:
            same += 1
        return _Change(self.start + same, self.end, self.rows[same:])

    def above(self, tape: list[Row], top: int) -> Row | None:
        """The row that will stand above the change's row `top`."""
        return self.rows[top - 1] if top else tape[self.start - 1] if self.start else None


@dataclass(slots=True)
class Tape:
    """Rows seen so far.

    `top` is where the current view starts; `changed` the first row touched since it was last set
    to a larger number.
    """

    is_fold: Callable[[Row], bool]
    rows: list[Row] = field(default_factory=list["Row"])
    top: int = 0
    changed: int = 0
    gone: deque[Row] = field(default_factory=lambda: deque[Row](maxlen=_GONE))

    def lay(self, view: Sequence[Row], scrolled: int, *, rewrapped: bool, cleared: bool) -> bool:
        """Lay a view whose first `scrolled` rows have left the screen.

        False if it shares nothing with the tape: then nothing was done.
        """
        if not self.rows:
            self.append(view, scrolled)
            return True
        if rewrapped and self._lay_rewrapped(view, scrolled, max(0, len(self.rows) - _FARTHEST)):
            return True
        same = self._same_top(view)
        if same is not None:
            self._replace([_Change(self.top + same, len(self.rows), view[same:])])
            self.top += scrolled
            return True
        return self._lay_aligned(view, scrolled, cleared) or self._lay_rewrapped(
            view, scrolled, self.top
        )

    def _same_top(self, view: Sequence[Row]) -> int | None:
        """How many rows at the top of the view are where they were, if enough to be sure."""
        rows, top = self.rows, self.top
        limit = min(len(view), len(rows) - top)
        same = words = 0
        while same < limit and rows[top + same].text == view[same].text:
            words += bool(view[same].text)
            same += 1
        return same if words >= 3 or same == len(view) == len(rows) - top else None

    def _lay_aligned(self, view: Sequence[Row], scrolled: int, cleared: bool) -> bool:
        """Find the view on the tape by runs of common rows: forward, near, then anywhere."""
        near = max(0, self.top - _LOOK_BACK * len(view))
        far = max(0, len(self.rows) - _FARTHEST)
        for base in (far,) if cleared else (self.top, near, far):
            blocks = _common_runs(self.rows, base, view)
            if self._credible(blocks, view):
                self._lay_blocks(view, scrolled, blocks)
                return True
            if base <= far:
                break
        return False

    def append(self, view: Sequence[Row], scrolled: int) -> None:
        """Put a view behind everything: what stood between was not seen."""
        start = len(self.rows)
        self._replace([_Change(start, start, view)])
        self.top = start + scrolled

    def forget(self, count: int) -> None:
        """Drop the first rows: a bound on what is held."""
        del self.rows[:count]
        self.top, self.changed = max(0, self.top - count), max(0, self.changed - count)

    def clear(self) -> None:
        """Forget everything: what was seen was no transcript yet."""
        self.rows.clear()
        self.top = self.changed = 0

    def _credible(self, blocks: list[Block], view: Sequence[Row]) -> bool:
        """Whether common runs prove an overlap.

        A third of the view does, or the view's top found in what was visible before.
        """
        if not blocks:
            return False
        shown = sum(1 for row in view if row.text)
        common = sum(1 for _, b, n in blocks for row in view[b : b + n] if row.text)
        at, of_view, count = blocks[0]
        letters = sum(len(row.text) for row in view[of_view : of_view + count])
        return common * 3 >= shown or (of_view <= 2 and at >= self.top and letters >= _ANCHOR)

    def _lay_blocks(self, view: Sequence[Row], scrolled: int, blocks: list[Block]) -> None:
        """Lay the view along `blocks` of (row of tape, row of view, count)."""
        # Blank rows at the top edge are often a list not drawn yet: they wipe nothing out.
        head = 0
        while head < blocks[0][1] and not view[head].text:
            head += 1
        size = len(self.rows)
        start = self._start_of(view, head, blocks[0])
        grown = len(self.rows) - size
        end = start + len(view) - head
        if start < self.top and end < len(self.rows):
            here = [row.text for row in self.rows[start:end]]
            if here == [row.text for row in view[head:]]:
                return  # The user scrolled back: the rows below are only out of sight.
        from_tape, from_view = start, head
        changes: list[_Change] = []
        for at, of_view, count in blocks:
            changes.append(_Change(from_tape, at + grown, view[from_view:of_view]))
            from_tape, from_view = at + count + grown, of_view + count
        changes.append(_Change(from_tape, len(self.rows), view[from_view:]))
        self._replace(changes)
        self.top = max(0, start - head) + scrolled

    def _start_of(self, view: Sequence[Row], head: int, first: Block) -> int:
        """Where on the tape the view's row `head` belongs, given the first run after it.

        Rows before the run may have been wrapped anew: their letters tell, else their number.
        """
        at, of_view, _ = first
        if of_view > head:
            base = max(0, at - 3 * (of_view - head) - 3)
            start = self._find_letters(view[head:of_view], base, at)
            if start is not None:
                return start
        return max(0, at - of_view + head)

    def _replace(self, changes: Sequence["_Change"]) -> None:
        """Put rows in the place of others; what the agent folds away at that is kept."""
        changes = [change.cut(self.rows) for change in changes]
        self._keep_folded(changes)
        shift = 0
        for change in changes:
            if change.start < change.end or change.rows:
                self.rows[change.start + shift : change.end + shift] = change.rows
                self.changed = min(self.changed, change.start + shift)
                shift += len(change.rows) - (change.end - change.start)

    def _keep_folded(self, changes: Sequence["_Change"]) -> None:
        """A fold keeps the rows that stood in its place; what else goes with it is hidden too.

        Rows that go elsewhere are hidden behind the row above them, or by a fold that has nothing
        in its place: such a one also gets what went shortly before it came.
        """
        folds: list[Row] = []
        for change in changes:
            old, rows = self.rows[change.start : change.end], change.rows
            before = {row.text: row.folded for row in old if row.folded}
            for index, row in enumerate(rows):
                row.folded = row.folded or before.get(row.text, ())
                if not row.folded and self.is_fold(row):
                    row.folded = _hidden_by(index, old, rows)
                    folds.append(row)
        if not folds:
            for change in changes:
                texts = {row.text for row in change.rows}
                old = self.rows[change.start : change.end]
                self.gone += [row for row in old if row.text and row.text not in texts]
            return
        kept = {id(row) for fold in folds for row in fold.folded}
        went = [
            (change.above(self.rows, top), tuple(row for row in rows if id(row) not in kept))
            for change in changes
            for top, rows in _went(self.rows[change.start : change.end], change.rows)
        ]
        empty = next((fold for fold in folds if not fold.folded), None)
        if empty is not None:
            shown = {row.text for row in self.rows[self.top :]}
            late = [row for row in self.gone if empty.at - row.at < _LATE and row.text not in shown]
            empty.folded = (*late, *(row for _, rows in went for row in rows))
        else:
            for above, rows in went:
                if above is not None:
                    above.folded += rows
        self.gone.clear()

    def _lay_rewrapped(self, view: Sequence[Row], scrolled: int, base: int) -> bool:
        """Find a view that was drawn for another width by its letters; False if it is not there.

        The letters of the view's first rows are looked for among those of the tape from `base`
        on; the tape is cut in the middle of a row where the view's first row starts there.
        """
        for skip, row in enumerate(view):
            if row.text.strip():
                start = self._find_letters(view[skip : skip + 6], base, len(self.rows))
                if start is not None:
                    self._replace([_Change(start, len(self.rows), view[skip:])])
                    self.top = start + max(0, scrolled - skip)
                    return True
        return False

    def _find_letters(self, rows: Sequence[Row], base: int, end: int) -> int | None:
        """The row of the tape in `[base, end)` where these rows start, however they are wrapped.

        A row in whose middle they start is cut in two there.
        """
        wanted = _letters(rows)[0]
        letters, starts = _letters(self.rows[base:end])
        found = -1
        for length in (4 * _ANCHOR, 2 * _ANCHOR, _ANCHOR):
            anchor = wanted[:length]
            if found < 0 and len(wanted) >= _ANCHOR and _says(anchor):
                found = letters.rfind(anchor)
        if found < 0:
            return None
        index = bisect_right(starts, found) - 1
        start, offset = base + index, found - starts[index]
        if offset:
            first, second = _cut(self.rows[start], offset)
            self.rows[start : start + 1] = [first, second]
            self.changed = min(self.changed, start)
            start += 1
        return start


def _common_runs(rows: list[Row], base: int, view: Sequence[Row]) -> list[Block]:
    """Runs of common rows, in order; [] if none holds a row that says anything.

    The heaviest run first, then what lies before and behind it. A row weighs what it says,
    shared among all the places where it stands, so a rare row beats a run of blank or usual ones.
    """
    tape = [row.text for row in rows[base:]]
    shown = [row.text for row in view]
    often = Counter(tape)
    weights = [min(len(text.strip()), 40) / often[text] if text in often else 0 for text in shown]
    places: dict[str, list[int]] = {}
    for index, text in enumerate(shown):
        if text in often:
            places.setdefault(text, []).append(index)
    # A flood of equal rows proves nothing and would cost its square.
    places = {text: where for text, where in places.items() if len(where) <= _USUAL}
    found: list[Block] = []
    pending = [(0, len(tape), 0, len(shown))]
    while pending:
        low, high, top, bottom = pending.pop()
        at, of_view, size, weight = _heaviest(tape, places, weights, (low, high, top, bottom))
        if weight <= _LEAST:
            continue
        found.append((base + at, of_view, size))
        pending.append((low, at, top, of_view))
        pending.append((at + size, high, of_view + size, bottom))
    return sorted(found)


def _heaviest(
    tape: list[str],
    places: dict[str, list[int]],
    weights: list[float],
    window: tuple[int, int, int, int],
) -> tuple[int, int, int, float]:
    """The heaviest common run in a window of both: where in each, how long, how heavy."""
    low, high, top, bottom = window
    best = (low, top, 0, 0.0)
    runs: dict[int, tuple[int, float]] = {}
    for index in range(low, high):
        grown: dict[int, tuple[int, float]] = {}
        for place in places.get(tape[index], ()):
            if not top <= place < bottom:
                continue
            size, weight = runs.get(place - 1, (0, 0.0))
            size, weight = size + 1, weight + weights[place] + _BLANK
            grown[place] = size, weight
            if weight > best[3]:
                best = index - size + 1, place - size + 1, size, weight
        runs = grown
    return best


def _hidden_by(fold: int, old: Sequence[Row], new: Sequence[Row]) -> tuple[Row, ...]:
    """The old rows that the fold at `new[fold]` stands for: those between its neighbours."""
    above = {row.text for row in new[:fold] if row.text}
    below = {row.text for row in new[fold + 1 :] if row.text}
    start = max((i + 1 for i, row in enumerate(old) if row.text in above), default=0)
    stop = next((i for i in range(start, len(old)) if old[i].text in below), len(old))
    # A row that was being written when the fold came is no part of it.
    return tuple(
        row
        for row in old[start:stop]
        if row.text and not any(text.startswith(row.text) for text in below)
    )


def _went(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, Sequence[Row]]]:
    """Runs of old rows with nothing new in their place, each with the new row it stood before."""
    matcher = SequenceMatcher(
        None, [row.text for row in old], [row.text for row in new], autojunk=False
    )
    return [
        (top, [row for row in old[low:high] if row.text])
        for _, low, high, top, bottom in matcher.get_opcodes()
        if low < high and not any(row.text for row in new[top:bottom])
    ]


def _says(letters: str) -> bool:
    """Whether letters are words rather than lines of a box, which are alike everywhere."""
    return sum(map(str.isalnum, letters)) >= len(letters) * _SAYING


def _letters(rows: Sequence[Row]) -> tuple[str, list[int]]:
    """The rows' text without blanks, and where each row starts in it."""
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for row in rows:
        starts.append(length)
        part = "".join(row.text.split())
        parts.append(part)
        length += len(part)
    return "".join(parts), starts


def _cut(row: Row, count: int) -> tuple[Row, Row]:
    """The row up to its `count`-th character that is not blank, and the rest of it."""
    index = 0
    while count and index < len(row.text):
        count -= not row.text[index].isspace()
        index += 1
    first = replace(row, text=row.text[:index].rstrip(), wrapped=False, joined=True)
    return first, replace(row, text=row.text[index:], runs=(), folded=())
