"""Alignment of a view with the rows seen before: runs common to both, and runs that are gone.

Functions on texts or rows; results are index ranges. A row weighs as much as it has characters,
divided by the number of places where its text occurs, so one rare row outweighs a run of blank or
frequent ones. Cost of `common_runs`: O(buffered rows x positions of a text in the view, 40 at
most); `removed_runs` is bounded by `_MAX_PAIRS`.
"""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from .rows import Row

# A text at more positions of a view than this is not used for alignment.
_MAX_POSITIONS = 40
# Weight of any row besides its text, and the weight a run must exceed to count.
_BLANK = 0.01
_MIN_WEIGHT = 0.5
# Product of old and new rows up to which they are compared for removed runs.
_MAX_PAIRS = 200_000

# A run of common rows: its index in the buffer, its index in the view, its length.
CommonRun = tuple[int, int, int]


def common_runs(buffered: Sequence[str], view: Sequence[str], base: int = 0) -> list[CommonRun]:
    """Return the runs of common texts, in order; [] if no run outweighs blank rows.

    `base` is the index of the first buffered text. The heaviest run is found first, then the
    heaviest before and after it, and so on.
    """
    counts = Counter(buffered)
    weights = [min(len(text.strip()), 40) / counts[text] if text in counts else 0 for text in view]
    positions: dict[str, list[int]] = {}
    for index, text in enumerate(view):
        if text in counts:
            positions.setdefault(text, []).append(index)
    # Many equal rows prove nothing and would cost their square.
    positions = {text: where for text, where in positions.items() if len(where) <= _MAX_POSITIONS}
    runs: list[CommonRun] = []
    pending = [(0, len(buffered), 0, len(view))]
    while pending:
        low, high, top, bottom = window = pending.pop()
        # Of runs of equal weight the one nearest to those found before.
        last = high < len(buffered)
        at, of_view, size, weight = _heaviest_run(buffered, positions, weights, window, last=last)
        if weight <= _MIN_WEIGHT:
            continue
        runs.append((base + at, of_view, size))
        pending.append((low, at, top, of_view))
        pending.append((at + size, high, of_view + size, bottom))
    return sorted(runs)


def _heaviest_run(
    buffered: Sequence[str],
    positions: dict[str, list[int]],
    weights: list[float],
    window: tuple[int, int, int, int],
    *,
    last: bool,
) -> tuple[int, int, int, float]:
    """Return the heaviest common run within a window of both: both indices, length, weight.

    Of runs of equal weight the first, or with `last` the last.
    """
    low, high, top, bottom = window
    best = (low, top, 0, 0.0)
    runs: dict[int, tuple[int, float]] = {}
    for index in range(low, high):
        grown: dict[int, tuple[int, float]] = {}
        for position in positions.get(buffered[index], ()):
            if not top <= position < bottom:
                continue
            size, weight = runs.get(position - 1, (0, 0.0))
            size, weight = size + 1, weight + weights[position] + _BLANK
            grown[position] = size, weight
            if weight > best[3] or (last and weight == best[3]):
                best = index - size + 1, position - size + 1, size, weight
        runs = grown
    return best


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
