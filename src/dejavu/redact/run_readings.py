"""The longest runs of rows one below the other, read as one value.

Programs put anything before and behind the pieces of a value that they break: a lead, the rest of a table,
a bar, rows of something else. What they all leave whole is the piece: the run of a row that is no word.
A chain begins at a row that names a secret or ends no other chain, and takes such runs from the rows below.
No I/O. Cost: linear in the rows.

Tested in: tests/redact/test_run_readings.py
"""

import re
from collections.abc import Iterator, Sequence

from .cut_neighbours import RUN, is_spelt
from .cut_values import has_secret_name
from .joined_text import Evidence, JoinedText, Span
from .run_kinds import may_be_prefix

__all__ = ["run_readings"]

_BLANK = re.compile(r"[\s\"'`|│]")
_ALONE = re.compile(r"[^A-Za-z0-9]*(?P<run>[A-Za-z0-9]{2,})[^A-Za-z0-9]*")
_RUN = re.compile(rf"{RUN}{{2,}}")
_NAMED = re.compile(
    r"(?:pass|secret|token|cred|key|auth|bearer|webhook)[\w-]{0,24}[\"'\]]{0,2}\s{0,3}(?::=|=>|[:=])|://",
    re.IGNORECASE,
)
_SHORTEST = 6  # characters of a run that is followed
_MOST_ROWS = 32
_MOST_BETWEEN = 2  # rows of something else between two pieces


def run_readings(rows: Sequence[str]) -> Iterator[JoinedText]:
    """Yield one text in which each chain of runs is a line."""
    runs = [_runs(row) for row in rows]
    if sum(map(bool, runs)) < 2:
        return
    text = JoinedText()
    number = 0
    taken = -1  # the last row of a chain
    while number < len(rows):
        is_named = _NAMED.search(rows[number]) is not None
        if (number > taken or is_named) and (first := _first(rows[number], runs[number])):
            chain = [Span(number, *first), *_below(rows, runs, number)]
            if len(chain) > 1:
                _add(text, rows, chain)
                taken = max(taken, chain[-1].row)
        number += 1
    if text.joints.offsets:
        yield text


def _runs(row: str) -> list[tuple[int, int]]:
    """Return where the runs of a row are that are no words."""
    return [
        run.span()
        for run in _RUN.finditer(row)
        if run.end() - run.start() >= _SHORTEST and not is_spelt(run[0])
    ]


def _first(row: str, runs: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the run with which a chain begins: behind a name of a secret, else the likeliest or longest.

    It goes on over signs that are no blank: the query of a URL, a password.
    """
    named = [run for run in runs if has_secret_name(row[: run[0]]) or _NAMED.search(row, *run)]
    start, end = max(
        named or runs,
        key=lambda run: (may_be_prefix(row[slice(*run)]), run[1] - run[0]),
        default=(0, 0),
    )
    for further in runs:
        if end < further[0] and not _BLANK.search(row, end, further[0]):
            end = further[1]
    return (start, end) if end else None


def _below(
    rows: Sequence[str], runs: Sequence[Sequence[tuple[int, int]]], number: int
) -> Iterator[Span]:
    """Yield the runs of the rows below that continue a chain."""
    above: Span | None = None
    between = 0
    for below in range(number + 1, min(number + _MOST_ROWS, len(rows))):
        found = _next(rows[below], runs[below], above)
        if found is None:
            between += 1
            if between > _MOST_BETWEEN:
                return
            continue
        if _NAMED.search(rows[below], 0, found[1]) is not None:
            return
        between = 0
        above = Span(below, *found)
        yield above


def _next(row: str, runs: Sequence[tuple[int, int]], above: Span | None) -> tuple[int, int] | None:
    """Return the run of a row that continues a chain: at the place of the one above, else the longest."""
    if above is None:
        alone = _ALONE.fullmatch(row)
        longest = max(runs, key=lambda run: run[1] - run[0], default=None)
        if longest is None and alone is not None and not alone["run"].isdecimal():
            return alone.span("run")  # a number alone may be a line's
        return longest
    same = None if row[above.start - 1 : above.start].isalnum() else _RUN.match(row, above.start)
    if same is not None and (same.end() < above.end or same.span() in runs):
        return same.span()
    return max(runs, key=lambda run: run[1] - run[0], default=None)


def _add(text: JoinedText, rows: Sequence[str], chain: Sequence[Span]) -> None:
    """Append a chain: what is before it in its first row, and behind it in its last."""
    above: Span | None = None
    for span in chain:
        start = 0 if above is None else span.start
        end = len(rows[span.row]) if span == chain[-1] else span.end
        grade = Evidence.LIKELY if above is not None and span.end <= above.end else Evidence.NONE
        text.add(
            Span(span.row, start, end),
            rows[span.row][start:end],
            "\n" if above is None else "",
            grade,
        )
        above = span
