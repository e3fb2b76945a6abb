"""What the value of a secret may look like where a part of it is missing, and what it does not.

A cut hides how a value began. What is left may be one where it begins as a known kind does, where a
name of a secret comes before it, or where so much of it is drawn at random that it is no name, no
path, no version and no number. No I/O. Cost: linear in the run.
"""

import base64
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from .random_runs import (
    has_odd_letter_pairs,
    has_random_piece,
    is_numbered_words,
    is_piece_of_id,
    is_words,
)

__all__ = [
    "has_secret_name",
    "is_harmless",
    "is_id",
    "is_named_path",
    "is_plausible",
    "is_unjudged",
    "is_whole_id",
    "looks_random_enough",
    "names_secret",
]

_COMPONENTS = re.compile(r"[-_./:@+=#?%~^,$&\\]+")
_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")
_PATH = re.compile(
    r"[a-z]+://[\w.:-]+(?:/[\w@.~+-]*)*|(?:~|\.{1,3})?/?(?:[\w@.~+-]+/)+[\w@.~+:-]*", re.ASCII
)
# Digests, addresses, numbers and UUIDs, whole or as far as they are shown.
_ID = re.compile(
    r"(?:0?x)?[0-9a-f]{1,128}|(?:0x)?[0-9A-F]{1,128}|[0-9]+(?:[.,-][0-9]+)*"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{0,4}){1,3}(?:-[0-9a-fA-F]{0,12})?"
)
_WHOLE_ID = re.compile(
    r"(?:[a-z]{1,8}=)?[0-9]+(?:[.,:][0-9]+)*|(?:0x)?(?:"
    + "|".join(
        rf"[0-9a-f]{{{size}}}|[0-9A-F]{{{size}}}" for size in (8, 12, 16, 32, 40, 56, 64, 96, 128)
    )
    + r")|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
_BETWEEN_IDS = re.compile("[/:=@#]+")
_ROOT = re.compile(r"[a-z]+://|(?:~|\.{1,3})?(?:/\.\.)*/[a-z]{3,}/")
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]+")
_SHORTEST_CODE = 16
_TEXT = re.compile(r"[\w \n,.;:'!?()-]+", re.ASCII)
_ALPHABETS: tuple[tuple[re.Pattern[str], int, Callable[[str], bytes]], ...] = (
    (re.compile("[A-Za-z0-9+/]+"), 4, base64.b64decode),
    (re.compile("[A-Z2-7]+"), 8, base64.b32decode),
    (re.compile("[0-9a-f]+|[0-9A-F]+"), 2, bytes.fromhex),
)
_HARMLESS = re.compile(
    r"[-+:=]?[0-9]{0,9}\.[0-9]+(?:e[-+]?[0-9]+)?[,:]?|[ACGTN]{6,}(?:-[0-9])?|(?:\.{0,2}/){1,9}\.{0,2}(?:[a-z]{2,12}[0-9a-z]{0,6})?"
)
_COUNTED = re.compile("([0-9]{1,2})([a-z_]{2,})", re.IGNORECASE)
"""A word behind its length, as linkers write names."""
_OTHER_SIGNS = re.compile(r"[^A-Za-z0-9_+/=.%:-]+")  # that are in no token
_LONG_PIECE = 24  # characters
_MANY_PIECES, _FEW_WORDS = 4, 0.34
_SHORTEST_NAME = 3
_SHORT_HEX = 8  # of an id behind words: what is shown of a digest, a serial number
_LEAST = 8
"""Characters that are drawn at random in the least piece of a secret that counts."""
_IN_PATHS = 14  # names of temporary folders, of files with their digest, of videos are shorter
_NAMES_OF_SECRETS = (
    r"passw|passphrase|passcode|secret|token|credential|api.?key|access.?key|private.?key|_key|apikey"
    r"|authorization|bearer|webhook"
)
_PARTS_OF_NAMES = ("pass", "secret", "token", "cred", "key", "auth", "bearer", "webhook")
_CUT_SIGN = re.compile(r"[…⋯•●█▓▒░]|\.\.|\*\*\*|[\[(<][.+0-9tcsohmrTCSOHMR]")
_NAME = re.compile(_NAMES_OF_SECRETS, re.IGNORECASE)
_NAME_BEFORE = re.compile(
    rf"(?:(?<![A-Za-z])[\w.-]{{0,40}}?(?:{_NAMES_OF_SECRETS})[\w-]{{0,24}}[\"'\]]{{0,2}}"
    r"\s{0,3}(?::=|=>|[:=])|\bbearer)\s{0,3}[\"'`]?[\w+-]{0,8}\Z",
    re.IGNORECASE,
)
# The end of a name whose beginning is not in the text.
_NAME_END = re.compile(
    r"[^A-Za-z0-9]{0,8}(?:key|auth)[\"']?\s{0,2}[:=]\s{0,2}[\"']?", re.IGNORECASE
)
_NAMED_CUT = re.compile(
    rf"(?P<name>(?<![A-Za-z])[\w.-]{{0,40}}?(?:{_NAMES_OF_SECRETS})[\w-]{{0,24}})[\"'\]]{{0,2}}\s{{0,3}}(?::=|=>|[:=])"
    r"\s{0,3}[\"'`]?(?P<value>[^\s\"'`•●*█▓▒░…⋯<\[(\U000f0000-\U0010ffff]{4,})"
    r"(?:…|⋯|\.\.\.?|\*{3,}|[•●█▓▒░]{2,}| ?[\[(<](?:\.\.|…|\+? ?[0-9]+ (?:more|char|byte)|truncated|cut|snip"
    r"|omitted|hidden|masked|redacted|HIDDEN|MASKED|REDACTED))",
    re.IGNORECASE,
)
_NUMBERED = re.compile("[0-9]{6}|_[0-9]|[A-Za-z][0-9]|[0-9][A-Za-z]")
_NOT_SECRET = re.compile(r"(?:next|page)_?token|csrf|public.?key|key_?id", re.IGNORECASE)
_LONGEST_NAME = 96
_RUNS_KNOWN = 4096


