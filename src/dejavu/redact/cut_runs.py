"""What may be left of a secret next to a place where rows are missing, and what it looks like.

Rows that scrolled off unseen, that an agent folded ("… +12 lines") or cut short with an ellipsis take
a part of a secret with them; the rest matches no rule. `cut_runs` finds the runs of characters next
to such a place that look drawn at random. No I/O. Cost: linear in the rows.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from . import run_kinds
from .coded_cuts import coded_cuts
from .cut_neighbours import (
    RUN,
    below_runs,
    broken_in_cells,
    broken_prefixes,
    is_spelt,
    row_end,
    runs_above_cut,
)
from .cut_values import (
    has_secret_name,
    is_harmless,
    is_named_path,
    is_plausible,
    is_whole_id,
    looks_random_enough,
)
from .followed_runs import (
    going_on,
    has_visible_head,
    headless_keys,
    is_public_head,
    joined,
    pieces,
    run_down,
    run_up,
    unfinished,
    without_digest,
)
from .joined_text import Span
from .program_cuts import program_cuts, unpaired
from .public_values import private_spans, public_spans
from .random_runs import (
    has_high_entropy,
    has_odd_letter_pairs,
    has_random_piece,
    is_hexadecimal,
    is_words,
    looks_random,
    may_be_secret,
)
from .row_facts import RowFacts, Rows, is_boxed, is_fold
from .run_kinds import is_beginning, is_piece, may_be_prefix, may_begin, runs_at_marks

__all__ = ["RowFacts", "cut_runs"]

_HEAD = re.compile(rf"{RUN}+")
_SHORTEST = 10
_CONTEXT = 96  # characters before a run that may name it
_NUMBER = re.compile("[0-9/:.]+")
_OPEN_MARK = re.compile(r"(?:[\[({<][^\])}>]{0,32}|\.+|\*+)\Z")
_CUT_HEAD = re.compile(r"[A-Za-z0-9+/_=.-]{1,5} ?[\[({<⟨…⋯]|[A-Za-z0-9+/_=-]{1,5}\.\.")
_MOST_ROWS = 64  # that a run is followed over: rows of nothing else would cost their square


def cut_runs(rows: Sequence[str], facts: RowFacts) -> list[Span]:
    """Return the runs that may be what is left of a secret whose rest was not captured.

    Besides rows that were not seen, these are cuts: rows that stand for others, ellipses and other
    marks of programs, a key's body without its first line, a token that ends with its row before any
    rule knows it. A run that fills the last row of a block, or begins as a secret does, may have gone
    on. A run over full rows that begins with one has lost its beginning. Public values are none.
    """
    return _CutRuns(rows, facts).spans()


class _CutRuns(Rows):
    """The cuts in rows, and what is next to them."""

    def __init__(self, rows: Sequence[str], facts: RowFacts) -> None:
        super().__init__(unpaired(rows), facts)
        self.tails = {
            number: row_end(self.bare, self.texts[number], number) for number in self.filled
        }
        self.found: set[Span] = set()
        self.harmless: set[int] = set()  # rows that were followed from below for nothing
        self.public: dict[int, list[tuple[int, int]]] | None = None

    def spans(self) -> list[Span]:
        """Return them in order."""
        bare, texts, filled, begins = self.bare, self.texts, self.filled, run_kinds.begins
        # From the last row up: a run that was followed from below is not followed once more.
        for place in range(len(filled) - 1, -1, -1):
            self._around(place)
        self.found.update(headless_keys(bare, texts))
        self.found.update(coded_cuts(self.rows))
        cut_rows = self.doubtful | self.last_rows
        self._add(broken_in_cells(bare, texts, filled, cut_rows, begins))
        self._add(broken_prefixes(bare, texts, filled, begins))
        self._add(runs_above_cut(bare, texts, filled, frozenset(self.found), begins))
        self._add(below_runs(self.rows, bare, texts, filled, self.found))
        return sorted(self.found)

    def _add(self, spans: Iterable[Span], *, run: bool = False) -> None:
        """Take the spans that are not public; `run`: if what they are together may be a secret."""
        if spans := [*spans]:
            if run and not (spans := self._plausible(sorted(spans))):
                return
            if not run:
                spans = [span for span in spans if not is_named_path(joined(self.bare, [span]))]
            spans = [
                span for span in spans
                if span.row not in self.dumped and not self._is_harmless(span)
            ]  # fmt: skip
            if self.public is None:
                self.public = public_spans(self.rows, self.texts)
            private = private_spans(spans, self.public, self.bare)
            if len(private) < len(spans):  # what is with a public value is judged alone
                private = [span for span in private if may_be_secret(joined(self.bare, [span]))]
            self.found.update(private)

    def _are_ids(self, spans: Sequence[Span]) -> bool:
        """Whether a run in one row is an id that is whole, and nothing names it a secret."""
        if len(spans) != 1:
            return False
        row, start, end = self.bare[spans[0].row], spans[0].start, spans[0].end
        return is_whole_id(row[start:end]) and not has_secret_name(row[:start][-_CONTEXT:])

    def _is_harmless(self, span: Span) -> bool:
        """Whether what a span holds is no piece of a secret, by its form or by the word around it."""
        row = self.rows[span.row]
        start = row.rfind(" ", 0, span.start) + 1
        end = row.find(" ", span.end)
        return is_harmless(row[span.start : span.end], row[start : end if end >= 0 else len(row)])

    def _plausible(self, spans: list[Span]) -> list[Span]:
        """Return the spans of a run without whole words and paths above and below; none if it is no secret."""
        spans = [span for span in spans if span.row not in self.dumped]
        if not spans:
            return []
        if not may_begin(joined(self.bare, spans)):
            count = len(spans)
            if self._ends_path(spans[0]):
                spans = spans[1:]
            while len(spans) > 1 and is_named_path(joined(self.bare, spans[-2:])):
                spans = spans[:-2]
            while len(spans) > 1 and self._is_apart(spans[0]):
                spans = spans[1:]
            while len(spans) > 1 and self._is_apart(spans[-1]):
                spans = spans[:-1]
            if not spans or (len(spans) < count and _NUMBER.fullmatch(joined(self.bare, spans))):
                return []  # the end of a path
        parts = [joined(self.bare, [span]) for span in spans]
        return spans if parts and is_plausible(parts, may_begin) else []

    def _ends_path(self, span: Span) -> bool:
        """Whether a run continues the path that the row above ends with."""
        place = bisect_left(self.filled, span.row)
        if not place or span.start > self.texts[span.row].start:
            return False
        tail = self.tails[self.filled[place - 1]]
        return (
            tail is not None
            and tail not in self.found
            and is_named_path(joined(self.bare, [tail]))
            and is_named_path(joined(self.bare, [tail, span]))
        )

    def _is_apart(self, span: Span) -> bool:
        """Whether a run shows that it is no piece of a secret."""
        run = joined(self.bare, [span])
        if may_begin(run) or looks_random_enough(run):
            return False
        is_first_word = span.end < self.texts[span.row].end and is_spelt(run)
        return is_first_word or len(run) >= _SHORTEST

    def _around(self, place: int) -> None:
        """Take what is next to the cuts at one row."""
        number, filled = self.filled[place], self.filled
        above = filled[place - 1] if place else None
        below = filled[place + 1] if place + 1 < len(filled) else None
        at_top = above is None and self.facts.cut_above
        at_end = below is None and self.facts.cut_below
        down = filled[place : place + _MOST_ROWS]
        if at_top or (above is not None and (above in self.doubtful or is_fold(self.bare[above]))):
            spans = self._from_above(down)
            if len(spans) > 1 and is_hexadecimal(joined(self.bare, spans)):
                # A digest has its name or a mark before it, in the same row.
                self.found.update(spans)
            elif not self._are_ids(spans):
                self._add(spans, run=True)
        is_cut = (
            at_end or number in self.doubtful or (below is not None and is_fold(self.bare[below]))
        )
        may_end = number not in self.wrapping
        if is_cut or (may_end and (number in self.last_rows or self._ends_full(number, below))):
            self._add(self._to_below(place, is_cut=is_cut), run=True)
        if number in self.doubtful:
            parts = pieces(self.bare[number], number, is_piece)
            self._add(part for part in parts if not self._are_ids([part]))
        if at_top or at_end or number in self.doubtful:
            self._add(going_on(self.bare, self.texts, down), run=True)
        self._add(self._inside(number))
        if self._begins_full(number, above):
            self._add(without_digest(self.bare, run_down(self.bare, self.texts, down)), run=True)
        if (start := run_kinds.token(self.bare[number], *self.texts[number])) is not None:
            self._add(unfinished(self.bare, self.texts, down, start.start()))

    def _ends_full(self, number: int, below: int | None) -> bool:
        """Whether a run goes up to the width, and nothing below continues it: it was cut there."""
        tail = self.tails[number]
        if tail is None or below is None or not self.is_full[number]:
            return False
        head = _HEAD.match(self.bare[below], *self.texts[below])
        run = joined(self.bare, [tail])
        if self.texts[below].start == self.texts[number].start + 1:
            return False  # a blank follows the run, at which the row was broken
        if head is not None and (head.end() - head.start() > len(run) or not is_words(head[0])):
            return False
        return is_beginning(run) or looks_random(run)

    def _from_above(self, down: Sequence[int]) -> list[Span]:
        """Return the random run that a row begins with; rows of names that do not fill it are none."""
        spans = run_down(self.bare, self.texts, down)
        if spans and spans[0].row != down[0] and not self.is_full[down[0]]:
            return []  # it begins in a later row
        run = joined(self.bare, spans[:1])
        if has_visible_head(run) and is_public_head("", run, is_beginning):
            return []
        return spans if spans and self._may_go_on(spans, spans[0].row) else []

    def _may_go_on(self, spans: Sequence[Span], number: int) -> bool:
        """Whether rows may be one run: of names that do not fill row `number` each is its own."""
        parts = [joined(self.bare, [span]) for span in spans]
        if len(spans) < 2 or any(map(may_be_secret, parts)) or any(map(has_random_piece, parts)):
            return True
        return (
            self.is_full[number]
            or has_odd_letter_pairs("".join(parts))
            or any(map(may_be_prefix, parts))
        )

    def _to_below(self, place: int, *, is_cut: bool) -> list[Span]:
        """Return the run that ends with a row behind which something may be missing."""
        number = self.filled[place]
        if number in self.harmless or self.tails[number] in self.found:
            return []
        rows_up = self.filled[max(0, place - _MOST_ROWS + 1) : place + 1][::-1]
        tails = [self.tails[row] for row in rows_up]
        begins = may_be_prefix if is_cut else is_beginning
        rest, followed = run_up(self.bare, self.texts, tails, begins)
        if not rest:
            self.harmless.update(followed)
            return []
        run = joined(self.bare, rest[::-1])
        if not self._may_go_on(rest, number):
            return []
        if not is_cut and self._is_public_head(rest[-1], run):
            self.harmless.update(followed)
            return []
        if is_cut or self.is_full[number] or run_kinds.begins(run):
            return rest
        self.harmless.update(followed)
        return []

    def _is_public_head(self, first: Span, run: str) -> bool:
        """Whether a run that begins with `first` begins there, and says that it is no secret."""
        if first.row in self.doubtful:
            return False
        before = self.bare[first.row][: first.start]
        place = bisect_left(self.filled, first.row)
        if has_visible_head(run):
            before = ""
        elif first.start <= self.texts[first.row].start:
            above = self.filled[place - 1] if place else None
            if above is None or above in self.doubtful or is_fold(self.bare[above]):
                return False
            before = self.bare[above][: self.texts[above].end] + before
        return is_public_head(before[-_CONTEXT:], run, is_beginning)

    def _inside(self, number: int) -> Iterator[Span]:
        """Yield what is next to the marks in a row."""
        row, bare = self.rows[number], self.bare[number]
        if number in self.dumped:
            return
        for start, end in runs_at_marks(bare):
            yield Span(number, start, end)
        for start, end in program_cuts(row, is_beginning, is_open=number in self.doubtful):
            yield Span(number, start, end)
            yield from self._neighbours(Span(number, start, end))
        if self.is_full[number] and (
            _OPEN_MARK.search(self.bare[number].rstrip()) or self._cut_begins_below(number)
        ):
            yield from self._over_end(number)

    def _cut_begins_below(self, number: int) -> bool:
        """Whether the next row begins with a few characters and a mark: the rest of them is in this row."""
        place = bisect_left(self.filled, number) + 1
        if place >= len(self.filled):
            return False
        below = self.filled[place]
        return _CUT_HEAD.match(self.rows[below], *self.texts[below]) is not None

    def _over_end(self, number: int) -> Iterator[Span]:
        """Yield what is next to a mark that the end of a row breaks."""
        place = bisect_left(self.filled, number) + 1
        if place >= len(self.filled):
            return
        text, below = self.texts[number], self.filled[place]
        head = self.rows[number][: text.end]
        begin, end = self.texts[below]
        row = head + self.rows[below][begin:end]
        for start, stop in program_cuts(row, is_beginning):
            if start < len(head):
                yield Span(number, start, min(stop, len(head)))
            if stop > len(head):
                first = max(start - len(head), 0) + begin
                yield Span(below, first, stop - len(head) + begin)
                yield from self._neighbours(Span(below, first, stop - len(head) + begin))

    def _neighbours(self, span: Span) -> Iterator[Span]:
        """Yield what continues a run in the next row, and what it continues from the row above."""
        place = bisect_left(self.filled, span.row)
        text = self.texts[span.row]
        if span.end >= text.end and place + 1 < len(self.filled):
            below = self.filled[place + 1]
            head = _HEAD.match(self.bare[below], *self.texts[below])
            goes_on = head is not None and (self.is_full[span.row] or not is_spelt(head[0]))
            if head and goes_on and not is_words(joined(self.bare, [span]) + head[0]):
                yield Span(below, *head.span())
        if span.start <= text.start and place:
            tail = self.tails[self.filled[place - 1]]
            if tail is not None and not is_words(joined(self.bare, [tail])):
                yield tail

    def _begins_full(self, number: int, above: int | None) -> bool:
        """Whether a row is one random run from edge to edge that does not come from the row above.

        Agents that redraw a box lose what stood at the old edge, and nothing shows it. Elsewhere a
        word that had no room above looks the same: it has to begin as a secret does.
        """
        start, end = self.texts[number]
        head = _HEAD.match(self.bare[number], start, end)
        if head is None or head.end() < end or not self.is_full[number]:
            return False
        if (above is not None and self.is_full[above]) or not has_high_entropy(head[0]):
            return False
        if is_hexadecimal(head[0]):
            return False  # most of that are digests and ids
        in_box = is_boxed(self.rows[number], self.texts[number])
        return (in_box and not has_visible_head(head[0])) or is_beginning(head[0])
