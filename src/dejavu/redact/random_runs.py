"""What a run of characters looks like: spelt, as words, names and paths are, or drawn at random.

No I/O. Cost: linear in the run.

Tested in: tests/redact/test_cut_runs.py
"""

import re
from itertools import pairwise

__all__ = [
    "has_high_entropy",
    "has_odd_letter_pairs",
    "has_random_piece",
    "is_file_name",
    "is_hexadecimal",
    "is_numbered_words",
    "is_of_initials",
    "is_of_names",
    "is_piece_of_id",
    "is_words",
    "looks_random",
    "may_be_secret",
]

_SHORTEST = 10
_LICENCE = re.compile(r"(?=[^0-9]*[0-9])(?:[A-Z0-9]*-)*[A-Z0-9]{5,}-[A-Z0-9]{4,}(?:-[A-Z0-9]*)*")
_SHORTEST_PIECE = 5  # between two signs of a run
# Numbers that ids in tokens are made of; and groups of a UUID, which words in hexadecimal are not.
_LONG_NUMBER = re.compile(r"[0-9]{9}|(?<![0-9/])[0-9]/[0-9]{6}")
_UUID_PIECE = re.compile(
    r"(?<![0-9a-zA-Z])(?:[0-9a-f]{8}-[0-9a-f]{1,4}"
    r"|[0-9a-f]{1,12}-[0-9a-f]{4}-[0-9a-f]{1,12})(?![0-9a-zA-Z])"
)
_CAMEL_NUMBER = re.compile(r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,})[0-9]{1,3}(?:[A-Z]?[a-z]{2,}+)+")
_INNER_DIGIT = re.compile(r"[A-Za-z][0-9]{1,4}[A-Za-z]")
_PIECES = re.compile(r"[-_./:@+=#?%~^,$]+")
# A word of code or prose, capitalised, in camel case, with a small number at its end; or a number.
# Letters that can be spoken: a vowel in every hump of three and more.
_HUMP = r"(?=[A-Z]?[b-df-hj-np-tv-xz]{0,4}[aeiouy])[A-Z]?[a-z]{2,}+"
_WORD = re.compile(
    rf"(?:{_HUMP}(?:{_HUMP})*[A-Z]?|(?=[A-Z]{{0,4}}[AEIOUY])[A-Z]{{3,}}|[A-Za-z][a-z]?|[A-Z]{{2,4}})?[0-9]{{0,2}}"
    r"|[0-9]{1,20}"
)
# Short names with numbers in them: cp1252, iso8859, pep492, lib2to3, x86.
_NUMBERED = re.compile(
    r"(?:[a-z]{1,6}|[A-Z]{1,6}|[A-Z][a-z]{1,5})[0-9]{1,4}|[a-z]{2,6}[24][a-z]{2,6}[0-9]?"
)

_MANY = 12  # digits of an id, and of a rest in hexadecimal
_LETTERS = re.compile("[a-z]+")
# What follows each letter in at least 8 of 10,000 pairs: of the 13,213 words in the names and comments
# of Python's standard library 1 % are unspeakable by it, of 12 letters drawn at random 96 %.
_USUAL = {
    "a": "abcdgiklmnprstuvy", "b": "aeilorsuy", "c": "acehiklorstu", "d": "adeilorstu",
    "e": "abcdefgilmnpqrstvwxy", "f": "aefilorstu", "g": "aehilnrsu", "h": "aeiot",
    "i": "abcdefglmnoprstvxz", "j": "", "k": "eis", "l": "adeilostuy", "m": "abeimopsu",
    "n": "acdefgiklnostuv", "o": "bcdfgiklmnoprstuvw", "p": "aeiloprstuy", "q": "u",
    "r": "acdegilmnoprstuy", "s": "acehiklopstuy", "t": "acdefhilmoprstuy", "u": "abcefilmnprst",
    "v": "aei", "w": "aeiors", "x": "ept", "y": "pst", "z": "e",
}  # fmt: skip
_ODD_PAIRS = 3
_PROGRAM_WORDS = frozenset(
    (
        "access", "aio", "api", "app", "audit", "cal", "cio", "cog", "console", "dev", "dose", "dub",
        "hawk", "ico", "ion", "jina", "key", "lip", "live", "mob", "oauth", "org", "pat", "polar",
        "private", "prod", "pul", "ref", "retool", "rootly", "rpa", "rubygems", "sandbox", "sat",
        "sec", "secret", "ser", "sess", "snyk", "sub", "test", "tid", "tok", "token", "unkey", "user",
        "waka", "wandb",
    )
)  # fmt: skip
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SHORT_HUMP = 2.3  # characters on average: of names three and more, of what is drawn under two
_DRAWN = 12  # characters that show how long their humps are
# A path with an extension, and what its names may be besides words: msvc9compiler, cElementTree, coding20731.
_FILE = re.compile(
    r"(?P<path>(?:[\w.@~-]*/)+[\w-]+(?:\.[a-z]{2,5}){1,2})(?::[0-9]{1,6}){0,2}:?", re.ASCII
)
_NAME = re.compile(r"[a-z]{2,24}[0-9]{0,5}(?:[a-z]{2,16})?|[a-z]?(?:[A-Z][a-z]{2,15})+[0-9]{0,4}")


