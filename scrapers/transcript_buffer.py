"""Every row of a transcript once, in order, merged from overlapping views.

A view is what the transcript region shows now, with the rows that scrolled off before it. Where it
belongs is where its longest common run with the buffer is, so that scrolling inside the
alternate screen, redraws, folds and a user who scrolls back neither lose nor repeat rows. After a
resize rows are found again by their text without blanks. A view that shares nothing with the buffer
is for the caller to append behind a gap. A row that has scrolled off leaves only where that is
proven (see row_proofs.py); else it stays, and `kept` counts it for the caller to note a gap. Where
merging would remove an answered prompt (a cleared or rewound conversation) a page is started
instead: earlier turns stay. Knows no agent.

Cost: O(rows of the view) while the top of the view does not move; a scrolled view costs one
alignment of a few screens of rows; a full redraw one alignment of the buffer's last `_MAX_ALIGNED`
rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from .alignment import (
    MIN_ANCHOR,
    MOST,
    REPRINTED,
    CommonRun,
    common_runs,
    is_part,
    place_of,
    printed_again,
    share_within,
)
from .folds import Folds
from .row_proofs import unaccounted
from .rows import Row, RowChange, letters, mark_cut, nonblank_text, split_row

# Screens of rows above the view that are aligned before all buffered rows are.
_LOOK_BACK = 3
# Buffered rows that are ever aligned (a bound on time, about 100 ms).
_MAX_ALIGNED = 6000
# Rows of a view by which such places are told apart.
_TOLD_BY = 40
# Seconds that an answered prompt must be missing before a page is started.
_PAGE_DELAY = 1.0


@dataclass(slots=True)
class TranscriptBuffer:
    """Rows seen so far.

    `top` is the index where the current view starts; `changed` the first row modified since the
    caller last set it to a larger number; `missing_since` the time since when an answered prompt
    is missing from the views. `kept` counts the rows that stay because nothing proves that they left,
    or that were seen above a place that is not certain.
    """

    is_fold: Callable[[Row], bool]
    is_prompt: Callable[[Row], bool] = lambda _: False
    rows: list[Row] = field(default_factory=list["Row"])
    top: int = 0
    changed: int = 0
    missing_since: float | None = None
    kept: int = 0
    _folds: Folds = field(init=False)

    def __post_init__(self) -> None:
        self._folds = Folds(self.is_fold)

    def merge_view(
        self,
        view: Sequence[Row],
        scrolled: int,
        *,
        rewrapped: bool,
        cleared: bool,
        at: float = 0.0,
    ) -> bool:
        """Merge a view, seen at `at`, whose first `scrolled` rows have left the screen.

        Return False, having done nothing, if it shares nothing with the buffer. Nothing is done
        either while an answered prompt is missing from the view, until that lasts (see
        `missing_since`).
        """
        if not self.rows:
            self.append(view, scrolled)
            return True
        if rewrapped:
            base = max(0, len(self.rows) - _MAX_ALIGNED)
            if self._merge_reflowed(view, scrolled, base, at, resized=True):
                return True
            if len(nonblank_text(view)[0]) < MIN_ANCHOR and self._waits(at):
                return True  # too little to tell where it belongs
        same = self._same_top(view)
        if same is not None:
            changes = [RowChange(self.top + same, len(self.rows), view[same:])]
            if self._may_replace(changes, view, scrolled, at):
                self._replace(changes, view)
                self.top += scrolled
            return True
        is_much = cleared or scrolled > len(view) - scrolled
        if is_much and self._merge_reprinted(view, scrolled, at):
            return True
        return self._merge_aligned(view, scrolled, cleared, at) or self._merge_reflowed(
            view, scrolled, self.top, at
        )

    def _merge_reprinted(self, view: Sequence[Row], scrolled: int, at: float) -> bool:
        """Merge a view in which an agent prints again what it had said; False if it does not.

        If it is only a part of that, nothing is done for a while: more will follow.
        """
        first = next((n for n, row in enumerate(view) if row.text and self.is_prompt(row)), None)
        if first is None:
            return False
        base, size = max(0, len(self.rows) - _MAX_ALIGNED), len(self.rows)
        if (place := self._find_text(view[first : first + _TOLD_BY], base, size)) is None:
            return False
        start = place[0]
        begin = printed_again(self.rows[start:], view, first)
        if begin is not None:
            self.missing_since, start = None, self._split_at(*place)
            self._replace([RowChange(start, len(self.rows), view[begin:])], None)
            self.top = start + max(0, scrolled - begin)
            return True
        if share_within(view[first:], self.rows[start:]) < REPRINTED:
            return False
        return self._waits(at)

    def _may_replace(
        self, changes: Sequence[RowChange], view: Sequence[Row], scrolled: int, at: float
    ) -> bool:
        """Whether changes may be made; if they remove an answered prompt for long, start a page."""
        if not self._removes_prompt(changes, view):
            self.missing_since = None
            return True
        if not self._waits(at):
            self._start_page(view, scrolled)
        return False

    def _removes_prompt(self, changes: Sequence[RowChange], view: Sequence[Row]) -> bool:
        """Whether a prompt is removed that has rows after it and is not in the view."""
        texts = {row.text for row in view}
        visible: str | None = None
        for change in changes:
            old = self.rows[change.start : change.end]
            said = float("-inf")
            for row in reversed(old):
                if row.text and not row.repeated and row.text not in texts and self.is_prompt(row):
                    visible = nonblank_text(view)[0] if visible is None else visible
                    if said > row.at and nonblank_text([row])[0][: 2 * MIN_ANCHOR] not in visible:
                        return True
                if row.text:
                    said = max(said, row.at)
        return False

    def _start_page(self, view: Sequence[Row], scrolled: int) -> None:
        """Append a view, its rows that are buffered already marked as repeated."""
        base = max(0, len(self.rows) - _MAX_ALIGNED)
        buffered = [row.text for row in self.rows[base:]]
        known: set[int] = set()
        for _, of_view, count in common_runs(buffered, [row.text for row in view]):
            known.update(range(of_view, of_view + count))
        page = [replace(row, repeated=n in known) for n, row in enumerate(view)]
        if not known:
            mark_cut((), page)
        self.missing_since = None
        self.append(page, scrolled)

    def _same_top(self, view: Sequence[Row]) -> int | None:
        """Return how many rows at the top of the view did not move, if enough to be sure."""
        rows, top = self.rows, self.top
        limit = min(len(view), len(rows) - top)
        same = words = 0
        while same < limit and rows[top + same].text == view[same].text:
            words += bool(view[same].text)
            same += 1
        return same if words >= 3 or same == len(view) == len(rows) - top else None

    def _merge_aligned(self, view: Sequence[Row], scrolled: int, cleared: bool, at: float) -> bool:
        """Merge the view by runs of common rows: from the last view on, then nearby, then anywhere."""
        near = max(0, self.top - _LOOK_BACK * len(view))
        far = max(0, len(self.rows) - _MAX_ALIGNED)
        for base in (far,) if cleared else (self.top, near, far):
            buffered = [row.text for row in self.rows[base:]]
            blocks = common_runs(buffered, [row.text for row in view], base)
            if self._is_overlap(blocks, view):
                self._merge_runs(view, scrolled, blocks, at)
                return True
            if base <= far:
                break
        return False

    def append(self, view: Sequence[Row], scrolled: int) -> None:
        """Append a view behind all rows: what stood between was not seen."""
        start = len(self.rows)
        self._replace([RowChange(start, start, view)], None)
        self.top = start + scrolled

    def drop_oldest(self, count: int) -> None:
        """Drop the first `count` rows."""
        del self.rows[:count]
        self.top, self.changed = max(0, self.top - count), max(0, self.changed - count)

    def remove_top(self, keep: Sequence[Row], count: int) -> None:
        """Replace the first `count` rows by `keep`: the others are no part of the transcript."""
        self.rows[:count] = keep
        self.changed = 0

    def clear(self) -> None:
        """Drop all rows: they were no transcript yet."""
        self.rows.clear()
        self.top = self.changed = 0
        self.missing_since = None

    def _is_overlap(self, blocks: list[CommonRun], view: Sequence[Row]) -> bool:
        """Whether common runs prove an overlap.

        A third of the view proves it, or the view's top among the rows visible before.
        """
        if not blocks:
            return False
        visible = sum(1 for row in view if row.text)
        common = sum(1 for _, b, n in blocks for row in view[b : b + n] if row.text)
        at, of_view, count = blocks[0]
        text = sum(len(row.text) for row in view[of_view : of_view + count])
        return common * 3 >= visible or (of_view <= 2 and at >= self.top and text >= MIN_ANCHOR)

    def _merge_runs(
        self, view: Sequence[Row], scrolled: int, blocks: list[CommonRun], at: float
    ) -> None:
        """Merge the view along `blocks` of (index in buffer, index in view, count)."""
        # Blank rows at the top edge are often a list not drawn yet: they remove nothing.
        head = 0
        while head < blocks[0][1] and not view[head].text:
            head += 1
        size = len(self.rows)
        start = self._start_of(view, head, blocks[0])
        grown = len(self.rows) - size
        end = start + len(view) - head
        if start < self.top and end < len(self.rows):
            here = {row.text for row in self.rows[start:end]}
            if all(row.text in here for row in view[head:] if row.has_words):
                return  # The user scrolled back: the rows below are only out of view.
        from_buffer, from_view = start, head
        changes: list[RowChange] = []
        for position, of_view, count in blocks:
            changes.append(RowChange(from_buffer, position + grown, view[from_view:of_view]))
            from_buffer, from_view = position + count + grown, of_view + count
        changes.append(RowChange(from_buffer, len(self.rows), view[from_view:]))
        if self._may_replace(changes, view, scrolled, at):
            self.top = max(0, start - head) + scrolled + self._replace(changes, view)

    def _start_of(self, view: Sequence[Row], head: int, first: CommonRun) -> int:
        """Return the index where the view's row `head` belongs, given the first run after it.

        Rows before the run may have been rewrapped: their text tells, else their number.
        """
        at, of_view, _ = first
        if of_view > head:
            base = max(0, at - 3 * (of_view - head) - 3)
            place = self._find_text(view[head:of_view], base, at)
            if place is not None:
                return self._split_at(*place)
        return max(0, at - of_view + head)

    def _replace(self, changes: Sequence[RowChange], view: Sequence[Row] | None) -> int:
        """Replace rows; those that the agent collapses by it are kept with their fold.

        `view` is what is seen instead; None: the rows are proven to leave. Return how many rows stay
        because nothing proves that.
        """
        changes = [change.split_row(self.rows) for change in changes]
        self._folds.keep(changes, self.rows, self.top)
        before = self.kept
        if view is not None:
            changes = [self._keep_unproven(change, view) for change in changes]
        self._make(changes)
        return self.kept - before

    def _keep_unproven(self, change: RowChange, view: Sequence[Row]) -> RowChange:
        """Return a change without what it removes above the screen and nothing accounts for."""
        above = self.rows[change.start : min(change.end, self.top)]
        if not above:
            return change
        folded = [one for row in change.rows for one in row.folded]
        lost = unaccounted(above, [*view, *folded])
        self.kept += len(lost)
        return RowChange(change.start, change.end, [*lost, *change.rows]) if lost else change

    def _make(self, changes: Sequence[RowChange]) -> None:
        """Make changes, in their order."""
        shift = 0
        for change in changes:
            if change.start < change.end or change.rows:
                if any(
                    row.cut_above or row.cut_below
                    for row in self.rows[change.start + shift : change.end + shift]
                ):
                    mark_cut(self.rows[: change.start + shift], change.rows)
                    self.changed = min(self.changed, max(change.start + shift - 1, 0))
                self.rows[change.start + shift : change.end + shift] = self._whole_prompts(
                    change, shift
                )
                self.changed = min(self.changed, change.start + shift)
                shift += len(change.rows) - (change.end - change.start)

    def _whole_prompts(self, change: RowChange, shift: int) -> list[Row]:
        """Return the new rows, but the old one where a prompt would only lose its mark.

        Half a redraw draws a scroll bar over it for a moment, and then it scrolls off.
        """
        rows = list(change.rows)
        old = self.rows[change.start + shift : change.end + shift]
        for index, (before, row) in enumerate(zip(old, rows, strict=False)):
            is_same = before.text != row.text and letters(before.text) == letters(row.text) != ""
            if is_same and self.is_prompt(before) and not self.is_prompt(row):
                rows[index] = before
        return rows

    def _merge_reflowed(
        self, view: Sequence[Row], scrolled: int, base: int, at: float, *, resized: bool = False
    ) -> bool:
        """Merge a view drawn for another width; False if it was not found.

        The text of the view's first rows, without blanks, is looked for in that of the rows from
        `base` on. A view of a part of these only (half a redraw) takes nothing away. Where nothing
        was `resized` most of the rows that stood there must be in the view: a path or a sentence
        that two rows share proves nothing.
        """
        for skip, row in enumerate(view):
            if not row.text.strip():
                continue
            place = self._find_text(view[skip : skip + _TOLD_BY], base, len(self.rows))
            if place is None:
                continue
            if is_part(view[skip:], self.rows[place[0] :]):
                if not self._waits(at):
                    self.missing_since = None
                return True
            old = self.rows[place[0] :]
            near = self.rows[max(0, place[0] - 3 * len(view)) :]
            above = unaccounted(view[:skip], near, by_words=True)
            if not resized and (above or share_within(old, view[skip:]) < MOST):
                return False
            start = self._split_at(*place)
            self.kept += len(above)
            changes = [RowChange(start, len(self.rows), [*above, *view[skip:]])]
            if self._may_replace(changes, view, scrolled, at):
                kept = len(above) + self._replace(changes, [*above, *view[skip:]])
                self.top = start + kept + max(0, scrolled - skip)
            return True
        return False

    def _waits(self, at: float) -> bool:
        """Note that rows are missing, and return whether that may be for a moment only."""
        self.missing_since = at if self.missing_since is None else self.missing_since
        return at - self.missing_since < _PAGE_DELAY

    def _find_text(self, rows: Sequence[Row], base: int, end: int) -> tuple[int, int] | None:
        """Return the index in `[base, end)` and the offset where these rows start, at any width."""
        place = place_of(rows, self.rows[base:end])
        return None if place is None else (base + place[0], place[1])

    def _split_at(self, start: int, offset: int) -> int:
        """Split a row at an offset if that is in its middle; return the index of what is behind."""
        if not offset:
            return start
        self.rows[start : start + 1] = split_row(self.rows[start], offset)
        self.changed = min(self.changed, start)
        return start + 1
