"""Secrets that a text holds in another form: decoded from a dump, base32 or escapes, joined from literals.

The forms are those in which screens are read (`decoded_texts`, `dumped_bytes`, `program_readings`); what
is a secret in them the rules say. Only the lines around what may be such a form are read again. Pure.
Cost: linear, one search for each kind of form.

Tested in: tests/redact/test_encoded_secrets.py
"""

import re
from collections.abc import Callable, Iterator, Sequence

from .joined_text import Evidence, JoinedText, Span
from .split_secrets import DATA, gaps

__all__ = ["mark_encoded"]

_SHORTEST = 16  # characters that hold a secret in another form
_MOST = 32  # readings of the same lines that show a secret
_EMPHASIS = re.compile(r"\*(?<=[A-Za-z0-9_-]{4}.)\*{0,2}(?=[A-Za-z0-9_-]{4})")
"""What Markdown puts into the middle of a word."""
_RUN = re.compile(r"[A-Za-z0-9+/_-]+={0,6}")
_NARROWEST = 32  # characters at which programs wrap code

Redact = Callable[[str], str]


def mark_encoded(text: str, redact: Redact) -> str:
    """Return a text with replacements for the secrets that it holds in another form.

    `redact` replaces those of a text as it is. Of a form that is in several places of the text, as in both
    columns of a dump, the first gets the replacement, the others become `*`.
    """
    if len(text) < _SHORTEST or DATA.fullmatch(text):
        return text
    from .reading_windows import coded_rows, windows  # a hook redacts texts, and waits for imports

    rows = text.split("\n")
    found = coded_rows(rows)
    if "*" in text:
        found |= {number for number, row in enumerate(rows) if _EMPHASIS.search(row)}
    if not found:
        return text
    parts, at = list[str](), 0
    for start, end in windows(found, len(rows)):
        parts += rows[at:start]
        parts.append(_marked("\n".join(rows[start:end]), redact))
        at = end
    return "\n".join([*parts, *rows[at:]])


def _marked(part: str, redact: Redact) -> str:
    for _ in range(_MOST):
        marked = next(_with_marks(part, redact), None)
        if marked is None:
            break
        part = marked
    return part


def _with_marks(part: str, redact: Redact) -> Iterator[str]:
    """Yield the part without the secrets that one reading of it shows, for each that shows some."""
    rows = part.split("\n")
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row) + 1)
    for reading in _readings(rows):
        text = reading.text
        if (clean := redact(text)) == text:
            continue
        marks: dict[tuple[int, int], str] = {}
        for gap in gaps(text, clean):
            label = gap.label
            for span in reading.spans(gap.start, gap.end):
                place = starts[span.row] + span.start, starts[span.row] + span.end
                marks[place] = label or "*" * (span.end - span.start)
                label = ""
        if marks:
            # What the part shows as it is goes with them: half of a pair masked would hide the other.
            for gap in gaps(part, redact(part)):
                marks.setdefault((gap.start, gap.end), gap.label)
            yield _replaced(part, marks)


def _readings(rows: Sequence[str]) -> Iterator[JoinedText]:
    """Yield what rows say that no terminal broke; what several say together first: one may say a half."""
    from .decoded_texts import derived_texts
    from .dumped_bytes import dumped
    from .program_readings import literals
    from .reading_windows import Code

    text = JoinedText()
    for number, row in enumerate(rows):
        text.add(Span(number, 0, len(row)), row)
    readings = dumped(rows), literals(rows), _wrapped(rows)
    drawn = [reading for reading in readings if reading is not None]
    yield from drawn
    if (plain := _without_emphasis(text)) is not None:
        yield plain
    for base in (*drawn, text):
        if any(code := Code.of(base.text)):
            yield from derived_texts(base, code)


def _wrapped(rows: Sequence[str]) -> JoinedText | None:
    """Return rows of one run each as the line that a program wrapped at one width; None for no such."""
    text, edge = JoinedText(), 0
    for number, row in enumerate(rows):
        run = len(row) if _RUN.fullmatch(row) is not None else 0
        text.add(Span(number, 0, len(row)), row, "" if 0 < run <= edge else "\n", Evidence.LIKELY)
        edge = run if run >= max(edge, _NARROWEST) or run == edge else 0
    return text if text.joints.offsets else None


def _without_emphasis(base: JoinedText) -> JoinedText | None:
    from .derived_text import Reading

    reading, at = Reading(base.text), 0
    for mark in _EMPHASIS.finditer(base.text):
        reading.copy(at, mark.start())
        at = mark.end()
    if not at:
        return None
    reading.copy(at, len(base.text))
    return reading.of(base)


def _replaced(part: str, marks: dict[tuple[int, int], str]) -> str:
    pieces: list[str] = []
    at = 0
    for (start, end), label in sorted(marks.items()):
        if end > at:
            pieces += (part[at : max(at, start)], label)
            at = end
    return "".join([*pieces, part[at:]])
