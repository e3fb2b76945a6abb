"""Where rows of a view stand among rows seen before: runs that both have, and what went.

Takes texts or rows of both; gives index ranges. A row weighs what it says, shared among all the
places where it stands, so a rare row beats a run of blank or usual ones. Cost of `common_runs`:
O(rows of the tape x places of a text in the view, 40 at most); of `went`: bounded by `_MATCHED`.
"""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from .rows import Row

# A row that stands in a view more often than this is no landmark.
_USUAL = 40
# What a row weighs beside what it says, and what a run must weigh to count.
_BLANK = 0.01
_LEAST = 0.5
# Pairs of old and new rows that are compared to find what went.
_MATCHED = 200_000

# A run of common rows: where it stands on the tape, where in the view, how many rows.
CommonRun = tuple[int, int, int]


def common_runs(tape: Sequence[str], shown: Sequence[str], base: int = 0) -> list[CommonRun]:
    """Runs of common texts, in order; [] if none holds a row that says anything.

    `base` is the index of the tape's first text. The heaviest run first, then what lies before
    and behind it.
    """
    often = Counter(tape)
    weights = [min(len(text.strip()), 40) / often[text] if text in often else 0 for text in shown]
    places: dict[str, list[int]] = {}
    for index, text in enumerate(shown):
        if text in often:
            places.setdefault(text, []).append(index)
    # A flood of equal rows proves nothing and would cost its square.
    places = {text: where for text, where in places.items() if len(where) <= _USUAL}
    found: list[CommonRun] = []
    pending = [(0, len(tape), 0, len(shown))]
    while pending:
        low, high, top, bottom = window = pending.pop()
        # Of equal runs the one nearest to what was found already.
        last = high < len(tape)
        at, of_view, size, weight = _heaviest(tape, places, weights, window, last=last)
        if weight <= _LEAST:
            continue
        found.append((base + at, of_view, size))
        pending.append((low, at, top, of_view))
        pending.append((at + size, high, of_view + size, bottom))
    return sorted(found)


def _heaviest(
    tape: Sequence[str],
    places: dict[str, list[int]],
    weights: list[float],
    window: tuple[int, int, int, int],
    *,
    last: bool,
) -> tuple[int, int, int, float]:
    """The heaviest common run in a window of both: where in each, how long, how heavy.

    The first or the last of those that are equally heavy.
    """
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
            if weight > best[3] or (last and weight == best[3]):
                best = index - size + 1, place - size + 1, size, weight
        runs = grown
    return best


def hidden_by(fold: int, old: Sequence[Row], new: Sequence[Row]) -> tuple[Row, ...]:
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


def went(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, Sequence[Row]]]:
    """Runs of old rows with nothing new in their place, each with the new row it stood before."""
    if len(old) * len(new) > _MATCHED:
        return []
    matcher = SequenceMatcher(
        None, [row.text for row in old], [row.text for row in new], autojunk=False
    )
    return [
        (top, [row for row in old[low:high] if row.text])
        for _, low, high, top, bottom in matcher.get_opcodes()
        if low < high and not any(row.text for row in new[top:bottom])
    ]
