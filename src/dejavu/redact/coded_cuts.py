"""What a program has left of a value that it shows as bytes: the beginning, dots, and maybe the end.

No rule knows a value without its middle. Here the bytes on either side of the dots are read, and are a
piece of a secret if they begin as one or look drawn at random. No I/O. Cost: linear in the rows with dots.

Tested in: tests/redact/test_coded_cuts.py
"""

import re
from collections.abc import Iterator, Sequence

from .cut_values import looks_random_enough
from .decoded_texts import derived_texts
from .derived_text import Reading
from .joined_text import JoinedText, Span
from .program_readings import unbroken
from .reading_windows import Code, has_code, windows
from .run_kinds import is_beginning

__all__ = ["coded_cuts"]

_OMITTED = re.compile(r"(?:(?<=[\s,(\[])|(?<=[0-9a-fA-F]{4}))(?:\.\.\.|…|⋯)(?![.|])")
_NEAR = 8  # characters between bytes and the dots
_RUN = re.compile(r"[^\s\"'`]{6,}")


def coded_cuts(rows: Sequence[str]) -> Iterator[Span]:
    """Yield where bytes next to dots stand that are a piece of a secret, with those on the other side."""
    dotted = {number for number, row in enumerate(rows) if _OMITTED.search(row) is not None}
    for start, end in windows(dotted, len(rows)):
        if not has_code("\n".join(rows[start:end])):
            continue
        drawn = JoinedText()
        for number in range(start, end):
            drawn.add(Span(number, 0, len(rows[number])), rows[number])
        for base in (drawn, *unbroken(rows, start, end)):
            yield from _cuts(base)


def _cuts(base: JoinedText) -> Iterator[Span]:
    text = base.text
    for dots in _OMITTED.finditer(text):
        start, end = text.rfind("\n", 0, dots.start()) + 1, text.find("\n", dots.end())
        before = _piece(base, start, dots.start(), is_end=True)
        behind = _piece(base, dots.end(), end if end >= 0 else len(text), is_end=False)
        found = [piece for piece in (before, behind) if piece is not None]
        if any(is_beginning(run) or looks_random_enough(run) for run, _ in found):
            for _, spans in found:
                yield from spans


def _piece(
    base: JoinedText, start: int, end: int, *, is_end: bool
) -> tuple[str, list[Span]] | None:
    """Return what the bytes in a part of a text say next to the dots, and where they are."""
    if not any(code := Code.of(base.text[start:end])):
        return None
    reading = Reading(base.text)
    reading.copy(start, end)
    part = reading.of(base)
    for derived in derived_texts(part, code, depth=3):
        runs = [*_RUN.finditer(derived.text)]
        if not runs:
            continue
        run = runs[-1 if is_end else 0]
        first, last = derived.place(run.start()), derived.place(run.end() - 1)
        if (end - start - last if is_end else first) <= _NEAR + 2:
            return run[0], derived.spans(*run.span())
    return None
