"""Runs in one row that may be what is left of a secret: what the rules say of them, and where they are.

A rule knows a whole token. Here a run counts that begins as one does: by a vendor's prefix, or by a
beginning of such a prefix; or that is next to a mark or at an edge. What runs are together with other
rows is judged by `cut_runs.py`. No I/O. Cost: linear in the row; what was judged is kept.

Tested in: tests/redact/test_followed_runs.py
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from dejavu.model.late_pattern import late_pattern

from .cut_neighbours import RUN
from .cut_values import has_secret_name, is_id, is_plausible
from .prefilter import trie
from .random_runs import (
    has_high_entropy,
    has_odd_letter_pairs,
    has_random_piece,
    is_file_name,
    is_numbered_words,
    is_of_initials,
    is_of_names,
    is_words,
    may_be_secret,
)
from .rule_table import RULES

__all__ = [
    "begins",
    "is_beginning",
    "is_begun",
    "is_piece",
    "is_prefixed",
    "is_token",
    "may_be_prefix",
    "may_begin",
    "runs_at_marks",
    "token",
]

_PREFIXES = sorted({anchor for rule in RULES if rule.random for anchor in rule.anchors})
_LONG_PREFIX = 10  # characters of a prefix that may not be alone next to a cut either
_RUNS_KNOWN = 4096  # runs whose judgement is kept: the same rows are read again and again


@cache
def _vendor_prefixes() -> list[str]:
    """The prefixes that are no words: what is drawn behind one and ends a row is a token's part."""
    return [
        prefix
        for prefix in _PREFIXES
        if len(prefix) >= 4
        and prefix[0].isalnum()
        and (
            prefix.isupper()
            or not is_words(prefix)
            or len(prefix) >= _LONG_PREFIX
            or (prefix[-1] in "-_" and not is_of_names(prefix))
            or is_of_initials(prefix)
        )
    ]


@cache
def _beginnings() -> frozenset[str]:
    """The beginnings of prefixes that may not be next to a cut either."""
    return frozenset(
        prefix[:length] for prefix in _PREFIXES for length in range(_LONG_PREFIX, len(prefix) + 1)
    )


_TOKEN = late_pattern(lambda: "(?<![A-Za-z0-9])" + trie(_vendor_prefixes()))
# Other prefixes are words of any program (`test_`, `key-`): what follows must look drawn.
_WORD_PREFIX = late_pattern(
    lambda: (
        "(?<![A-Za-z0-9])"
        + trie(
            [p for p in _PREFIXES if re.search(r"...[-_.$]\Z", p) and p not in _vendor_prefixes()]
        )
    )
)
_PREFIX = late_pattern(
    lambda: "(?:^|(?<=[=:]))" + trie([p for p in _PREFIXES if re.search(r"\w[-_.$]\Z", p)])
)
_SPELT = re.compile(r"[a-z]*(?:[-_./:=][a-z]*)*")
_SIGN = re.compile("[-_./]")
_NUMBER = re.compile("[0-9]{3}")
_VERSION = re.compile(
    r"[0-9]{1,4}(?:\.[0-9]{1,5})*[a-z]{0,2}"
)  # behind `0.`, which tokens begin with
_ANY_PREFIX = re.compile("[a-z]{2,6}_(?=[a-z]*[0-9]+[a-z])")
_SHORTEST_WORD = 3
_SHORTEST_REST = 6
# A URL with a user, and what is not the port.
_USER = re.compile(r"[a-z][a-z0-9+]{1,16}://[^/\s:@]*:(?![0-9]{1,5}(?:/|$))[^/\s@]{4,}@?$")


@lru_cache(maxsize=_RUNS_KNOWN)
def begins(run: str) -> bool:
    """Whether a run that may be cut short is the beginning of a vendor's token."""
    if _TOKEN.search(run) is not None:
        return True
    rests = [run[match.end() :] for match in _WORD_PREFIX.finditer(run)]
    if any(
        has_random_piece(rest) and not _begins_with_word(rest) for rest in rests
    ) and not is_file_name(run):
        return True
    return run in _beginnings()


