"""The rows of a screen, read in every way that a secret in them may have been broken.

A person reads a key together that an agent broke over rows, whatever is between its pieces: an
indent, line numbers, the signs of a diff, the leader of a comment, the borders of a box or of a
table. `row_readings` yields the texts (`JoinedText`) in which secrets are looked for:

1. the rows as they are, joined where the terminal wrapped them;
2. what is inside the frame, behind a gutter, all joined without a blank;
3. the same behind what a row has in common with the one above (a comment's leader, a log's prefix);
4. the same without the quotes and signs that concatenate literals in source;
5. lines as they were before a word wrap: a blank where the next word had no room;
6. the cells of tables and panes, column by column, parted by edges or wide gaps, and by edges alone;
7. all of these of the lines that a narrower terminal has broken since they were drawn.

Rows are joined everywhere and not only where a wrap can be proved, since agents break where they
like; a joint says what speaks for it (`Evidence`), and a match that continues behind a joint without
evidence has to earn that (`prefilter`). A wrong joint costs a word on the screen, a missing one a
secret. No I/O. Cost: linear in the cells, times the readings.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from wcwidth import wcswidth

from .joined_text import Evidence, JoinedText, LineText, Span
from .row_frames import EDGE, Content, cells, cells_between_edges, contents, unframed

__all__ = ["row_readings", "unwrapped"]

_SOURCE = re.compile(r"\s+[\w./-]+\.[a-z]{1,4}:[0-9]{1,6}\s*\Z")  # the place that logged a row
_FIELD = re.compile(r"[A-Za-z][\w.-]{1,32}:[ \t]{2,}")  # a name and its value, in a column of such
_BREAKS = frozenset("-_/=+&@%~\\")
_SPLICED_END = re.compile(r"(?:(?P<quote>[\"'`])\s*(?:[+.&,]|\|\|)?\s*\\?|\\|[↵⏎¬↩⤶↪])\s*$")
_SPLICED_START = re.compile(r"\s*(?:[+.&]\s*|[↪↳⤷…]\s*)?(?P<quote>[\"'`])?")
_CONTINUED = re.compile("[↪↳⤷]")
"""What says that a row continues the one above."""
_TRAILER = re.compile(r"[^A-Za-z0-9].*\Z")
_BRACKET = re.compile(r"\s*\[[^\]]{1,40}\]\s+")
_SAID = re.compile(r"[^()\[\]<>:|]{0,32}[)\]>:|] ")
_LONG_LEADER = 12  # characters
_FORMS = {ord(char): "0" for char in "0123456789abcdef"}  # in what numbers and digests are written
_BYTE_FORMS = bytes.maketrans(b"0123456789abcdef", b"0" * 16)
_NUMERIC = frozenset("0 ")  # digits, and what a number is padded with
_BLANK = frozenset((" ", EDGE))
_MARGIN = 6  # columns that agents leave free at the right


def row_readings(
    rows: Sequence[str], columns: int, wrapped: Sequence[bool] | None = None
) -> Iterator[JoinedText]:
    """Yield the readings of rows. `columns`: the width the agent had.

    wrapped: per row, True where the terminal itself broke the line.
    """
    flags = [*(wrapped or ()), *[False] * len(rows)][: len(rows)]
    seen: set[str] = set()
    for reading in (*_readings(rows, columns, flags), *_readings_of_lines(rows, flags)):
        if reading.text not in seen:
            seen.add(reading.text)
            yield reading


def _readings_of_lines(rows: Sequence[str], wrapped: Sequence[bool]) -> Iterator[JoinedText]:
    """Yield the readings of the lines as they were before a narrower terminal broke each of them.

    A row that is shorter than others that were broken may have ended with blanks.
    """
    lengths = [*map(len, rows)]
    for texts, lines in unwrapped(rows, wrapped):
        widest = max(map(_width, texts), default=0)
        for reading in _readings(texts, widest, [False] * len(texts)):
            yield LineText(reading, lines, lengths)


def unwrapped(
    rows: Sequence[str], wrapped: Sequence[bool], blank: int = 0
) -> Iterator[tuple[list[str], list[list[Span]]]]:
    """Yield the lines that rows were broken from, and their rows; also with the blanks those ended with.

    blank: how many those have lost that are equally long.
    """
    if not any(wrapped[:-1]):
        return
    edge = max(_width(row) for row, goes_on in zip(rows, wrapped, strict=True) if goes_on)
    lost = [edge - _width(row) for row in rows]
    if blank and not any(lack for lack, goes_on in zip(lost, wrapped, strict=True) if goes_on):
        lost = [blank] * len(rows)
    padded = [
        row + " " * lack if goes_on else row
        for row, lack, goes_on in zip(rows, lost, wrapped, strict=True)
    ]
    for parts in (rows, padded) if padded != [*rows] else (rows,):
        lines: list[list[Span]] = []
        for number, part in enumerate(parts):
            if not (number and wrapped[number - 1]):
                lines.append([])
            lines[-1].append(Span(number, 0, len(part)))
        yield ["".join(parts[span.row] for span in line) for line in lines], lines


def _readings(rows: Sequence[str], columns: int, wrapped: Sequence[bool]) -> Iterator[JoinedText]:
    as_they_are = JoinedText()
    for number, row in enumerate(rows):
        goes_on = number > 0 and wrapped[number - 1]
        run = Span(number, 0, len(row))
        as_they_are.add(run, row, "" if goes_on else "\n", Evidence.CERTAIN)
    yield as_they_are
    if len(rows) < 2:
        return
    bare = unframed(rows)
    behind_gutter = contents(bare)
    ends = [_width(row[: content.end]) for row, content in zip(bare, behind_gutter, strict=True)]
    edge = max(ends)
    # One row alone shows the width of a wrap only where that is near the agent's own.
    wraps = edge + _MARGIN >= columns or sum(end >= edge - 1 for end in ends) > 1

    def evidence(above: int, below: int, start: int) -> Evidence:
        if wrapped[above] or _CONTINUED.search(rows[below], 0, start) is not None:
            return Evidence.CERTAIN
        last, first = bare[above][behind_gutter[above].end - 1], bare[below][start : start + 2]
        splits = last in _BREAKS or (first[:1] in _BREAKS and first[1:].isalnum())
        full = wraps and ends[above] >= edge - 1
        return Evidence.LIKELY if splits or full else Evidence.NONE

    yield _joined(rows, behind_gutter, evidence)
    leaders = _behind_leader(bare, behind_gutter)
    yield _joined(rows, leaders, evidence)
    if (leads := _behind_lead(bare, behind_gutter)) != leaders:
        yield _joined(rows, leads, evidence)
    if (behind := _behind_said(bare, leaders)) != leaders:
        yield _joined(rows, behind, evidence)
    if (before := _before_trailer(bare, leaders)) != leaders:
        yield _joined(rows, before, evidence)
    if spliced := _unspliced(rows, behind_gutter):
        yield _joined(rows, spliced, evidence)
    yield _lines(rows, bare, behind_gutter, ends, edge, wraps=wraps)
    yield cells(rows, bare)
    if any(EDGE in row for row in bare):
        yield cells_between_edges(rows, bare)


def _behind_leader(bare: Sequence[str], gutters: Sequence[Content]) -> list[Content]:
    """Return the contents behind what each row has in common with the text row above it."""
    found: list[Content] = []
    above = ""
    for row, (start, end) in zip(bare, gutters, strict=True):
        if start == end:
            found.append(Content(end, end))
            continue
        same = 0
        while same < min(len(above), end) and above[same] == row[same]:
            same += 1
        while same and row[same - 1].isalnum():
            same -= 1
        while same < end and row[same].isspace():
            same += 1
        found.append(Content(same, end))
        above = row
    return found


def _behind_lead(bare: Sequence[str], gutters: Sequence[Content]) -> list[Content]:
    """Return the contents behind what rows begin with in the same form: numbers, times, digests.

    It ends with a blank, for a secret has none; the row above or the row below has it, too.
    """
    found: list[Content] = []
    forms = [_form(row[: content.end]) for row, content in zip(bare, gutters, strict=True)]
    filled = [number for number, (start, end) in enumerate(gutters) if start < end]
    shared = [_shared(forms[a], forms[b]) for a, b in pairwise(filled)]
    leads = dict(zip(filled, map(max, [0, *shared], [*shared, 0]), strict=False))
    stamps = {n: stamp.end() for n in filled if (stamp := _BRACKET.match(bare[n]))}
    stamped = {n: stamps[n] for pair in pairwise(filled) for n in pair if stamps.keys() >= {*pair}}
    for number, (start, end) in enumerate(gutters):
        lead = leads.get(number, 0)
        if number in stamped:
            lead = max(lead, stamped[number])
        found.append(Content(min(max(start, lead), end), end))
    return found


def _form(row: str) -> str:
    """Return a row with zeros for digits; of bytes it is made ten times as fast."""
    if row.isascii():
        return row.encode("ascii").translate(_BYTE_FORMS).decode("ascii")
    return row.translate(_FORMS)


def _behind_said(bare: Sequence[str], leaders: Sequence[Content]) -> list[Content]:
    """Return the contents behind what a row says of itself after a long beginning that is shared."""
    found: list[Content] = []
    for row, (start, end) in zip(bare, leaders, strict=True):
        is_long = len(row[:start].strip()) >= _LONG_LEADER
        said = _SAID.match(row, start, end) if is_long else None
        found.append(Content(start if said is None else said.end(), end))
    return found


def _shared(above: str, below: str) -> int:
    """Return how long the lead is that two rows have in the same form, up to a blank behind it."""
    blank = 0
    for at, (one, other) in enumerate(zip(above, below, strict=False)):
        if one != other and not (one in _NUMERIC and other in _NUMERIC):
            if at and " " in (one, other) and not (one + other).strip().isalnum():
                blank = at + 1  # a sign that the row continues, where the other has none
            break
        if one == other and one in _BLANK:
            blank = at + 1
    return blank if "0" in above[:blank] else 0


def _before_trailer(bare: Sequence[str], leaders: Sequence[Content]) -> list[Content]:
    """Return the contents before the signs that each row ends with as the one above or below does."""
    found = list(leaders)
    filled = [number for number, (start, end) in enumerate(leaders) if start < end]
    for number in filled:
        if (source := _SOURCE.search(bare[number], *leaders[number])) is not None:
            found[number] = Content(leaders[number].start, source.start())
    for above, below in pairwise(filled):
        one, other = (bare[number][slice(*leaders[number])] for number in (above, below))
        size = 0
        while size < min(len(one), len(other)) and one[-size - 1] == other[-size - 1]:
            size += 1
        trailer = _TRAILER.search(one[len(one) - size :])
        for number in (above, below) if trailer is not None else ():
            start, end = leaders[number]
            size = len(trailer[0]) if trailer is not None else 0
            found[number] = Content(start, min(found[number].end, end - size))
    return found


def _unspliced(rows: Sequence[str], gutters: Sequence[Content]) -> list[Content] | None:
    """Return the contents without what joins literals over lines; None where nothing does."""
    found = list(gutters)
    filled = [number for number, (start, end) in enumerate(gutters) if start < end]
    for above, below in pairwise(filled):
        end = _SPLICED_END.search(rows[above], *found[above])
        start = _SPLICED_START.match(rows[below], *found[below]) if end else None
        if end and start and (end["quote"] or "") == (start["quote"] or ""):
            found[above] = Content(found[above].start, end.start())
            found[below] = Content(start.end(), found[below].end)
    return found if found != [*gutters] else None


def _joined(
    rows: Sequence[str],
    runs: Sequence[Content],
    evidence: Callable[[int, int, int], Evidence],
) -> JoinedText:
    """Return all rows that have text as one line."""
    text = JoinedText()
    above: int | None = None
    for number, (start, end) in enumerate(runs):
        if start >= end:
            continue
        grade = Evidence.NONE if above is None else evidence(above, number, start)
        separator = "\n" if _FIELD.match(rows[number], start, end) else ""
        text.add(Span(number, start, end), rows[number][start:end], separator, grade)
        above = number
    return text


def _lines(
    rows: Sequence[str],
    bare: Sequence[str],
    runs: Sequence[Content],
    ends: Sequence[int],
    edge: int,
    *,
    wraps: bool,
) -> JoinedText:
    """Return the lines as they were before a word wrap of width `edge`.

    wraps: whether a full row continues without a blank.
    """
    text = JoinedText()
    separator = "\n"
    for number, (start, end) in enumerate(runs):
        text.add(Span(number, start, end), rows[number][start:end], separator, Evidence.LIKELY)
        below = number + 1
        word = bare[below][slice(*runs[below])].split(maxsplit=1) if below < len(rows) else []
        if start >= end or not word:
            separator = "\n"
        elif wraps and ends[number] >= edge:
            separator = ""
        else:
            separator = " " if ends[number] + 1 + _width(word[0]) > edge else "\n"
    return text


def _width(text: str) -> int:
    return len(text) if text.isascii() else max(wcswidth(text), 0)
