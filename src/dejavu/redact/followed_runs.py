"""Runs of characters that are followed over rows, and values whose beginning can be seen.

A secret is known by a name before it or by how it begins. Where both can be seen and say nothing, a
missing end does not make a secret of the rest. Some tokens begin with no fixed letters; what looks
like one of those is not judged public here. `cut_runs` says where to look; nothing here knows of cuts.
`run_readings` reads the longest runs of rows as one value, whatever a program puts around the pieces.
No I/O. Cost: linear in the rows.

Tested in: tests/redact/test_cut_runs.py
"""

import re
from collections.abc import Callable, Iterator, Sequence

from .cut_neighbours import RUN, is_broken, is_spelt, row_end
from .cut_values import has_secret_name, names_secret
from .joined_text import Evidence, JoinedText, Span
from .marks import MARKED
from .random_runs import has_high_entropy, is_hexadecimal, is_words, looks_random, may_be_secret
from .row_frames import Content
from .run_kinds import may_be_prefix

__all__ = [
    "going_on",
    "has_visible_head",
    "headless_keys",
    "is_public_head",
    "joined",
    "pieces",
    "run_down",
    "run_readings",
    "run_up",
    "unfinished",
    "without_digest",
]

_HEAD = re.compile(rf"{RUN}+")
_LONG = re.compile(rf"{RUN}{{10,}}")
_SIGNED = r"""[^\s"'`(){}\[\]/\\|\x1f]{8,64}"""
_PASSWORDS = re.compile(
    rf"""(?<=["']){_SIGNED}(?=["']|\s*$)|(?<![^\s\x1f]){_SIGNED}(?![^\s\x1f])"""
)
_OF_A_PASSWORD = [re.compile(kind) for kind in ("[a-z]", "[A-Z]", "[0-9]", "[!#$%^&*?]")]
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_PEM_END = re.compile(
    r"-----END(?: [A-Z ]*(?:PRIVATE KEY-{1,5})?)?$|-----END [A-Z ]*PRIVATE KEY-----"
)
_SHORTEST = 10
_KEY_ROWS = 8  # that a licence key may be broken over
_LONGEST_PREFIX = 64  # characters by which a known kind of secret begins
_DIGEST = re.compile(
    r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})"
)
_KEY_LINE = 16  # characters from which a line may be one of a key's body


def pieces(bare: str, number: int, is_piece: Callable[[str], bool]) -> Iterator[Span]:
    """Yield the long runs of a row that are a piece of a secret, and passwords with signs in them."""
    for run in _LONG.finditer(bare):
        if is_piece(run[0]):
            yield Span(number, *run.span())
    for run in _PASSWORDS.finditer(bare):
        kinds = [kind.search(run[0]) is not None for kind in _OF_A_PASSWORD]
        is_open = run.end() == len(bare.rstrip()) and bare[: run.start()].endswith(("'", '"'))
        if kinds[-1] and sum(kinds) >= len(kinds) - is_open:  # the rest may hold the other kind
            yield Span(number, *run.span())


def without_digest(bare: Sequence[str], spans: list[Span]) -> list[Span]:
    """Return the spans of a run, none if it is as long as a digest in hexadecimal."""
    run = "".join(bare[span.row][span.start : span.end] for span in spans)
    return [] if _DIGEST.fullmatch(run) else spans


