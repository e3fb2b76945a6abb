"""Two views of one transcript compared: rows they share, rows that stand still, rows printed again.

Functions on texts or rows; results are index ranges. In `common_runs` a row weighs as much as it has
characters, divided by the number of places where its text occurs, so one rare row outweighs a run of
blank or frequent ones. Cost: O(buffered rows x positions of a text in the view, 40 at most).

`pinned_rows` are those at the top of a transcript that stand still while those below scroll: chrome,
whatever they say. A banner or a title that no rule of a pack knows would otherwise be taken for the
row above the one that has just scrolled up to it, and all rows that left the screen between would be
lost. Only whole screens that scroll inside the alternate buffer are asked about. The same holds for a
row that is drawn again at the top when it scrolls off, as some agents do with the prompt. Cost:
O(rows of the view), and one alignment of two views when the top does not move and the row below does.

Some agents print the whole conversation again after a resize or as they end. It is the same text at
any width, so it is recognised by its words without blanks. Cost: O(characters of what is buffered and
of the view), for views that share no rows with what stood last.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from .rows import Row, has_text, nonblank_text

# A text at more positions of a view than this is not used for alignment.
_MAX_POSITIONS = 40
# Weight of any row besides its text, and the weight a run must exceed to count.
_BLANK = 0.01
_MIN_WEIGHT = 0.5

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


_COUNTER = re.compile(r"[\d.,%$()\s]*\d[\d.,%$()\s]*[kKM]?\b|[\s()%$]+")
# The largest share of a view that may be pinned: with more, rows below were merely redrawn.
_MAX_SHARE = 4
# Rows with text that must have moved up together.
_MIN_MOVED = 3
# Rows by which a view that scrolled may be shorter: new rows at its end that are blank.
_BLANK_END = 2


def is_same_row(old: Row, new: Row) -> bool:
    """Whether two rows say the same, counters in them (tokens, a clock) aside."""
    if old.text == new.text:
        return True
    words = words_of([old])
    return words == words_of([new]) and any(map(str.isalpha, words))


def words_of(rows: Sequence[Row]) -> str:
    """Return the text of rows without blanks and counters."""
    return "\n".join(_COUNTER.sub("", row.text) for row in rows)


def pinned_rows(previous: Sequence[Row], view: Sequence[Row], known: int) -> int:
    """Return how many rows at the top of `view` are pinned, given the view before.

    `known` are those that were pinned in `previous`; they stay so while their text stays.
    """
    same = 0
    for old, new in zip(previous, view, strict=False):
        if not is_same_row(old, new):
            break
        same += 1
    if known and same >= known:
        return known
    if not any(row.text for row in view[:same]):
        return 1 if _is_pinned_now(previous, view) else 0
    if same * _MAX_SHARE > len(view):
        return 0
    return same if _scrolled(previous[same:], view[same:]) is not None else 0


def _is_pinned_now(previous: Sequence[Row], view: Sequence[Row]) -> bool:
    """Whether the view's first row repeats one that has scrolled off: agents pin prompts so."""
    if len(view) < 2 or not view[0].text:
        return False
    places = [n for n, row in enumerate(previous) if row.text == view[0].text]
    if not places or [row.text for row in previous[places[-1] + 1 :][:1]] == [view[1].text]:
        return False  # Nearly always: the row itself has moved up to the top.
    shift = _scrolled(previous, view[1:])
    return shift is not None and places[0] < shift - 1 and shift - 1 not in places


def _scrolled(old: Sequence[Row], new: Sequence[Row]) -> int | None:
    """Return by how many rows the old ones moved up, others taking the place that got free.

    None if they did not. Where rows were replaced (by a fold, say) the first row is a new one;
    where rows went without a replacement the view is shorter.
    """
    if len(new) < len(old) - _BLANK_END:
        return None
    runs = common_runs([row.text for row in old], [row.text for row in new])
    if not runs or runs[0][1] != 0:
        return None
    shift = runs[0][0]
    moved = sum(
        1
        for position, of_view, count in runs
        if position - of_view == shift
        for row in new[of_view : of_view + count]
        if row.text
    )
    expected = sum(1 for row in old[shift:] if row.text)
    return shift if shift > 0 and moved >= _MIN_MOVED and moved * 2 >= expected else None


# Share of a transcript's rows that must be in what takes their place when it is printed again.
REPRINTED = 0.9
# Share of the text up to which a view is but a part of it.
_PART = 0.8
# Characters of a row, without the sides of a box, from which on it tells something.
_LEAST = 12
# Share of the rows that stood where a view begins that must be in it: their place is proven then.
MOST = 0.5
# Characters without blanks that rows need to be found again at another width.
MIN_ANCHOR = 24
# Places where rows may start that are compared, the last ones.
_MAX_PLACES = 64
_NO_SIDES = str.maketrans("", "", "│┃|")


def printed_again(old: Sequence[Row], view: Sequence[Row], first: int) -> int | None:
    """Return the row of the view from which on it holds `old` again, or None.

    `first` is the row that begins as `old` does; if it was printed more than once, the last counts.
    Rows of `old` that repeat others need not come as often.
    """
    old = [row for row in old if not row.repeated]
    again = (n for n in range(len(view) - 1, first - 1, -1) if view[n].text == view[first].text)
    return next((n for n in again if share_within(old, view[n:]) >= REPRINTED), None)


def is_part(view: Sequence[Row], old: Sequence[Row]) -> bool:
    """Whether a view shows a part of `old` only: a good deal less text, and nothing new."""
    shown, known = (sum(map(str.isalnum, nonblank_text(rows)[0])) for rows in (view, old))
    return shown < known * _PART and share_within(view, old) >= REPRINTED


def share_within(rows: Sequence[Row], others: Sequence[Row]) -> float:
    """Return the share of the rows with text that are somewhere in others, whole, at any width.

    O(characters of both) in all but odd cases.
    """
    text = nonblank_text(others)[0].translate(_NO_SIDES)
    wholes = ["".join(row.text.split()).translate(_NO_SIDES) for row in rows]
    wholes = [whole for whole in wholes if has_text(whole) and len(whole) >= _LEAST]
    return sum(whole in text for whole in wholes) / len(wholes) if wholes else 0.0


def place_of(rows: Sequence[Row], others: Sequence[Row]) -> tuple[int, int] | None:
    """Return the index among others, and the offset in that row, where rows start, at any width.

    Where they may start in several places the one where most of them follows counts, of equal ones
    the last. None if they start nowhere, or are too short to tell.
    """
    sought = nonblank_text(rows)[0]
    text, starts = nonblank_text(others)
    for length in (4 * MIN_ANCHOR, 2 * MIN_ANCHOR, MIN_ANCHOR):
        anchor = sought[:length]
        if len(sought) >= MIN_ANCHOR and has_text(anchor) and anchor in text:
            position = _best_place(text, sought, anchor)
            index = bisect_right(starts, position) - 1
            return index, position - starts[index]
    return None


def _best_place(text: str, sought: str, anchor: str) -> int:
    """Return where a text continues as `sought` for longest, of the last places that hold its anchor."""
    position = best = text.rfind(anchor)
    longest = -1
    for _ in range(_MAX_PLACES):
        if position < 0:
            break
        same = _same_start(text[position : position + len(sought)], sought)
        if same > longest:
            best, longest = position, same
        position = text.rfind(anchor, 0, position + len(anchor) - 1)
    return best


def _same_start(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
