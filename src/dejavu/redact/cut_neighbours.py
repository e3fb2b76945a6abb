"""Runs next to what is left of a secret that are other pieces of it.

Pieces are one below the other at the same place: at the ends and beginnings of rows, or in the
cells of a table. No I/O. Cost: linear in the rows.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from .joined_text import Span
from .marks import MARKED
from .random_runs import (
    has_odd_letter_pairs,
    has_random_piece,
    is_numbered_words,
    is_words,
    may_be_secret,
)
from .row_frames import Content

__all__ = [
    "BARS",
    "RUN",
    "below_runs",
    "broken_in_cells",
    "broken_prefixes",
    "is_broken",
    "is_spelt",
    "row_end",
    "runs_above_cut",
]

RUN = r"[A-Za-z0-9+/_=.~%$:-]"
"""A character of tokens."""
BARS = ":;,!"
"""Signs that line up in ordinary text, too: no lines between cells."""
_TAIL = re.compile(rf"{RUN}+$")
_ALONE = re.compile(rf"(?<![^\s\x1f]){RUN}{{8,}}(?=\s*(?:\x1f|$))")
_AT_END = re.compile(rf"{MARKED.pattern}$")
_BEFORE_MARK = re.compile(rf"{RUN}+(?={MARKED.pattern})")
_IN_CELL = re.compile(rf"\x1f\s*({RUN}+)")
_EDGE = "\x1f"
_JOINERS = "-_.:/+"
"""Signs inside tokens, behind which programs break rows."""
_LONG_ALONE = 10  # characters of a run that is a piece, whatever its row is aligned with
_SHORTEST_BROKEN = 8  # characters of a row that continues below


def row_end(bare: Sequence[str], content: Content, number: int) -> Span | None:
    """Return the run that a row, or a cell of it, ends with."""
    tail = _TAIL.search(bare[number][: content.end], content.start)
    return None if tail is None else Span(number, *tail.span())


@lru_cache(maxsize=4096)  # rows of one word are followed upwards from each of them
def is_spelt(run: str) -> bool:
    """Whether a run is words, and such as can be spoken."""
    return is_words(run) and not has_odd_letter_pairs(run)


def is_broken(above: Span, below: Span) -> bool:
    """Whether a run fills its row as the one below does, as what has no blank is broken."""
    return (
        above.start == below.start
        and above.end >= below.end
        and above.end - above.start >= _SHORTEST_BROKEN
    )


def runs_above_cut(
    bare: Sequence[str],
    texts: Sequence[Content],
    filled: Sequence[int],
    spans: Collection[Span],
    begins: Callable[[str], bool],
) -> Iterator[Span]:
    """Yield the ends of rows and cells above that a run of `spans` continues.

    begins: whether a run begins as a known kind of secret does; words that do not are no part of it.
    """
    before = dict(zip(filled[1:], filled, strict=False))
    pending = list(spans)
    visited = set(spans)
    while pending:
        span = pending.pop()
        if span.row not in before:
            continue
        above = _above(bare, texts, span, before[span.row])
        tail = None if above is None else row_end(bare, above, before[span.row])
        if tail is None or tail in visited:
            continue
        run, rest = (bare[at.row][at.start : at.end] for at in (tail, span))
        if is_spelt(run) and not is_broken(tail, span) and not begins(run + rest):
            continue
        visited.add(tail)
        pending.append(tail)
        yield tail


def _above(
    bare: Sequence[str], texts: Sequence[Content], span: Span, number: int
) -> Content | None:
    """Return the part of row `number` that a run continues, if it begins its row or cell."""
    row, at = bare[number], span.start
    start = bare[span.row].rfind(_EDGE, 0, at) + 1
    if start and _EDGE in row[: at + 1] and not bare[span.row][start:at].strip():
        left, right = row.rfind(_EDGE, 0, at + 1) + 1, row.find(_EDGE, at + 1)
        cell = row[left : right if right >= 0 else None]
        return Content(left + len(cell) - len(cell.lstrip()), left + len(cell.rstrip()))
    return texts[number] if at == texts[span.row].start else None


def broken_prefixes(
    bare: Sequence[str],
    texts: Sequence[Content],
    filled: Sequence[int],
    begins: Callable[[str], bool],
) -> Iterator[Span]:
    """Yield the vendors' prefixes before marks that are broken over two rows.

    And what ends with a sign right above a mark that begins its row: rows are broken behind signs.
    """
    for above, number in pairwise(filled):
        if MARKED.match(bare[number], texts[number].start):
            tail = row_end(bare, texts[above], above)
            run = "" if tail is None else bare[above][tail.start : tail.end]
            if tail is not None and run[-1] in _JOINERS and has_random_piece(run):
                yield tail
        head = _BEFORE_MARK.match(bare[number], texts[number].start)
        tail = row_end(bare, texts[above], above) if head is not None else None
        if head is None or tail is None:
            continue
        if begins(bare[above][tail.start : tail.end] + head[0]):
            yield tail
            yield Span(number, *head.span())


def broken_in_cells(
    bare: Sequence[str],
    texts: Sequence[Content],
    filled: Sequence[int],
    cut: Collection[int],
    begins: Callable[[str], bool],
) -> Iterator[Span]:
    """Yield the beginnings of secrets that are broken over two cells, the second in a row of `cut`."""
    for above, number in pairwise(filled):
        for cell in _IN_CELL.finditer(bare[number]) if number in cut else ():
            span = Span(number, *cell.span(1))
            part = _above(bare, texts, span, above)
            tail = None if part is None else row_end(bare, part, above)
            run = "" if tail is None else bare[above][tail.start : tail.end]
            are_names = is_numbered_words(run) and is_numbered_words(cell[1])
            if tail is None or (are_names and cell[1][0].isalpha()):
                continue  # a name above a name begins as nothing does
            if begins(run + cell[1]):
                yield tail
                yield span


def _is_start(row: str, bare: str, content: Content, at: int) -> bool:
    """Whether the text of a row, or of a cell between lines in it, begins at `at`."""
    if at == content.start:
        return True
    edge = len(bare[:at].rstrip(" ")) - 1
    return edge >= 0 and bare[edge] == _EDGE and row[edge] not in BARS


def below_runs(
    rows: Sequence[str],
    bare: Sequence[str],
    texts: Sequence[Content],
    filled: Sequence[int],
    spans: Collection[Span],
) -> Iterator[Span]:
    """Yield the random runs, alone in a row or cell, that begin right below what is covered."""
    covered: dict[int, set[int]] = {}
    for span in spans:
        covered.setdefault(span.row, set()).add(span.start)
    for above, number in pairwise(filled):
        starts = covered.get(above, set()) | {at.start() for at in MARKED.finditer(bare[above])}
        starts = {at for at in starts if _is_start(rows[above], bare[above], texts[above], at)}
        goes_on = _AT_END.search(bare[above], 0, texts[above].end) is not None
        for run in _ALONE.finditer(bare[number]) if starts or goes_on else ():
            at = run.start()
            is_first = at == texts[number].start and (texts[above].start in starts or goes_on)
            is_random = may_be_secret(run[0]) or has_odd_letter_pairs(run[0])
            if len(run[0]) < _LONG_ALONE:
                is_random = at in starts and (
                    has_random_piece(run[0]) or has_odd_letter_pairs(run[0])
                )
            if (is_first or at in starts) and is_random:
                covered.setdefault(number, set()).add(at)
                yield Span(number, *run.span())
