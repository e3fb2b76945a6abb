"""What may be left of a secret beside a place where rows are missing, and what it looks like.

Rows that scrolled off unseen, that an agent folded ("… +12 lines") or cut short with an ellipsis take
a part of a secret with them; the rest matches no rule. `cut_runs` finds the runs of characters beside
such a place that look drawn at random. No I/O. Cost: linear in the rows.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from .cut_neighbours import (
    BARS,
    RUN,
    above_runs,
    below_runs,
    broken_in_cells,
    broken_prefixes,
    is_broken,
    is_spelt,
    row_end,
)
from .joined_text import Span
from .marks import MARKED
from .program_cuts import is_chopped, program_cuts
from .program_readings import is_dump_row
from .public_values import private_spans, public_spans
from .random_runs import (
    has_random_piece,
    is_dense,
    is_drawn,
    is_unspeakable,
    is_words,
    may_be_secret,
)
from .row_readings import Content, contents, unframed

__all__ = ["RowFacts", "RunKinds", "cut_runs"]

_HEAD = re.compile(rf"{RUN}+")
_LONG = re.compile(rf"{RUN}{{10,}}")
_BEHIND_MARK = re.compile(r"(?<=[\U000f0000-\U0010ffff])[A-Za-z0-9+/_-]{4,}+")
_AT_EDGE = re.compile(rf"({RUN}{{10,}}) ?(?=\x1f)")  # a cell without room for more
_SIGNED = r"""[^\s"'`(){}\[\]/\\|\x1f]{8,64}"""
_PASSWORDS = re.compile(
    rf"""(?<=["']){_SIGNED}(?=["']|\s*$)|(?<![^\s\x1f]){_SIGNED}(?![^\s\x1f])"""
)
_OF_A_PASSWORD = [re.compile(kind) for kind in ("[a-z]", "[A-Z]", "[0-9]", "[!#$%^&*?]")]
_ELLIPSIS = re.compile(rf"((?:(?!\.\.\.){RUN})*+)(?:…|⋯|\.\.\.|\[\.\.\.?\])({RUN}*)")
_DOTS = re.compile(r"…|⋯|\.\.\.")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_PEM_END = re.compile(
    r"-----END(?: [A-Z ]*(?:PRIVATE KEY-{1,5})?)?$|-----END [A-Z ]*PRIVATE KEY-----"
)
_FOLD = re.compile(
    r"^[^\w]*(?:…|\.{3}|⋯|\[|\(|\+|-{2,}|▸|▶|✂)?.{0,24}?"
    r"(?:\b\d+ (?:more |hidden |earlier |previous )?(?:lines?|rows?|chars?|characters?|bytes)\b"
    r"|\+\d+ lines?\b|\b(?:truncated|omitted|snipp?ed|hidden|collapsed)\b)",
    re.IGNORECASE,
)
_FOLD_WORDS = (
    "line", "row", "char", "bytes", "truncated", "omitted", "snip", "hidden", "collapsed",
)  # fmt: skip
_FOLD_LENGTH = 100  # a row that stands for others is short
_SHORTEST = 10
_MOST_ROWS = 64  # that a run is followed over: rows of nothing else would cost their square
_KEY_ROWS = 8  # that a licence key may be broken over
_LONGEST_PREFIX = 64  # characters by which a known kind of secret begins
_MARGIN = 10  # columns that agents leave free at the right, or fill with borders and indents
_DIGEST = re.compile(
    r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})"
)
_BORDER = 3  # columns of a border at the right, with the blank before it
_KEY_LINE = 16  # characters from which a line may be one of a key's body


