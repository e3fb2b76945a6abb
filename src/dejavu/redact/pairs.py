"""The other half of a pair: what is a secret because the id that it belongs to is near.

`companions_near` looks around each id for the runs that its rule describes (`Companion`). No I/O.
Cost: a bounded window for each id.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .heuristics import is_named_harmless
from .random_runs import (
    has_odd_letter_pairs,
    has_random_piece,
    is_file_name,
    looks_random,
)
from .rule import Companion

__all__ = ["companions_near"]

_LONGEST = 300  # characters of a companion
_BEFORE = 40  # characters that may name a run
_PART = re.compile(r"[A-Za-z0-9+/_.-]")
_HEX = re.compile(r"(?=[^0-9]*[0-9])(?=[^a-f]*[a-f])[0-9a-f]+|[0-9A-F]+|[0-9]+")


def companions_near(
    text: str,
    ids: Iterable[tuple[int, int, str]],
    companions: Mapping[str, Sequence[Companion]],
) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of the companions of ids: (start, end, rule) each."""
    for start, end, rule in ids:
        for other in companions.get(rule, ()):
            first, last = _window(text, start, end, other)
            for match in other.shape.finditer(text, first, min(last + _LONGEST, len(text))):
                begin, stop = match.span()
                if begin > last:
                    break
                if (begin >= end or stop <= start) and _is_companion(text, begin, stop, end):
                    yield begin, stop, other.name


def _window(text: str, start: int, end: int, other: Companion) -> tuple[int, int]:
    """Return where a companion of the id at `start` to `end` may begin: first and last."""
    lowest, highest = max(0, start - other.reach), min(len(text), end + other.reach)
    first, last = start, end
    for _ in range(other.lines + 1):
        first = text.rfind("\n", lowest, first)
        if first < 0:
            break
    for _ in range(other.lines + 1):
        last = text.find("\n", last, highest) + 1
        if last == 0:
            break
    return max(lowest, first), last or highest


def _is_companion(text: str, start: int, stop: int, id_end: int) -> bool:
    """Whether a run is whole, looks drawn at random, and has no name that says what else it is."""
    before = text[max(0, start - _BEFORE) : start]
    if _PART.match(before[-1:]) and not _begins(before) and start != id_end + 1:
        return False
    run = text[start:stop]
    if is_named_harmless(before) or is_file_name(run) or len(set(run)) < 8:
        return False
    return _HEX.fullmatch(run.replace("-", "")) is not None or (
        has_random_piece(run) and _is_mixed(run)
    )


def _is_mixed(run: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    found = sum(any(map(kind, run)) for kind in kinds)
    if found == 2 and len(run) > 30:
        return looks_random(run) or has_odd_letter_pairs(run)
    return found > 1


def _begins(before: str) -> bool:
    """Whether a word begins here though a letter is in front: the end of an escape."""
    return re.search(r"\\[nrt]\Z", before) is not None