def names_secret(text: str) -> bool:
    """Whether a text holds a word that names of secrets are made of."""
    lower = text.lower()
    return any(word in lower for word in _PARTS_OF_NAMES)


def has_secret_name(before: str) -> bool:
    """Whether the text before a value ends with a name of a secret."""
    if not names_secret(before):
        return False
    if _NAME_END.fullmatch(before):
        return True
    name = _NAME_BEFORE.search(before[-_LONGEST_NAME:])
    return name is not None and _NOT_SECRET.search(name[0]) is None


def is_plausible(parts: Sequence[str], begins: Callable[[str], bool]) -> bool:
    """Whether the pieces of a run, row by row, may be what is left of a secret.

    begins: whether a run begins as a known kind of secret does.
    """
    run = "".join(parts)
    if begins(run) or any(map(begins, parts)):
        return True
    if _is_encoded_text(run):
        return False
    pieces = parts if any(len(part) >= _LEAST for part in parts) else [run]
    return any(map(looks_random_enough, pieces))


@lru_cache(maxsize=_RUNS_KNOWN)
def looks_random_enough(run: str) -> bool:
    """Whether so much of a run is drawn at random that it may be a piece of a secret."""
    if _is_encoded_text(run) or is_named_path(run):
        return False
    names = _names(run)
    drawn = [part for part in names if not is_words(part)]
    has_words = sum(len(part) > 3 for part in names) > sum(len(part) > 3 for part in drawn)
    weight = sum(
        len(part)
        for part in drawn
        if not is_numbered_words(part)
        and not (has_words and len(part) <= _SHORT_HEX and _HEX.fullmatch(part))
    )
    return weight >= _LEAST or has_odd_letter_pairs(run, most=2) or is_piece_of_id(run)