class RunKinds(Protocol):
    """What runs of characters look like to those who know how secrets begin."""

    def begins(self, run: str) -> bool:
        """Whether a run begins as a known kind of secret does."""
        ...

    def token(self, row: str, start: int, end: int) -> re.Match[str] | None:
        """Return the beginning of a token that nothing else looks like, in a part of a row."""
        ...

    def is_prefixed(self, run: str) -> bool:
        """Whether a run beside a cut begins as tokens do, and goes on as words do not."""
        ...

    def is_begun(self, run: str) -> bool:
        """The same, and as names do not go on, either."""
        ...


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What is known of a block's rows.

    cut_above, cut_below: rows before the first or behind the last were never seen. suspect: per row,
    whether something inside it or at its end may be missing. ends: per row, whether its block ends
    there. widths: per row, the columns it was drawn for.
    """

    cut_above: bool = False
    cut_below: bool = False
    suspect: Sequence[bool] = ()
    ends: Sequence[bool] = ()
    widths: Sequence[int] = ()


def cut_runs(rows: Sequence[str], kinds: RunKinds, facts: RowFacts) -> list[Span]:
    """Return the runs that may be what is left of a secret whose rest was not captured.

    Besides rows that were not seen, these are cuts: rows that stand for others, ellipses and other
    marks of programs, a key's body without its first line, a token that ends with its row before any
    rule knows it. A run that fills the last row of a block, or begins as a secret does, may have gone
    on. A run over full rows that begins with one has lost its beginning. Public values are none.
    """
    return _CutRuns(rows, kinds, facts).spans()


class _CutRuns:
    """The cuts in rows, and what stands next to them."""

    def __init__(self, rows: Sequence[str], kinds: RunKinds, facts: RowFacts) -> None:
        self.rows, self.kinds, self.facts = rows, kinds, facts
        self.bare = bare = unframed(rows)
        self.texts = texts = contents(bare)
        self.filled = [number for number, (start, end) in enumerate(texts) if start < end]
        self.doubtful = self._marked(facts.suspect) | {
            number for number in self.filled if is_chopped(rows[number], texts[number].start)
        }
        self.last_rows = self._marked(facts.ends)
        self.is_full = [*map(_is_full, rows, texts, facts.widths)]
        self.tails = {number: row_end(bare, texts[number], number) for number in self.filled}
        self.found: set[Span] = set()
        self.harmless: set[int] = set()  # rows that were followed from below for nothing
        self.public: dict[int, list[tuple[int, int]]] | None = None

    def spans(self) -> list[Span]:
        """Return them in order."""
        bare, texts, filled, begins = self.bare, self.texts, self.filled, self.kinds.begins
        # From the last row up: a run that was followed from below is not followed once more.
        for place in range(len(filled) - 1, -1, -1):
            self._around(place)
        self.found.update(_headless_keys(bare, texts))
        cut_rows = self.doubtful | self.last_rows
        self._add(broken_in_cells(bare, texts, filled, cut_rows, begins))
        self._add(broken_prefixes(bare, texts, filled, begins))
        self._add(above_runs(bare, texts, filled, frozenset(self.found), begins))
        self._add(below_runs(self.rows, bare, texts, filled, self.found))
        return sorted(self.found)

    def _marked(self, flags: Sequence[bool]) -> set[int]:
        return {number for number in self.filled if number < len(flags) and flags[number]}

    def _add(self, spans: Iterable[Span]) -> None:
        """Take the spans that are not public."""
        if spans := [*spans]:
            if self.public is None:
                self.public = public_spans(self.bare, self.texts)
            private = private_spans(spans, self.public, self.bare)
            if len(private) < len(spans):  # what stands with a public value is judged alone
                private = [span for span in private if may_be_secret(_joined(self.bare, [span]))]
            self.found.update(private)

    def _around(self, place: int) -> None:
        """Take what stands beside the cuts at one row."""
        number, filled = self.filled[place], self.filled
        above = filled[place - 1] if place else None
        below = filled[place + 1] if place + 1 < len(filled) else None
        at_top = above is None and self.facts.cut_above
        at_end = below is None and self.facts.cut_below
        down = filled[place : place + _MOST_ROWS]
        if at_top or (above is not None and (above in self.doubtful or _is_fold(self.bare[above]))):
            self._add(self._from_above(down))
        is_cut = (
            at_end or number in self.doubtful or (below is not None and _is_fold(self.bare[below]))
        )
        if is_cut or number in self.last_rows or self._ends_full(number, below):
            self._add(self._to_below(place, is_cut=is_cut))
        if at_top or at_end or number in self.doubtful:
            self._add(_pieces(self.bare[number], number, self._is_piece))
            self._add(_going_on(self.bare, self.texts, down))
        self._add(self._inside(number))
        if _begins_full(self.bare, self.texts, number, above, self.is_full):
            self._add(_without_digest(self.bare, _run_down(self.bare, self.texts, down)))
        if (start := self.kinds.token(self.bare[number], *self.texts[number])) is not None:
            self._add(_unfinished(self.bare, self.texts, down, start.start()))

    def _ends_full(self, number: int, below: int | None) -> bool:
        """Whether a run goes up to the width, and nothing below goes on with it: it was cut there."""
        tail = self.tails[number]
        if tail is None or below is None or not self.is_full[number]:
            return False
        head = _HEAD.match(self.bare[below], *self.texts[below])
        run = _joined(self.bare, [tail])
        if head is not None and (head.end() - head.start() > len(run) or not is_words(head[0])):
            return False
        return self.kinds.begins(run) or is_drawn(run)

    def _from_above(self, down: Sequence[int]) -> list[Span]:
        """Return the random run that a row begins with; rows of names that do not fill it are none."""
        spans = _run_down(self.bare, self.texts, down)
        return spans if spans and self._may_go_on(spans, spans[0].row) else []

    def _may_go_on(self, spans: Sequence[Span], number: int) -> bool:
        """Whether rows may be one run: of names that do not fill row `number` each is its own."""
        parts = [_joined(self.bare, [span]) for span in spans]
        if len(spans) < 2 or any(map(may_be_secret, parts)) or any(map(has_random_piece, parts)):
            return True
        return (
            self.is_full[number]
            or is_unspeakable("".join(parts))
            or any(map(self._is_prefix, parts))
        )

    def _to_below(self, place: int, *, is_cut: bool) -> list[Span]:
        """Return the run that ends with a row behind which something may be missing."""
        number = self.filled[place]
        if number in self.harmless or self.tails[number] in self.found:
            return []
        rows_up = self.filled[max(0, place - _MOST_ROWS + 1) : place + 1][::-1]
        tails = [self.tails[row] for row in rows_up]
        may_begin = self._is_prefix if is_cut else self._is_beginning
        rest, followed = _run_up(self.bare, self.texts, tails, may_begin)
        if not rest:
            self.harmless.update(followed)
            return []
        run = _joined(self.bare, rest[::-1])
        if not self._may_go_on(rest, number):
            return []
        if (
            is_cut
            or self.is_full[number]
            or self.kinds.begins(run)
            or any(is_drawn(_joined(self.bare, [part])) for part in rest)
            or is_drawn(run)
        ):
            return rest
        self.harmless.update(followed)
        return []

    def _inside(self, number: int) -> Iterator[Span]:
        """Yield what stands beside the marks in a row."""
        row, bare = self.rows[number], self.bare[number]
        for run in _AT_EDGE.finditer(bare) if number in self.last_rows else ():
            if row[run.end()] not in BARS and (may_be_secret(run[1]) or self._is_beginning(run[1])):
                yield Span(number, *run.span(1))
        for match in _ELLIPSIS.finditer(bare) if _DOTS.search(bare) else ():
            sides = [side for side in (1, 2) if is_dense(match[side])]
            yield from (Span(number, *match.span(side)) for side in sides)
        for behind in _BEHIND_MARK.finditer(bare):
            if not is_words(behind[0]):
                yield Span(number, *behind.span())
        for start, end in () if is_dump_row(row) else program_cuts(row, self._is_beginning):
            yield Span(number, start, end)
            yield from self._neighbours(Span(number, start, end))

    def _neighbours(self, span: Span) -> Iterator[Span]:
        """Yield what a run at an edge of its row goes on as in the next row, and came from."""
        place = bisect_left(self.filled, span.row)
        text = self.texts[span.row]
        if span.end >= text.end and place + 1 < len(self.filled):
            below = self.filled[place + 1]
            head = _HEAD.match(self.bare[below], *self.texts[below])
            if head is not None and not is_words(_joined(self.bare, [span]) + head[0]):
                yield Span(below, *head.span())
        if span.start <= text.start and place:
            tail = self.tails[self.filled[place - 1]]
            if tail is not None and not is_words(_joined(self.bare, [tail])):
                yield tail

    def _is_piece(self, run: str) -> bool:
        is_long = len(run) >= _SHORTEST and self.kinds.begins(run)
        return may_be_secret(run) or self.kinds.is_prefixed(run) or is_long

    def _is_beginning(self, run: str) -> bool:
        return self.kinds.begins(run) or self.kinds.is_begun(run)

    def _is_prefix(self, run: str) -> bool:
        return self.kinds.begins(run) or self.kinds.is_prefixed(run)


def _pieces(bare: str, number: int, is_piece: Callable[[str], bool]) -> Iterator[Span]:
    """Yield the long runs of a row that are a piece of a secret, and passwords with signs in them."""
    for run in _LONG.finditer(bare):
        if is_piece(run[0]):
            yield Span(number, *run.span())
    for run in _PASSWORDS.finditer(bare):
        kinds = [kind.search(run[0]) is not None for kind in _OF_A_PASSWORD]
        is_open = run.end() == len(bare.rstrip()) and bare[: run.start()].endswith(("'", '"'))
        if kinds[-1] and sum(kinds) >= len(kinds) - is_open:  # the rest may hold the other kind
            yield Span(number, *run.span())


def _begins_full(
    bare: Sequence[str],
    texts: Sequence[Content],
    number: int,
    above: int | None,
    is_full: Sequence[bool],
) -> bool:
    """Whether a row is one random run from edge to edge that does not come from the row above.

    Agents that lay text out anew lose what stood at the old edge, and nothing shows it.
    """
    start, end = texts[number]
    head = _HEAD.match(bare[number], start, end)
    if head is None or head.end() < end or not is_full[number]:
        return False
    if above is not None and is_full[above]:
        return False
    return is_dense(head[0])


def _without_digest(bare: Sequence[str], spans: list[Span]) -> list[Span]:
    """Return the spans of a run, none if it is as long as a digest in hexadecimal."""
    run = "".join(bare[span.row][span.start : span.end] for span in spans)
    return [] if _DIGEST.fullmatch(run) else spans


def _is_full(row: str, content: Content, columns: int) -> bool:
    """Whether the text of a row goes up to the width, or to the border of a box."""
    end = len(row.rstrip())
    return content.end + _MARGIN >= columns or content.end < end <= content.end + _BORDER


def _unfinished(
    bare: Sequence[str], texts: Sequence[Content], numbers: Sequence[int], start: int
) -> list[Span]:
    """Return the token that begins at `start` of the first row, if it ends with a row."""
    spans: list[Span] = []
    run = ""
    for number in numbers:
        end = texts[number].end
        part = _HEAD.match(bare[number], start if not spans else texts[number].start, end)
        if part is None or (spans and is_words(part[0]) and not may_be_secret(part[0])):
            break
        spans.append(Span(number, *part.span()))
        run += part[0]
        if part.end() < end:
            if MARKED.match(bare[number], part.end()):
                return spans  # a vendor's prefix before what a rule for any token has found
            if len(spans) == 1:
                return []
            break
    return spans if is_dense(run) else []


def _run_down(bare: Sequence[str], texts: Sequence[Content], numbers: Sequence[int]) -> list[Span]:
    """Return the random run that the first row begins with, with the rows it goes on over."""
    spans: list[Span] = []
    for number in numbers:
        start, end = texts[number]
        head = _HEAD.match(bare[number], start, end)
        if head is None:
            break
        spans.append(Span(number, *head.span()))
        if head.end() < end:
            break
    while spans and is_spelt(first := _joined(bare, spans[:1])) and not may_be_secret(first):
        if len(spans) > 1 and is_broken(*spans[:2]):
            break
        spans.pop(0)  # a word above a random run is no part of it
    if not may_be_secret(_joined(bare, spans)):
        del spans[_KEY_ROWS:]
    while spans and not may_be_secret(_joined(bare, spans)):
        spans.pop()  # words behind a licence key hide what it looks like
    return _as_far_as_random(bare, spans)


def _going_on(bare: Sequence[str], texts: Sequence[Content], numbers: Sequence[int]) -> list[Span]:
    """Return the run that the first row ends with and the next ones go on, if it looks drawn."""
    tail = row_end(bare, texts[numbers[0]], numbers[0])
    if tail is None or len(numbers) < 2 or is_spelt(_joined(bare, [tail])):
        return []
    spans = [tail, *_run_down(bare, texts, numbers[1:])]
    return spans if len(spans) > 1 else []


def _joined(bare: Sequence[str], spans: Sequence[Span]) -> str:
    return "".join(bare[span.row][span.start : span.end] for span in spans)


def _run_up(
    bare: Sequence[str],
    texts: Sequence[Content],
    tails: Sequence[Span | None],
    begins: Callable[[str], bool],
) -> tuple[list[Span], list[int]]:
    """Return the random run that the first of `tails` ends, and all rows it was followed over.

    `tails`: what rows end with, from the run's last row up.
    """
    spans: list[Span] = []
    parts: list[str] = []
    head = ""  # what `begins` may match anew: a row, and what a prefix may go on with below it
    for tail in tails:
        if tail is None:
            break
        spans.append(tail)
        parts.append(bare[tail.row][tail.start : tail.end])
        head = parts[-1] + head[:_LONGEST_PREFIX]
        if tail.start > texts[tail.row].start or begins(head):
            break
    run = "".join(reversed(parts))
    followed = [span.row for span in spans]
    if len(run) >= _SHORTEST and begins(run):
        return spans, followed
    return (_as_far_as_random(bare, spans) if may_be_secret(run) else []), followed


def _as_far_as_random(bare: Sequence[str], spans: list[Span]) -> list[Span]:
    """Return the spans up to the last that does not look spelt."""
    while len(spans) > 1 and is_spelt(_joined(bare, spans[-1:])):
        if is_broken(*sorted(spans[-2:])):
            break
        spans.pop()
    return spans


def _is_fold(row: str) -> bool:
    if len(row) > _FOLD_LENGTH:
        return False
    lower = row.lower()
    return any(word in lower for word in _FOLD_WORDS) and _FOLD.match(row) is not None


def _headless_keys(bare: Sequence[str], texts: Sequence[Content]) -> Iterator[Span]:
    """Yield the rows of a private key's body whose BEGIN line is not there."""
    for number, row in enumerate(bare):
        if _PEM_END.search(row) is None:
            continue
        body: list[Span] = []
        for above in range(number - 1, -1, -1):
            start, end = texts[above]
            if start < end and _BASE64.fullmatch(row := bare[above], start, end) is None:
                break
            body.append(Span(above, start, end))
        # A line of the key may itself be broken: short rows count between long ones.
        while body and body[-1].end - body[-1].start < _KEY_LINE:
            body.pop()
        yield from (span for span in body if span.start < span.end)
