"""Text as the rules read it: without characters that cannot be seen or escapes, lookalikes as plain ASCII.

A zero-width space inside a key, a colour that begins in it (`grep --color`), or a Cyrillic letter
hides it from a pattern but not from the person who copies it, for what is shown and taken out has no
controls any more (`sanitise`). So does an escape that Markdown, a page or a URL shows as a sign
(`&#95;`, `%5F`). `fold_lookalikes` undoes all of these and says where each character came from.
No I/O. Cost: one pass of an expression, and of one more over text that is not ASCII; O(text) and a
second scan by the rules where one finds something.

Sources: Unicode 16 DerivedCoreProperties (Default_Ignorable_Code_Point), NFKC for letters of other
widths and styles, UTS #39 confusables for the Cyrillic and Greek letters drawn as Latin ones.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from .sanitise import DROPPED

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
    # Drawn, but as nothing that anybody would copy: accents of their own, blank braille, glyphs that
    # one font has, halves of characters.
    "\u0300-\u036f\u2800\ue000-\uf8ff\ud800-\udfff"
)
_STYLED = (
    "\u2010-\u2015\u2100-\u214f\u2460-\u24ff\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f130-\U0001f189"
)
_CONFUSABLES = dict(
    zip(
        "АВЕЅІЈКМНОРСТХУЗабсԁеһіјкӏоорԛѕхуԝгпΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρικτυχ",
        "ABESIJKMHOPCTXY3a6cdehijkloopqsxywrnABEZHIKMNOPTYXoavpiktux",
        strict=True,
    )
) | dict.fromkeys("‐‑‒–—―−", "-")
_NOT_DRAWN = frozenset(("Cf", "Mn", "Cn", "Co", "Cs"))
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_SUSPECT = re.compile(f"[{_INVISIBLE}{_STYLED}{''.join(_CONFUSABLES)}−]")


# What Markdown, HTML, JSON and URLs write for a sign between letters, and HTML for any character.
_ESCAPED = re.compile(  # each form begins with a character that it consumes, which is faster
    r"\\(?<=[A-Za-z0-9]\\)(?P<sign>[_-])(?=[A-Za-z0-9*\\])"
    r"|&(?:(?P<named>lowbar|UnderBar|hyphen)|#(?:(?P<d>[0-9]{2,3})|[xX](?P<x>[0-9a-fA-F]{2})));"
    r"|\\(?<=[A-Za-z0-9]\\)\\?u00(?P<u>5[fF]|2[dD])(?=[A-Za-z0-9])|%(?<=[A-Za-z0-9]%)(?P<p>5[fF]|2[dD])(?=[A-Za-z0-9])"
)
_ESCAPES = (
    "\\_",
    "\\-",
    "&#",
    "&lowbar;",
    "&UnderBar;",
    "&hyphen;",
    "\\u005",
    "\\u002",
    "%5F",
    "%5f",
    "%2D",
    "%2d",
)
_NAMED = {"lowbar": "_", "UnderBar": "_", "hyphen": "-"}
_BEFORE, _BEHIND = 160, 1024  # characters of a line around an escape that are read


def escape_at(text: str, at: int) -> int:
    """Return where the character ends that is written at a place, as an escape or as it is."""
    escape = _ESCAPED.match(text, at)
    return at + 1 if escape is None else escape.end()


def unescaped_parts(text: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the lines of a text that have such escapes, without them, and each character's offset."""
    if not any(escape in text for escape in _ESCAPES):
        return
    end = 0
    for escape in _ESCAPED.finditer(text):
        if escape.start() < end:
            continue
        start = max(end, escape.start() - _BEFORE, text.rfind("\n", end, escape.start()) + 1)
        end = text.find("\n", escape.end(), escape.end() + _BEHIND)
        end = min(len(text), escape.end() + _BEHIND) if end < 0 else end
        yield _unescaped(text, start, end)


def _unescaped(text: str, start: int, end: int) -> tuple[str, list[int]]:
    letters: list[str] = []
    offsets: list[int] = []
    position = start
    for escape in _ESCAPED.finditer(text, start, end):
        kind = escape.lastgroup or ""
        value = escape[kind]
        char = value if kind == "sign" else _NAMED.get(value)
        if char is None:
            char = chr(int(value, 10 if kind == "d" else 16))
        letters += (text[position : escape.start()], char)
        offsets += (*range(position, escape.start()), escape.start())
        position = escape.end()
    return "".join([*letters, text[position:end]]), [*offsets, *range(position, end)]


@cache
def _ascii_of(char: str) -> str:
    """The one ASCII character that `char` is drawn as; "" if it is not drawn; else itself."""
    if char in _CONFUSABLES:
        return _CONFUSABLES[char]
    if unicodedata.category(char) in _NOT_DRAWN or char in "\u115f\u1160\u2800\u3164\uffa0":
        return ""
    folded = unicodedata.normalize("NFKC", char)
    return folded if len(folded) == 1 and folded.isascii() else char


def fold_lookalikes(text: str) -> tuple[str, list[int]] | None:
    """Return the text as the rules read it, and each character's offset; None if it is the same."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return None  # three times as fast as the search
    has_controls = _CONTROL.search(text) is not None
    if not has_controls and (text.isascii() or _SUSPECT.search(text) is None):
        return None
    offsets: list[int] = []
    letters: list[str] = []
    position = 0
    for dropped in DROPPED.finditer(text) if has_controls else ():
        if dropped.start() > position:
            _read(text, position, dropped.start(), letters, offsets)
        position = dropped.end()
    _read(text, position, len(text), letters, offsets)
    return "".join(letters), offsets


def _read(text: str, start: int, end: int, letters: list[str], offsets: list[int]) -> None:
    """Append what a part of a text is drawn as."""
    part = text[start:end]
    if part.isascii():
        letters.append(part)
        offsets += range(start, end)
        return
    position = start
    for suspect in _SUSPECT.finditer(text, start, end):
        at = suspect.start()
        letters.append(text[position:at])
        offsets += range(position, at)
        if letter := _ascii_of(suspect[0]):
            letters.append(letter)
            offsets.append(at)
        position = at + 1
    letters.append(text[position:end])
    offsets += range(position, end)