@lru_cache(maxsize=_RUNS_KNOWN)
def is_named_path(run: str) -> bool:
    """Whether a run is a path or an address of names, of digests and of short ids."""
    run = _ESCAPE.sub("/", run)
    if _PATH.fullmatch(run) is None or _NAME.search(run) is not None:
        return False
    names = _names(run)
    words = sum(len(part) >= _SHORTEST_NAME and part.isalpha() and is_words(part) for part in names)
    is_whole = _ROOT.match(run) is not None
    return (words > 1 or is_whole) and not any(
        len(part) >= _IN_PATHS and not _HEX.fullmatch(part) and has_random_piece(part)
        for part in names
    )


@lru_cache(maxsize=_RUNS_KNOWN)
def is_id(run: str) -> bool:
    """Whether a run is a digest, a number or a UUID, or the beginning of one, maybe behind plain names."""
    if names_secret(run):
        return False
    parts = [part for part in _BETWEEN_IDS.split(run.strip("-.")) if part]
    return any(map(_ID.fullmatch, parts)) and all(
        _ID.fullmatch(part) or is_numbered_words(part) for part in parts
    )


def is_whole_id(run: str) -> bool:
    """Whether a run is a number, a UUID, or as long in hexadecimal as registers and digests are."""
    return _WHOLE_ID.fullmatch(run) is not None


def _names(run: str) -> list[str]:
    return [part for part in _COMPONENTS.split(_ESCAPE.sub("/", run)) if part]


def is_unjudged(row: str) -> bool:
    """Whether a row shows a name of a secret, and what a cut has left of a value, unmasked."""
    if _CUT_SIGN.search(row) is None:
        return False
    return names_secret(row) and any(
        _NOT_SECRET.search(cut["name"]) is None
        and (not is_words(cut["value"].strip(".,;")) or _NUMBERED.search(cut["value"]) is not None)
        for cut in _NAMED_CUT.finditer(row)
    )


def is_harmless(run: str, word: str = "") -> bool:
    """Whether a run says by its own form that it is no secret: a number, genes, words in another alphabet.

    word: what is around it up to the next blanks. Of a polyline or the qualities of reads signs part
    many short pieces, and hardly one is a word.
    """
    if _HARMLESS.fullmatch(run) is not None or _is_encoded_text(run.lstrip(":=")):
        return True
    if _COUNTED.search(run) is not None and _is_mangled(run):
        return True
    if len(word) < _LONG_PIECE or max(map(len, _OTHER_SIGNS.split(run))) > _LONG_PIECE:
        return False
    pieces = [piece for piece in _OTHER_SIGNS.split(word) if piece]
    longer = [piece for piece in pieces if len(piece) >= _SHORTEST_NAME]
    if len(pieces) < _MANY_PIECES or (not longer and len(pieces) < 2 * _MANY_PIECES):
        return False
    return sum(map(is_words, longer)) <= len(longer) * _FEW_WORDS


def _is_mangled(run: str) -> bool:
    """Whether some words of a run have their lengths before them, and are most of it."""
    names = [
        name[2][: int(name[1])] for name in _COUNTED.finditer(run) if int(name[1]) <= len(name[2])
    ]
    spelt = [name for name in names if is_words(name)]
    return len(spelt) > 1 and 2 * sum(len(name) + 1 for name in spelt) >= len(run)


def _is_encoded_text(run: str) -> bool:
    """Whether a run is words alone in another alphabet, maybe without its beginning: what it says was read."""
    if len(run) < _SHORTEST_CODE or _BASE64.fullmatch(run) is None:
        return False
    values = [value for value in run.split("=") if len(value) >= _LEAST]
    return bool(values) and all(
        any(_is_text(value, shift) for shift in range(8 if nth == 0 else 1))
        for nth, value in enumerate(values)
    )


def _is_text(value: str, shift: int) -> bool:
    """Whether whole groups of base64, base32 or hexadecimal encode words, from a character on."""
    for letters, size, decode in _ALPHABETS:
        code = value[shift : shift + (len(value) - shift) // size * size]
        if shift >= size or not code or letters.fullmatch(code) is None:
            continue
        try:
            text = decode(code).decode("ascii")
        except ValueError:
            continue
        if _TEXT.fullmatch(text) is not None and all(map(is_words, text.split())):
            return True
    return False
