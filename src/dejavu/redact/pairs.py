"""The other half of a pair: what is a secret because the id that it belongs to is near.

`companions_near` looks around each id for the runs that its rule describes (`Companion`). Further away, as
in another turn, `companions_apart` takes only what also looks drawn at random. No I/O. Cost: a bounded
window for each id; a look at each long run of texts near an id.
"""

import re
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import TypeVar

from .heuristics import is_named_harmless
from .random_runs import (
    has_odd_letter_pairs,
    has_random_piece,
    is_file_name,
    looks_random,
)
from .rule import Companion

__all__ = ["companions_apart", "companions_near", "paired_ids", "with_ids_around"]

_Item = TypeVar("_Item")
_LONGEST = 300  # characters of a companion
_BEFORE = 40  # characters that may name a run
_PART = re.compile(r"[A-Za-z0-9+/_.-]")
_REPLACED = re.compile(r"\[redacted:([a-z0-9-]+):[0-9a-f]{8}\]")
_RUN = re.compile(r"(?<![A-Za-z0-9+/_.-])[A-Za-z0-9+/_-]{24,86}={0,2}(?![A-Za-z0-9+/_=-])")
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


def paired_ids(texts: Iterable[str], kinds: Container[str]) -> frozenset[str]:
    """Return the replacements in texts that are of ids, to which secrets belong: of these kinds."""
    marked = (text for text in texts if "[redacted:" in text)
    return frozenset(
        mark[0] for text in marked for mark in _REPLACED.finditer(text) if mark[1] in kinds
    )


def with_ids_around(
    items: Iterable[_Item], ids_of: Callable[[_Item], frozenset[str]], near: int
) -> Iterator[tuple[_Item, list[str]]]:
    """Yield each item with its ids and those of `near` items before and behind it."""
    before: deque[frozenset[str]] = deque(maxlen=near)
    ahead: deque[tuple[_Item, frozenset[str]]] = deque()
    for item in chain(items, repeat(None, near)):
        if item is not None:
            ahead.append((item, ids_of(item)))
        if ahead and (item is None or len(ahead) > near):
            first, own = ahead.popleft()
            yield first, sorted(own.union(*before, *(ids for _, ids in ahead)))
            before.append(own)


def companions_apart(text: str, ids: Sequence[str], redact: Callable[[str], str]) -> str:
    """Return a text without the secrets that belong to ids which are not near them.

    ids: their replacements. Digests, UUIDs and other hexadecimal stay, as do words.
    """
    parts: list[str] = []
    at = 0
    for run in _RUN.finditer(text):
        if _HEX.fullmatch(run[0].replace("-", "")) or not has_random_piece(run[0]):
            continue
        for one in ids:
            lead = f"{one}\n"
            clean = redact(lead + run[0])
            if clean.startswith(lead) and clean != lead + run[0]:
                parts += (text[at : run.start()], clean[len(lead) :])
                at = run.end()
                break
    return "".join([*parts, text[at:]]) if parts else text


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