def is_words(run: str) -> bool:
    """Whether a run of characters is spelt, as words, names, numbers and paths are."""
    return all(_WORD.fullmatch(piece) for piece in _PIECES.split(run)) or is_file_name(run)


def is_of_names(prefix: str) -> bool:
    """Whether a token's prefix is made of words that names in programs begin with, too."""
    pieces = re.findall("[A-Za-z]{3,}", prefix)
    return all(piece.lower() in _PROGRAM_WORDS for piece in pieces)


def is_of_initials(prefix: str) -> bool:
    """Whether a token's prefix is two abbreviations and more, as no name in programs begins."""
    pieces = re.findall("[A-Za-z]+", prefix)
    return prefix[-1] in "-_." and len(pieces) > 1 and {len(piece) for piece in pieces} == {2}


def is_numbered_words(run: str) -> bool:
    """Whether a run is words and names with numbers in them: lib2to3, test_x86."""
    return all(
        any(pattern.fullmatch(piece) for pattern in (_WORD, _NUMBERED, _CAMEL_NUMBER))
        for piece in _PIECES.split(run)
    )


def has_odd_letter_pairs(run: str, most: int = 3) -> bool:
    """Whether one of `most` letters, and three, follow others as they hardly do in words."""
    pairs = [pair for piece in _LETTERS.findall(run.lower()) for pair in pairwise(piece)]
    odd = sum(after not in _USUAL[before] for before, after in pairs)
    return odd >= _ODD_PAIRS and odd * most >= len(pairs)


def is_file_name(run: str) -> bool:
    """Whether a run is the path of a file: folders, a name in letters, and its extension."""
    path = _FILE.fullmatch(run)
    return path is not None and all(
        _NAME.fullmatch(piece) or _WORD.fullmatch(piece) or _CAMEL_NUMBER.fullmatch(piece)
        for piece in _PIECES.split(path["path"])
    )


def is_hexadecimal(run: str) -> bool:
    """Whether a run is digits in hexadecimal, as most digests and ids are."""
    return _HEX.fullmatch(run) is not None


def has_high_entropy(run: str) -> bool:
    """Whether a run of ten characters or more has a piece that looks drawn at random."""
    if len(run) < _SHORTEST:
        return False
    if is_file_name(run):
        return False
    return has_random_piece(run) or _LICENCE.fullmatch(run) is not None


def has_random_piece(run: str) -> bool:
    """Whether a run of any length has a piece that looks drawn at random."""
    return any(map(_is_random, _PIECES.split(run)))


def may_be_secret(run: str) -> bool:
    """Whether a run next to a cut may be a piece of a secret: also an id in numbers, or of a UUID."""
    if has_high_entropy(run):
        return True
    if len(run) < _SHORTEST or is_file_name(run):
        return False
    if run.isalnum() and has_odd_letter_pairs(run, most=2):
        return True
    if sum(sum(map(str.isdigit, piece)) for piece in _PIECES.split(run) if len(piece) > 5) >= _MANY:
        return True
    return is_piece_of_id(run)


def is_piece_of_id(run: str) -> bool:
    """Whether a run has a long number, or groups of a UUID."""
    return _LONG_NUMBER.search(run) is not None or any(
        not group[0].replace("-", "").isdecimal() and not group[0].replace("-", "").isalpha()
        for group in _UUID_PIECE.finditer(run)
    )


def _is_random(piece: str) -> bool:
    if len(piece) < _SHORTEST_PIECE or len(set(piece)) < 4 or _WORD.fullmatch(piece):
        return False
    if len(piece) >= _SHORTEST:
        return True
    if _NUMBERED.fullmatch(piece):
        return False
    digits, letters = sum(map(str.isdigit, piece)), sum(map(str.isalpha, piece))
    changes = sum(a.islower() != b.islower() for a, b in pairwise(piece))
    has_inner_digit = _INNER_DIGIT.search(piece) is not None
    if len(piece) == _SHORTEST_PIECE:
        return has_inner_digit or changes >= 3
    if has_inner_digit and not _CAMEL_NUMBER.fullmatch(piece):
        return any(map(str.isupper, piece)) or (digits >= 2 and letters >= 2)
    return (digits >= 2 and letters >= 2) or changes * 3 >= len(piece)


def looks_random(run: str) -> bool:
    """Whether a run changes between capitals, small letters and digits as only what is drawn does.

    What is hexadecimal is not looked at: most of that are digests and ids.
    """
    text = "".join(piece for piece in _PIECES.split(run) if not _HEX.fullmatch(piece))
    return len(text) >= _DRAWN and len(text) <= len(_HUMPS.findall(text)) * _SHORT_HUMP
