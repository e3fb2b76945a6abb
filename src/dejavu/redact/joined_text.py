"""Texts made of runs of screen rows, or of lines, which know the place of each of their characters.

`JoinedText` joins rows: appending is O(1) a run, looking up a finding O(log runs + rows it covers). `uncut`
joins the lines around a place where line ends may have cut a token: such a line ends with a token's
character, and the next begins with a run that is no word. Whether it is a secret the rules say: O(1). No I/O.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .random_runs import has_odd_letter_pairs, has_random_piece, is_numbered_words, is_words

__all__ = [
    "NO_JOINTS",
    "Evidence",
    "JoinedText",
    "Joints",
    "LineText",
    "PartText",
    "Span",
    "Uncut",
    "may_go_on",
    "uncut",
]

_LONGEST = 512  # characters of a token in one line
_LINES = 10  # over which a token is followed
_BEFORE = 160  # characters before a place in the same line
_SHORTEST = 6  # characters behind a line end that are told from a word
_NEXT = re.compile(
    rf"(?<=[A-Za-z0-9+/_=.~$:-])\r?\n[ \t]{{0,16}}(?P<run>[A-Za-z0-9+/_.~:$-]{{1,{_LONGEST}}}+(?<!:)={{0,3}})"
    r"(?=[\s\"'`,;)\]}<\\&@]|\Z)"
)
_DIGEST = re.compile("[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}")
_TIME = re.compile(r"[0-9]{2,4}[-:][0-9]{2}[-:][0-9]{2}")
_LAST = re.compile(rf"[A-Za-z0-9+/_=.~:$-]{{1,{_LONGEST}}}(?=\r?\n\Z)")
_ALONE = re.compile(r"[;&]|[\"'`]?[ \t]{0,16}(?:\r?\n|\Z)")
_QUOTE = re.compile(r"\\{0,3}([\"'`])")


class Span(NamedTuple):
    """A run of characters in one row: `row`, and `start` to `end` in its text."""

    row: int
    start: int
    end: int


class Evidence(IntEnum):
    """What says that the row below a joint continues the one above."""

    NONE = 0
    LIKELY = 1  # the row is full, or breaks where programs break words
    CERTAIN = 2  # the terminal itself wrapped


class Joints(NamedTuple):
    """Where rows were joined without a blank: offsets in order, and the evidence for each."""

    offsets: Sequence[int] = ()
    evidence: Sequence[Evidence] = ()

    def within(self, base: int, length: int) -> "Joints":
        """Return the joints inside a piece of the text, as offsets from its start."""
        if not self.offsets:
            return NO_JOINTS
        low, high = bisect_right(self.offsets, base), bisect_left(self.offsets, base + length)
        return Joints([at - base for at in self.offsets[low:high]], self.evidence[low:high])

    def moved(self, offsets: Sequence[int]) -> "Joints":
        """Return the joints in a text that holds only the characters at `offsets` of this one."""
        return Joints([bisect_left(offsets, at) for at in self.offsets], self.evidence)


NO_JOINTS = Joints()


class JoinedText:
    """A text made of runs of rows that maps back to them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._whole: str | None = None
        self._starts: list[int] = []
        self._runs: list[Span] = []
        self._length = 0
        self._offsets: list[int] = []
        self._evidence: list[Evidence] = []

    def add(
        self, run: Span, text: str, separator: str = "\n", evidence: Evidence = Evidence.NONE
    ) -> None:
        """Append a run behind the one before; `evidence` counts where `separator` is empty."""
        self._whole = None
        if self._runs and separator:
            self._parts.append(separator)
            self._length += len(separator)
        elif self._runs:
            self._offsets.append(self._length)
            self._evidence.append(evidence)
        self._starts.append(self._length)
        self._runs.append(run)
        self._parts.append(text)
        self._length += len(text)

    @property
    def joints(self) -> Joints:
        """Where runs were joined."""
        return Joints(self._offsets, self._evidence) if self._offsets else NO_JOINTS

    @property
    def text(self) -> str:
        """All runs, joined or apart."""
        if self._whole is None:  # it is read more than once
            self._whole = "".join(self._parts)
        return self._whole

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where the characters `[start, end)` of the text stand, row by row."""
        spans: list[Span] = []
        index = max(bisect_right(self._starts, start) - 1, 0)
        while index < len(self._runs) and self._starts[index] < end:
            run, offset = self._runs[index], self._starts[index]
            left = run.start + max(start - offset, 0)
            right = min(run.start + end - offset, run.end)
            if left < right:
                spans.append(Span(run.row, left, right))
            index += 1
        return spans


class LineText(JoinedText):
    """A text made of lines, each of which the terminal had broken over rows."""

    def __init__(
        self, text: JoinedText, lines: Sequence[Sequence[Span]], lengths: Sequence[int]
    ) -> None:
        """`lines`: of every line the rows it covers, end to end, with the blanks they ended with.

        lengths: of every row without those.
        """
        super().__init__()
        self._of_lines, self._lines, self._lengths = text, lines, lengths

    @property
    def joints(self) -> Joints:
        """Where lines were joined."""
        return self._of_lines.joints

    @property
    def text(self) -> str:
        """All runs, joined or apart."""
        return self._of_lines.text

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where characters of the text stand, row by row of the screen."""
        spans: list[Span] = []
        for span in self._of_lines.spans(start, end):
            offset = 0
            for row in self._lines[span.row]:
                width = row.end - row.start
                left = max(span.start - offset, 0)
                right = min(span.end - offset, width, self._lengths[row.row])
                if left < right:
                    spans.append(Span(row.row, left, right))
                offset += width
        return spans