def unfinished(
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
    return spans if has_high_entropy(run) else []


def run_down(bare: Sequence[str], texts: Sequence[Content], numbers: Sequence[int]) -> list[Span]:
    """Return the random run that the first row begins with, with the rows it continues over."""
    spans: list[Span] = []
    for number in numbers:
        start, end = texts[number]
        head = _HEAD.match(bare[number], start, end)
        if head is None or (spans and has_visible_head(head[0])):
            break
        spans.append(Span(number, *head.span()))
        if head.end() < end:
            break
    while spans and is_spelt(first := joined(bare, spans[:1])) and not may_be_secret(first):
        if len(spans) > 1 and is_broken(*spans[:2]):
            break
        spans.pop(0)  # a word above a random run is no part of it
    if not may_be_secret(joined(bare, spans)):
        del spans[_KEY_ROWS:]
    while spans and not may_be_secret(joined(bare, spans)):
        spans.pop()  # words behind a licence key hide what it looks like
    return _as_far_as_random(bare, spans)


def going_on(bare: Sequence[str], texts: Sequence[Content], numbers: Sequence[int]) -> list[Span]:
    """Return the run that the first row ends with and the next ones go on, if it looks drawn."""
    tail = row_end(bare, texts[numbers[0]], numbers[0])
    if tail is None or len(numbers) < 2 or is_spelt(joined(bare, [tail])):
        return []
    spans = [tail, *run_down(bare, texts, numbers[1:])]
    return spans if len(spans) > 1 else []


def joined(bare: Sequence[str], spans: Sequence[Span]) -> str:
    """Return the text in the spans."""
    return "".join(bare[span.row][span.start : span.end] for span in spans)


def run_up(
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
    head = ""  # what `begins` may match next: a row, and how a prefix may continue below it
    for tail in tails:
        if tail is None:
            break
        spans.append(tail)
        parts.append(bare[tail.row][tail.start : tail.end])
        head = parts[-1] + head[:_LONGEST_PREFIX]
        is_first = tail.start > texts[tail.row].start or has_visible_head(parts[-1])
        if is_first or begins(head):
            break
    run = "".join(reversed(parts))
    followed = [span.row for span in spans]
    if len(run) >= _SHORTEST and begins(run):
        return spans, followed
    return (_as_far_as_random(bare, spans) if may_be_secret(run) else []), followed


def _as_far_as_random(bare: Sequence[str], spans: list[Span]) -> list[Span]:
    """Return the spans up to the last that does not look spelt."""
    while len(spans) > 1 and is_spelt(joined(bare, spans[-1:])):
        if is_broken(*sorted(spans[-2:])):
            break
        spans.pop()
    return spans


def headless_keys(bare: Sequence[str], texts: Sequence[Content]) -> Iterator[Span]:
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


_BEGINS_FREELY = re.compile(
    r"[0-9]{8,10}:[A-Z]|[0-9]/[0-9]{6}|[MNO][A-Za-z0-9]{22,}\.|[^\s]*atlasv1"
    r"|[a-z][a-z0-9+]*://[^/\s]*:(?![0-9]{1,5}(?:/|$))|[^\s]*8Q~"
)
"""Tokens of bots, of accounts, of states, and URLs with a user: each is known by its middle."""
_FREE = re.compile("[A-Za-z0-9_-]+")
_NAMED = re.compile(r"[A-Za-z][\w.-]*[\"'\]]?\s{0,2}[:=]\s{0,2}[\"'(]?\Z")
_OWN_NAME = re.compile(r"[A-Za-z][\w.-]{0,40}[:=]+(?=.)")


_STATED_HEAD = re.compile(
    r"[a-z][a-z0-9+]{1,16}://|(?:[a-z0-9-]{2,40}\.){1,4}[a-z]{2,8}/[A-Za-z]|[a-z]{5,}[a-z_-]*/[a-z]|(?:~|\.{1,2})/[A-Za-z.]|/[a-z]{3,}/[A-Za-z]"
)
_PATHS = re.compile(r"\S*/\S*")


def has_visible_head(run: str) -> bool:
    """Whether a run alone shows that its beginning is whole, as a URL or a path does."""
    return _STATED_HEAD.match(run) is not None


def is_public_head(before: str, run: str, begins: Callable[[str], bool]) -> bool:
    """Whether a run whose beginning can be seen is one that no rule would know when whole.

    before: the text before it, in its row or the row above; begins: whether a run begins as a
    known kind of secret does.
    """
    if is_hexadecimal(run.removeprefix("0x")):
        return not has_secret_name(before)
    own_words = run.partition("?")[2] if has_visible_head(run) else run
    if names_secret(_PATHS.sub("", before)) or names_secret(own_words) or begins(run):
        return False
    if "webhook" in run.lower():
        return False
    own_name = _OWN_NAME.match(run)
    value = run[own_name.end() :] if own_name is not None else run
    if _BEGINS_FREELY.match(run) or _BEGINS_FREELY.match(value) or begins(value):
        return False
    is_named = own_name is not None or _NAMED.search(before) is not None
    return is_named or not _is_drawn(value)


def _is_drawn(value: str) -> bool:
    """Whether a value is drawn at random, or all of its parts are, which dots divide."""
    parts = value.split(".")
    return any(map(looks_random, parts)) and all(
        _FREE.fullmatch(part) and (looks_random(part) or is_hexadecimal(part)) for part in parts
    )


_BLANK = re.compile(r"[\s\"'`|│]")
_ALONE = re.compile(r"[^A-Za-z0-9]*(?P<run>[A-Za-z0-9]{2,})[^A-Za-z0-9]*")
_RUN = re.compile(rf"{RUN}{{2,}}")
_NAMED_ROW = re.compile(
    r"(?:pass|secret|token|cred|key|auth|bearer|webhook)[\w-]{0,24}[\"'\]]{0,2}\s{0,3}(?::=|=>|[:=])|://",
    re.IGNORECASE,
)
_SHORTEST_RUN = 6  # characters of a run that is followed
_MOST_ROWS = 32
_MOST_BETWEEN = 2  # rows of something else between two pieces


def run_readings(rows: Sequence[str]) -> Iterator[JoinedText]:
    """Yield one text in which each chain of runs is a line."""
    runs = [_runs_of_chain(row) for row in rows]
    if sum(map(bool, runs)) < 2:
        return
    text = JoinedText()
    number = 0
    taken = -1  # the last row of a chain
    while number < len(rows):
        is_named = _NAMED_ROW.search(rows[number]) is not None
        if (number > taken or is_named) and (first := _first_of_chain(rows[number], runs[number])):
            chain = [Span(number, *first), *_below_of_chain(rows, runs, number)]
            if len(chain) > 1:
                _add_of_chain(text, rows, chain)
                taken = max(taken, chain[-1].row)
        number += 1
    if text.joints.offsets:
        yield text


def _runs_of_chain(row: str) -> list[tuple[int, int]]:
    """Return where the runs of a row are that are no words."""
    return [
        run.span()
        for run in _RUN.finditer(row)
        if run.end() - run.start() >= _SHORTEST_RUN and not is_spelt(run[0])
    ]


def _first_of_chain(row: str, runs: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the run with which a chain begins: behind a name of a secret, else the likeliest or longest.

    It continues over all signs but blanks: the query of a URL, a password.
    """
    named = [run for run in runs if has_secret_name(row[: run[0]]) or _NAMED_ROW.search(row, *run)]
    start, end = max(
        named or runs,
        key=lambda run: (may_be_prefix(row[slice(*run)]), run[1] - run[0]),
        default=(0, 0),
    )
    for further in runs:
        if end < further[0] and not _BLANK.search(row, end, further[0]):
            end = further[1]
    return (start, end) if end else None


def _below_of_chain(
    rows: Sequence[str], runs: Sequence[Sequence[tuple[int, int]]], number: int
) -> Iterator[Span]:
    """Yield the runs of the rows below that continue a chain."""
    above: Span | None = None
    between = 0
    for below in range(number + 1, min(number + _MOST_ROWS, len(rows))):
        found = _next_of_chain(rows[below], runs[below], above)
        if found is None:
            between += 1
            if between > _MOST_BETWEEN:
                return
            continue
        if _NAMED_ROW.search(rows[below], 0, found[1]) is not None:
            return
        between = 0
        above = Span(below, *found)
        yield above


def _next_of_chain(
    row: str, runs: Sequence[tuple[int, int]], above: Span | None
) -> tuple[int, int] | None:
    """Return the run of a row that continues a chain: at the place of the one above, else the longest."""
    if above is None:
        alone = _ALONE.fullmatch(row)
        longest = max(runs, key=lambda run: run[1] - run[0], default=None)
        if longest is None and alone is not None and not alone["run"].isdecimal():
            return alone.span("run")  # a number alone may be a line's
        return longest
    same = None if row[above.start - 1 : above.start].isalnum() else _RUN.match(row, above.start)
    if same is not None and (same.end() < above.end or same.span() in runs):
        return same.span()
    return max(runs, key=lambda run: run[1] - run[0], default=None)


def _add_of_chain(text: JoinedText, rows: Sequence[str], chain: Sequence[Span]) -> None:
    """Append a chain: what is before it in its first row, and behind it in its last."""
    above: Span | None = None
    for span in chain:
        start = 0 if above is None else span.start
        end = len(rows[span.row]) if span == chain[-1] else span.end
        grade = Evidence.LIKELY if above is not None and span.end <= above.end else Evidence.NONE
        text.add(
            Span(span.row, start, end),
            rows[span.row][start:end],
            "\n" if above is None else "",
            grade,
        )
        above = span
