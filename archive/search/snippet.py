"""What a search gives: hits, and the few lines of a turn that answer a query.

Apart from the search itself, so that code which only reads or writes the archive does not load it.
`excerpt` returns a short text and the ranges to highlight. Only whole tokens are marked (at a seam
of an identifier too), so `art` is not marked in `start`. Does no I/O. The text is as it was
captured: sanitise before display. Costs O(text) up to the first 200,000 characters that match.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import normalize

from dejavu.model import Role


class Hit(NamedTuple):
    """A turn that answers. `excerpt` is cut around the match, `marks` are ranges in it."""

    conversation: str
    seq: int
    role: Role
    score: float
    excerpt: str
    at: float | None
    agent: str
    marks: tuple[tuple[int, int], ...] = ()


class SearchResult(list[Hit]):
    """Hits, the best first. `behind`: conversations that could not be looked in whole.

    The index cannot always be brought up to the archive (another process writes it, the disk is
    full); what it lacks is read from the archive itself as far as that is bounded
    (`direct.MOST_TURNS`), and the rest is counted here. 0: everything was looked at. `notes`:
    sentences on what was searched for in place of what was asked. `visible`: what an agent's harness asked
    in the background was left out already.
    """

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        behind: int = 0,
        notes: Iterable[str] = (),
        *,
        visible: bool = False,
    ) -> None:
        """Hold `hits`."""
        super().__init__(hits)
        self.behind = behind
        self.notes = list(notes)
        self.visible = visible


WIDTH = 240
_LOOKED_AT = 200_000
_STEP = _LOOKED_AT - 1_000  # two windows share more than a word
_MOST = 2_000  # matches weighed for the best window


class Excerpt(NamedTuple):
    """`text` with the ranges (start, end) in it that match."""

    text: str
    marks: tuple[tuple[int, int], ...]


def cut_around(text: str, start: int, stop: int) -> tuple[str, tuple[int, int]]:
    """The text around a match, in one line, and where the match is in it."""
    low = max(0, start - WIDTH // 4)
    cut = text[low : low + max(WIDTH, min(stop, start + _LOOKED_AT) - low)].replace("\n", " ")
    return cut, (start - low, min(stop - low, len(cut)))


def excerpt(text: str, tokens: Sequence[str], prefixes: Sequence[str] = ()) -> Excerpt:
    """The window of about `WIDTH` characters that holds the most different tokens."""
    whole, text = text, text[:_LOOKED_AT]
    spans = matches(text, tokens, prefixes)
    for begin in () if spans else range(_STEP, len(whole), _STEP):
        window = whole[begin : begin + _LOOKED_AT]
        if spans := matches(window, tokens, prefixes):
            text = window
            break
    start = max(0, _best(spans) - WIDTH // 4)
    if start:  # begin with a whole word
        space = text.find(" ", start, start + 20)
        start = space + 1 if space >= 0 else start
    stop = min(len(text), start + WIDTH)
    cut = text[start:stop]
    lead = "…" if start else ""
    shown = lead + " ".join(cut.split("\n")) + ("…" if stop < len(text) else "")
    shift = len(lead) - start
    marks = tuple((a + shift, b + shift) for a, b in spans if a >= start and b <= stop)
    return Excerpt(shown, marks)


def matches(
    text: str, tokens: Sequence[str], prefixes: Sequence[str] = ()
) -> list[tuple[int, int]]:
    """The ranges of `text` where one of the tokens occurs, up to a bound."""
    if not tokens and not prefixes:
        return []
    escaped = sorted((re.escape(token) for token in {*tokens, *prefixes}), key=len, reverse=True)
    pattern = re.compile("|".join(escaped), re.IGNORECASE)
    folded_prefixes = {token.casefold() for token in prefixes}
    spans: list[tuple[int, int]] = []
    for match in pattern.finditer(_folded(text)):
        start, end = match.span()
        ends = match[0].casefold() in folded_prefixes or _edge(text, end)
        if _edge(text, start) and ends:
            spans.append((start, end))
            if len(spans) >= _MOST:
                break
    return spans


def _folded(text: str) -> str:
    """`text` without accents, each character in its place, as the index has its words."""
    if text.isascii():
        return text
    table = {
        ord(character): base[0]
        for character in set(text)
        if not character.isascii() and len(base := normalize("NFD", character)) > 1
        if base[0].isascii()
    }
    return text.translate(table)


def _edge(text: str, position: int) -> bool:
    """Whether a token may begin or end at `place`: as the tokeniser and the seams have it."""
    if position in (0, len(text)):
        return True
    left, right = text[position - 1], text[position]
    if not (left.isalnum() and right.isalnum()) or ord(right) >= 0x2E80 or ord(left) >= 0x2E80:
        return True
    if not right.isupper():
        # The last capital of a run begins a word: in `HTTPServer` the seam is before the S.
        return False
    return not left.isupper() or text[position + 1 : position + 2].islower()


def _best(spans: list[tuple[int, int]]) -> int:
    """Where the window with the most matches begins."""
    best = most = first = 0
    for last, (_, end) in enumerate(spans):
        while end - spans[first][0] > WIDTH * 3 // 4 and first < last:
            first += 1
        if last - first + 1 > most:
            best, most = spans[first][0], last - first + 1
    return best