def _begins_with_word(rest: str) -> bool:
    """Whether a word of four letters or more follows a prefix that is a word, as in `key_index`."""
    first = _SIGN.split(rest, maxsplit=1)[0]
    return (
        len(first) > _SHORTEST_WORD
        and first.isalpha()
        and first.islower()
        and is_words(first)
        and not has_odd_letter_pairs(first)
    )


@lru_cache(maxsize=_RUNS_KNOWN)
def is_prefixed(run: str) -> bool:
    """Whether a run that is no path begins as a token does, and continues with no word."""
    if "/" in run:
        return False
    if (any_ := _ANY_PREFIX.match(run)) and not is_numbered_words(run[any_.end() :]):
        return True
    rests = (run[match.end() :] for match in _PREFIX.finditer(run))
    return any(
        (not _SPELT.fullmatch(rest) and not _VERSION.fullmatch(rest))
        or 0 < len(rest) < _SHORTEST_WORD
        or has_odd_letter_pairs(rest)
        for rest in rests
    )


@lru_cache(maxsize=_RUNS_KNOWN)
def is_begun(run: str) -> bool:
    """Whether a run that is no path begins as a token does, and continues as no name would."""
    if _USER.match(run):
        return True
    if "/" in run:
        return False
    rests = (run[match.end() :] for match in _PREFIX.finditer(run))
    return any(not is_numbered_words(rest) or _NUMBER.match(rest) for rest in rests)


@lru_cache(maxsize=_RUNS_KNOWN)
def is_token(run: str) -> bool:
    """Whether a run begins with a vendor's prefix, and continues as only random text does."""
    match = _TOKEN.match(run)
    if match is None:
        return False
    rest = run[match.end() :]
    return len(rest) >= _SHORTEST_REST and not is_numbered_words(rest) and has_random_piece(rest)


def token(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the beginning of a token that nothing else looks like, in a part of a text."""
    return _TOKEN.search(text, start, end)


_BEHIND_MARK = re.compile(
    r"(?<=[\U000f0000-\U0010ffff])(?:[-<>=_?%#*~+!|]{3,12})?[A-Za-z0-9+/_-]{4,}+"
)
_TOKENS = re.compile(rf"(?<![A-Za-z0-9]){RUN}{{10,}}+")
_ELLIPSIS = re.compile(rf"((?:(?!\.\.\.){RUN})*+)(?:…|⋯|\.\.\.|\[\.\.\.?\])({RUN}*)")
_DOTS = re.compile(r"…|⋯|\.\.\.")
_SHORTEST = 10
_SHORTEST_BEGUN = 6


def runs_at_marks(bare: str) -> Iterator[tuple[int, int]]:
    """Yield where such runs are in a row without its frame."""
    for run in _TOKENS.finditer(bare):
        if is_token(run[0]):
            yield run.span()
    for match in _ELLIPSIS.finditer(bare) if _DOTS.search(bare) else ():
        if not is_id(match[1]) or has_secret_name(bare[: match.start()]):
            yield from (match.span(side) for side in (1, 2) if has_high_entropy(match[side]))
    for behind in _BEHIND_MARK.finditer(bare):
        if not is_words(behind[0]):
            yield behind.span()


def is_piece(run: str) -> bool:
    """Whether a run in a row of which a part is missing may be a piece of a secret."""
    is_long = len(run) >= _SHORTEST and begins(run)
    is_plain = not is_plausible([run], may_begin)
    return is_long or (not is_plain and (may_be_secret(run) or is_prefixed(run)))


def may_begin(run: str) -> bool:
    """Whether a run that is no number with a unit begins as a secret may."""
    return len(run) >= _SHORTEST_BEGUN and (is_beginning(run) or may_be_prefix(run))


def is_beginning(run: str) -> bool:
    """Whether a run begins as a token does, and as names do not."""
    return begins(run) or is_begun(run)


def may_be_prefix(run: str) -> bool:
    """Whether a run begins as a token does, and as words do not."""
    return begins(run) or is_prefixed(run)