class PartText(JoinedText):
    """A text made of some of the rows, from row `first` on."""

    def __init__(self, text: JoinedText, first: int) -> None:
        super().__init__()
        self._of_part, self._first = text, first

    @property
    def joints(self) -> Joints:
        """Where rows were joined."""
        return self._of_part.joints

    @property
    def text(self) -> str:
        """All runs, joined or apart."""
        return self._of_part.text

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where characters of the text stand, row by row of the screen."""
        return [
            span._replace(row=span.row + self._first) for span in self._of_part.spans(start, end)
        ]


class Uncut(NamedTuple):
    """A part of a text without the line ends in it that may have cut a token."""

    text: str
    at: int
    """Where in it the place is that was asked for."""
    cuts: list[int]
    """Offsets of what was behind a line end, in order."""
    offsets: list[int]
    """What to add to an offset in it for the place in the text, before and behind each cut."""

    def place(self, at: int) -> int:
        """Return where in the text a character of this one is."""
        return at + self.offsets[bisect_right(self.cuts, at)]

    def ends(self) -> Iterator[int]:
        """Yield where the text may end: as a whole, and where a line ended, the last first."""
        yield len(self.text)
        yield from (cut for cut in reversed(self.cuts[1:]) if cut > self.at)

    def is_cut(self, start: int, end: int, *, strictly: bool) -> bool:
        """Whether line ends were inside, and what is behind each is no word.

        strictly: it looks drawn at random, and is no digest and no time.
        """
        inside = [cut for cut in self.cuts if start < cut < end]
        rests = [self.text[a:b] for a, b in pairwise([*inside, end])]
        return bool(rests) and all(map(_is_random if strictly else _is_no_word, rests))

    def is_ended(self, end: int) -> bool:
        """Whether what ends here ends with its line or setting, or with the quote that was opened before it."""
        if _ALONE.match(self.text, end):
            return True
        quote = _QUOTE.match(self.text, end)
        return quote is not None and self.text.count(quote[1], 0, end) % 2 == 1


def uncut(text: str, at: int, before: int) -> Uncut | None:
    """Return the text around `at`, joined over the line ends that may have cut a token.

    before: characters before `at` that may be of the token. None where no line end may have cut it.
    """
    parts: list[str] = []
    starts: list[int] = []
    start = max(0, at - max(before, _BEFORE))
    line = text.rfind("\n", start, at)
    run = _next(text, line) if line >= max(0, at - before) else None
    if run is not None and run.start("run") <= at <= run.end("run"):
        first = text.rfind("\n", start, line) + 1
        parts.append(text[max(first, start) : run.start()])
        starts.append(max(first, start))
        start = run.start("run")
    elif line >= 0:
        start = line + 1
    end = at
    for _ in range(_LINES):
        line = text.find("\n", end, end + _LONGEST)
        run = _next(text, line) if line >= 0 else None
        if run is None:
            break
        parts.append(text[start : run.start()])
        starts.append(start)
        start = end = run.start("run")
    if not parts:
        return None
    last = text.find("\n", end, end + _LONGEST)
    parts.append(text[start : last + 1 if last >= 0 else end + _LONGEST])
    starts.append(start)
    cuts: list[int] = []
    for part in parts[:-1]:
        cuts.append((cuts[-1] if cuts else 0) + len(part))
    offsets = [first - cut for first, cut in zip(starts, [0, *cuts], strict=True)]
    return Uncut("".join(parts), at - offsets[bisect_right(starts, at) - 1], cuts, offsets)


def may_go_on(line: str) -> bool:
    """Whether a line ends with what a line end may have cut."""
    last = _LAST.search(line, max(0, len(line) - _LONGEST))
    return last is not None and _is_no_word(last[0])


def _next(text: str, line: int) -> re.Match[str] | None:
    """Return the line end at `line` and the run behind it that may be the rest of a token."""
    if text[line - 1 : line] == "\r":
        line -= 1
    run = _NEXT.match(text, line)
    return run if run is not None and _is_no_word(run["run"]) else None


@lru_cache(maxsize=1024)  # a line is looked at from each anchor before it
def _is_no_word(run: str) -> bool:
    return not is_words(run) or has_odd_letter_pairs(run)


def _is_random(run: str) -> bool:
    if len(run) < _SHORTEST or _DIGEST.fullmatch(run) or _TIME.match(run):
        return False
    return has_random_piece(run) and not is_numbered_words(run)
