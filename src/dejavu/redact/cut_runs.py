"""What may be left of a secret beside a place where rows are missing, and what it looks like.

Rows that scrolled off unseen, that an agent folded ("… +12 lines") or cut short with an ellipsis take
a part of a secret with them; the rest matches no rule. `cut_runs` finds the runs of characters beside
such a place that look drawn at random. No I/O. Cost: linear in the rows.
"""

import re
from collections.abc import Callable, Iterator, Sequence

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
from .random_runs import is_dense, is_drawn, is_words, may_be_secret
from .row_readings import Content, contents, unframed

__all__ = ["cut_runs"]

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


def cut_runs(
    rows: Sequence[str],
    begins: Callable[[str], bool],
    token: Callable[[str, int, int], re.Match[str] | None],
    *,
    is_prefixed: Callable[[str], bool] = lambda _: False,
    is_begun: Callable[[str], bool] = lambda _: False,
    cut_above: bool = False,
    cut_below: bool = False,
    suspect: Sequence[bool] = (),
    ends: Sequence[bool] = (),
    widths: Sequence[int] = (),
) -> list[Span]:
    """Return the runs that may be what is left of a secret whose rest was not captured.

    `begins`: whether a run begins as a known kind of secret does. `token`: the beginning of a token
    that nothing else looks like, in a part of a row. `is_prefixed`: whether a run beside a cut begins
    as tokens do, and goes on as words do not; `is_begun`: as names do not, either.
    `cut_above`, `cut_below`: rows before the first or behind the last were never seen. `suspect`: per
    row, whether something inside it or at its end may be missing. Rows that stand for others and
    ellipses are cuts too, and so is a key's body without its first line, and a token that ends with
    its row before any rule knows it. `ends`: per row, whether its block ends there: a run that fills
    the last row up to its width, or begins as a secret does, may have gone on. A run over full rows
    that begins with one has lost its beginning. `widths`: per row, the columns it was drawn for.
    """
    bare = unframed(rows)
    texts = contents(bare)
    filled = [number for number, (start, end) in enumerate(texts) if start < end]
    doubtful = {number for number in filled if number < len(suspect) and suspect[number]}
    last_rows = {number for number in filled if number < len(ends) and ends[number]}

    def is_piece(run: str) -> bool:
        return may_be_secret(run) or is_prefixed(run) or (len(run) >= _SHORTEST and begins(run))

    def is_beginning(run: str) -> bool:
        return begins(run) or is_begun(run)

    def is_prefix(run: str) -> bool:
        return begins(run) or is_prefixed(run)

    is_full = [*map(_is_full, rows, texts, widths)]
    tails = {number: row_end(bare, texts[number], number) for number in filled}
    spans: set[Span] = set()
    harmless: set[int] = set()
    # From the last row up: a run that was followed from below is not followed once more.
    for place, number in reversed([*enumerate(filled)]):
        above = filled[place - 1] if place else None
        below = filled[place + 1] if place + 1 < len(filled) else None
        at_top, at_end = above is None and cut_above, below is None and cut_below
        if at_top or (above is not None and (above in doubtful or _is_fold(bare[above]))):
            spans.update(_run_down(bare, texts, filled[place : place + _MOST_ROWS]))
        is_cut = at_end or number in doubtful or (below is not None and _is_fold(bare[below]))
        if (
            (is_cut or number in last_rows)
            and number not in harmless
            and tails[number] not in spans
        ):
            rows_up = filled[max(0, place - _MOST_ROWS + 1) : place + 1][::-1]
            rest, followed = _run_up(
                bare, texts, [tails[row] for row in rows_up], is_prefix if is_cut else is_beginning
            )
            if not rest:
                harmless.update(followed)
            elif (
                is_cut
                or is_full[number]
                or begins(_joined(bare, rest[::-1]))
                or any(is_drawn(_joined(bare, [part])) for part in rest)
                or is_drawn(_joined(bare, rest[::-1]))
            ):
                spans.update(rest)
        if at_top or at_end or number in doubtful:
            spans.update(_pieces(bare[number], number, is_piece))
            spans.update(_going_on(bare, texts, filled[place : place + _MOST_ROWS]))
        if number in last_rows:
            for run in _AT_EDGE.finditer(bare[number]):
                if rows[number][run.end()] not in BARS and (
                    may_be_secret(run[1]) or is_beginning(run[1])
                ):
                    spans.add(Span(number, *run.span(1)))
        for match in _ELLIPSIS.finditer(bare[number]) if _DOTS.search(bare[number]) else ():
            sides = [side for side in (1, 2) if is_dense(match[side])]
            spans.update(Span(number, *match.span(side)) for side in sides)
        for behind in _BEHIND_MARK.finditer(bare[number]):
            if not is_words(behind[0]):
                spans.add(Span(number, *behind.span()))
        if _begins_full(bare, texts, number, above, is_full):
            run_down = _run_down(bare, texts, filled[place : place + _MOST_ROWS])
            spans.update(_without_digest(bare, run_down))
        if (start := token(bare[number], *texts[number])) is not None:
            below_rows = filled[place : place + _MOST_ROWS]
            spans.update(_unfinished(bare, texts, below_rows, start.start()))
    spans.update(_headless_keys(bare, texts))
    spans.update(broken_in_cells(bare, texts, filled, doubtful | last_rows, begins))
    spans.update(broken_prefixes(bare, texts, filled, begins))
    spans.update(above_runs(bare, texts, filled, frozenset(spans), begins))
    spans.update(below_runs(rows, bare, texts, filled, spans))
    return sorted(spans)


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
    return len(row) <= _FOLD_LENGTH and _FOLD.match(row) is not None


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
