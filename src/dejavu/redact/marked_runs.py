"""Runs in one row that may be what is left of a secret: next to a mark, at an edge, or begun as a token.

What they are together with other rows is judged by `cut_runs.py`. No I/O. Cost: linear in the row.

Tested in: tests/redact/test_cut_runs.py
"""

import re
from collections.abc import Iterator

from . import run_kinds
from .cut_neighbours import BARS, RUN
from .cut_values import is_plausible
from .random_runs import has_high_entropy, is_words, may_be_secret

__all__ = ["is_beginning", "is_piece", "may_be_prefix", "may_begin", "runs_at_marks"]

_BEHIND_MARK = re.compile(r"(?<=[\U000f0000-\U0010ffff])[A-Za-z0-9+/_-]{4,}+")
_TOKENS = re.compile(rf"(?<![A-Za-z0-9]){RUN}{{10,}}+")
_AT_EDGE = re.compile(rf"({RUN}{{10,}}) ?(?=\x1f)")  # a cell without room for more
_ELLIPSIS = re.compile(rf"((?:(?!\.\.\.){RUN})*+)(?:…|⋯|\.\.\.|\[\.\.\.?\])({RUN}*)")
_DOTS = re.compile(r"…|⋯|\.\.\.")
_SHORTEST = 10
_SHORTEST_BEGUN = 6


def runs_at_marks(row: str, bare: str, *, is_last: bool) -> Iterator[tuple[int, int]]:
    """Yield where such runs are in a row; `bare`: the row without its frame.

    is_last: whether a block ends with it.
    """
    for run in _TOKENS.finditer(bare):
        if run_kinds.is_token(run[0]):
            yield run.span()
    for run in _AT_EDGE.finditer(bare) if is_last else ():
        if row[run.end()] not in BARS and (may_be_secret(run[1]) or is_beginning(run[1])):
            yield run.span(1)
    for match in _ELLIPSIS.finditer(bare) if _DOTS.search(bare) else ():
        yield from (match.span(side) for side in (1, 2) if has_high_entropy(match[side]))
    for behind in _BEHIND_MARK.finditer(bare):
        if not is_words(behind[0]):
            yield behind.span()


def is_piece(run: str) -> bool:
    """Whether a run in a row of which a part is missing may be a piece of a secret."""
    is_long = len(run) >= _SHORTEST and run_kinds.begins(run)
    is_plain = not is_plausible([run], may_begin)
    return is_long or (not is_plain and (may_be_secret(run) or run_kinds.is_prefixed(run)))


def may_begin(run: str) -> bool:
    """Whether a run that is no number with a unit begins as a secret may."""
    return len(run) >= _SHORTEST_BEGUN and (is_beginning(run) or may_be_prefix(run))


def is_beginning(run: str) -> bool:
    """Whether a run begins as a token does, and as names do not."""
    return run_kinds.begins(run) or run_kinds.is_begun(run)


def may_be_prefix(run: str) -> bool:
    """Whether a run begins as a token does, and as words do not."""
    return run_kinds.begins(run) or run_kinds.is_prefixed(run)
