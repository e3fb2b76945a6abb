"""The rows that folds stand for: what an agent collapses stays attached to the row that replaced it.

A fold gets the rows that stood in its place. Rows removed elsewhere go to the row above them, or to a
fold that replaced nothing; such a fold also gets the rows removed shortly before it appeared. Places no
row (see transcript_buffer.py). Cost: O(rows of the changes); `removed_runs` is bounded by `_MAX_PAIRS`.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from .rows import Row, RowChange

# Product of old and new rows up to which they are compared for removed runs.
_MAX_PAIRS = 200_000
# Rows removed without a fold in their place, kept for a fold that may follow.
_MAX_REMOVED = 40
# Seconds within which it must follow.
_FOLD_DELAY = 5.0
# Rows that one fold keeps at most, or one row that others were removed behind.
_MAX_FOLDED = 2000


def collapsed_by(fold: int, old: Sequence[Row], new: Sequence[Row]) -> tuple[Row, ...]:
    """Return the old rows that the fold at `new[fold]` replaced: those between its neighbours."""
    above = {row.text for row in new[:fold] if row.text}
    below = {row.text for row in new[fold + 1 :] if row.text}
    start = max((i + 1 for i, row in enumerate(old) if row.text in above), default=0)
    stop = next((i for i in range(start, len(old)) if old[i].text in below), len(old))
    # A row still being written when the fold was drawn is not part of it.
    return tuple(
        row
        for row in old[start:stop]
        if row.text and not any(text.startswith(row.text) for text in below)
    )


def removed_runs(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, Sequence[Row]]]:
    """Return runs of old rows with nothing in their place, each with the new row it preceded."""
    if len(old) * len(new) > _MAX_PAIRS:
        return []
    matcher = SequenceMatcher(
        None, [row.text for row in old], [row.text for row in new], autojunk=False
    )
    return [
        (top, [row for row in old[low:high] if row.text])
        for _, low, high, top, bottom in matcher.get_opcodes()
        if low < high and not any(row.text for row in new[top:bottom])
    ]


class Folds:
    """The folds of one transcript. `is_fold` tells whether a row is one."""

    def __init__(self, is_fold: Callable[[Row], bool]) -> None:
        self._is_fold = is_fold
        self._removed = deque[Row](maxlen=_MAX_REMOVED)

    def keep(self, changes: Sequence[RowChange], rows: Sequence[Row], top: int) -> None:
        """Attach what `changes` remove of `rows` to the folds among the new ones.

        `top`: the index where the view begins.
        """
        if not (folds := self._new_folds(changes, rows)):
            for change in changes:
                texts = {row.text for row in change.rows}
                old = rows[change.start : change.end]
                self._removed += [row for row in old if row.text and row.text not in texts]
            return
        folded_ids = {id(row) for fold in folds for row in fold.folded}
        elsewhere = [
            (change.above(rows, at), [row for row in run if id(row) not in folded_ids])
            for change in changes
            for at, run in removed_runs(rows[change.start : change.end], change.rows)
        ]
        for fold in folds:
            fold.folded = self._flat(fold.folded)
        empty = next((fold for fold in folds if not fold.folded), None)
        if empty is not None:
            late = self._removed_before(empty, {row.text for row in rows[top:]})
            empty.folded = self._flat([*late, *(row for _, run in elsewhere for row in run)])
        else:
            for above, run in elsewhere:
                if above is not None:
                    above.folded = (*above.folded, *self._flat(run))[:_MAX_FOLDED]
        self._removed.clear()

    def _new_folds(self, changes: Sequence[RowChange], rows: Sequence[Row]) -> list[Row]:
        """Return the folds that changes bring, with the rows that stood in their place."""
        folds: list[Row] = []
        for change in changes:
            old = rows[change.start : change.end]
            before = {row.text: row.folded for row in old if row.folded}
            for index, row in enumerate(change.rows):
                row.folded = row.folded or before.get(row.text, ())
                if not row.folded and self._is_fold(row):
                    row.folded = collapsed_by(index, old, change.rows)
                    folds.append(row)
        return folds

    def _removed_before(self, fold: Row, visible: set[str]) -> list[Row]:
        """Return the rows that were removed shortly before a fold, and are not in the view."""
        return [
            row
            for row in self._removed
            if fold.at - row.at < _FOLD_DELAY and row.text not in visible
        ]

    def _flat(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Return rows to be attached to a fold, with those attached to them: nothing nests."""
        flat: list[Row] = []
        for row in rows:
            if not row.folded or not self._is_fold(row):
                flat.append(replace(row, folded=()) if row.folded else row)
            flat += row.folded
        return tuple(flat[:_MAX_FOLDED])
