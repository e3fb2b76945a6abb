"""The tape: every row of a transcript once, in order, put together from overlapping views.

Takes views (what the transcript region shows now, with the rows that scrolled off before it);
gives one list of rows. A view is laid where its longest common run with the tape says it
belongs, so scrolling inside the alternate screen, redraws, folds and a user who scrolls back
neither lose nor repeat rows. After a resize rows are found again by their text without blanks.
What shares nothing with the tape is appended behind a gap, and where an answered prompt would go
(a cleared or rewound conversation) a page is turned: what was said stays said. Knows no agent.

Cost: O(rows of the view) while the top of the view stands still; a scrolled view costs one
alignment of a few screens of rows; a full redraw one alignment of the whole tape.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from .alignment import CommonRun, common_runs, hidden_by, went
from .rows import Row, cut, letters_of, says

# Screens of rows above the view that an alignment looks at before it looks at the whole tape.
_LOOK_BACK = 3
# Rows of the tape an alignment may ever look at (a bound on time, about 100 ms).
_FARTHEST = 6000
# Letters without blanks that a rewrapped row needs to be found again.
_ANCHOR = 24
# Rows that went without a fold in their place, kept for the fold that may follow.
_GONE = 40
# Seconds in which it must follow.
_LATE = 5.0
# Seconds that an answered prompt must be missing before a page is turned.
_WIPED = 1.0
# Rows that one fold (or what stands behind one row) keeps at most.
_HIDDEN = 2000


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
    is_prompt: Callable[[Row], bool] = lambda _: False
    rows: list[Row] = field(default_factory=list["Row"])
    top: int = 0
    changed: int = 0
    gone: deque[Row] = field(default_factory=lambda: deque[Row](maxlen=_GONE))
    wiped: float | None = None

    def lay(
        self,
        view: Sequence[Row],
        scrolled: int,
        *,
        rewrapped: bool,
        cleared: bool,
        at: float = 0.0,
    ) -> bool:
        """Lay a view, seen at `at`, whose first `scrolled` rows have left the screen.

        False if it shares nothing with the tape: then nothing was done. Nothing is done either
        while an answered prompt is missing from it, until that has lasted: `wiped` says since when.
        """
        if not self.rows:
            self.append(view, scrolled)
            return True
        if rewrapped and self._lay_rewrapped(view, scrolled, max(0, len(self.rows) - _FARTHEST)):
            return True
        same = self._same_top(view)
        if same is not None:
            changes = [_Change(self.top + same, len(self.rows), view[same:])]
            if self._may_replace(changes, view, scrolled, at):
                self._replace(changes)
                self.top += scrolled
            return True
        return self._lay_aligned(view, scrolled, cleared, at) or self._lay_rewrapped(
            view, scrolled, self.top
        )

    def _may_replace(
        self, changes: Sequence["_Change"], view: Sequence[Row], scrolled: int, at: float
    ) -> bool:
        """Whether a view is laid so: not while it wipes an answered prompt out.

        Half a redraw does that for a moment; if it lasts, the view starts a page of its own.
        """
        if not self._wipes_prompt(changes, view):
            self.wiped = None
            return True
        self.wiped = at if self.wiped is None else self.wiped
        if at - self.wiped >= _WIPED:
            self._turn_page(view, scrolled)
        return False

    def _wipes_prompt(self, changes: Sequence["_Change"], view: Sequence[Row]) -> bool:
        """Whether a prompt goes, with something said later, that the view does not show."""
        texts = {row.text for row in view}
        shown: str | None = None
        for change in changes:
            old = self.rows[change.start : change.end]
            said = float("-inf")
            for row in reversed(old):
                if row.text and not row.repeated and row.text not in texts and self.is_prompt(row):
                    shown = letters_of(view)[0] if shown is None else shown
                    if said > row.at and letters_of([row])[0][: 2 * _ANCHOR] not in shown:
                        return True
                if row.text:
                    said = max(said, row.at)
        return False

    def _turn_page(self, view: Sequence[Row], scrolled: int) -> None:
        """Put a view behind everything, the rows that stand above already marked as repeated."""
        base = max(0, len(self.rows) - _FARTHEST)
        tape = [row.text for row in self.rows[base:]]
        known: set[int] = set()
        for _, of_view, count in common_runs(tape, [row.text for row in view]):
            known.update(range(of_view, of_view + count))
        page = [replace(row, repeated=n in known) for n, row in enumerate(view)]
        self.wiped = None
        self.append(page, scrolled)

    def _same_top(self, view: Sequence[Row]) -> int | None:
        """How many rows at the top of the view are where they were, if enough to be sure."""
        rows, top = self.rows, self.top
        limit = min(len(view), len(rows) - top)
        same = words = 0
        while same < limit and rows[top + same].text == view[same].text:
            words += bool(view[same].text)
            same += 1
        return same if words >= 3 or same == len(view) == len(rows) - top else None

    def _lay_aligned(self, view: Sequence[Row], scrolled: int, cleared: bool, at: float) -> bool:
        """Find the view on the tape by runs of common rows: forward, near, then anywhere."""
        near = max(0, self.top - _LOOK_BACK * len(view))
        far = max(0, len(self.rows) - _FARTHEST)
        for base in (far,) if cleared else (self.top, near, far):
            tape = [row.text for row in self.rows[base:]]
            blocks = common_runs(tape, [row.text for row in view], base)
            if self._credible(blocks, view):
                self._lay_blocks(view, scrolled, blocks, at)
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
        self.wiped = None

    def _credible(self, blocks: list[CommonRun], view: Sequence[Row]) -> bool:
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

    def _lay_blocks(
        self, view: Sequence[Row], scrolled: int, blocks: list[CommonRun], at: float
    ) -> None:
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
        for place, of_view, count in blocks:
            changes.append(_Change(from_tape, place + grown, view[from_view:of_view]))
            from_tape, from_view = place + count + grown, of_view + count
        changes.append(_Change(from_tape, len(self.rows), view[from_view:]))
        if self._may_replace(changes, view, scrolled, at):
            self._replace(changes)
            self.top = max(0, start - head) + scrolled

    def _start_of(self, view: Sequence[Row], head: int, first: CommonRun) -> int:
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
                    row.folded = hidden_by(index, old, rows)
                    folds.append(row)
        if not folds:
            for change in changes:
                texts = {row.text for row in change.rows}
                old = self.rows[change.start : change.end]
                self.gone += [row for row in old if row.text and row.text not in texts]
            return
        kept = {id(row) for fold in folds for row in fold.folded}
        elsewhere = [
            (change.above(self.rows, top), [row for row in rows if id(row) not in kept])
            for change in changes
            for top, rows in went(self.rows[change.start : change.end], change.rows)
        ]
        for fold in folds:
            fold.folded = self._flat(fold.folded)
        empty = next((fold for fold in folds if not fold.folded), None)
        if empty is not None:
            shown = {row.text for row in self.rows[self.top :]}
            late = [row for row in self.gone if empty.at - row.at < _LATE and row.text not in shown]
            empty.folded = self._flat([*late, *(row for _, rows in elsewhere for row in rows)])
        else:
            for above, rows in elsewhere:
                if above is not None:
                    above.folded = (*above.folded, *self._flat(rows))[:_HIDDEN]
        self.gone.clear()

    def _flat(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Rows to be hidden, those that they hide themselves among them: nothing nests."""
        flat: list[Row] = []
        for row in rows:
            if not row.folded or not self.is_fold(row):
                flat.append(replace(row, folded=()) if row.folded else row)
            flat += row.folded
        return tuple(flat[:_HIDDEN])

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
        wanted = letters_of(rows)[0]
        letters, starts = letters_of(self.rows[base:end])
        found = -1
        for length in (4 * _ANCHOR, 2 * _ANCHOR, _ANCHOR):
            anchor = wanted[:length]
            if found < 0 and len(wanted) >= _ANCHOR and says(anchor):
                found = letters.rfind(anchor)
        if found < 0:
            return None
        index = bisect_right(starts, found) - 1
        start, offset = base + index, found - starts[index]
        if offset:
            first, second = cut(self.rows[start], offset)
            self.rows[start : start + 1] = [first, second]
            self.changed = min(self.changed, start)
            start += 1
        return start
