"""Secrets split over several texts: blocks of a turn, strings of a JSON value, turns that follow each other.

Redaction judges each text alone. Here the texts are joined first, without anything
between where a word may go on and by line ends, and what only the joined text shows to be a secret is
replaced in each of the texts that hold a piece of it. Pure. Cost: two more readings of the ends of
texts (`_EDGE` characters), and of short texts whole.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .random_runs import is_words

__all__ = ["DATA", "gaps", "mark_split", "replaced_in"]

DATA = re.compile(r"[A-Za-z0-9+/]{256,}={0,2}")
"""A picture in base64, which a rule that hits by chance would spoil."""
_MARK = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]")
_EDGE, _KEY_EDGE = 2048, 16_384  # characters at each end of a text; where a key file may be cut
_HEADER = re.compile(r"-----(?:BEGIN|END)[A-Z ]{1,40}KEY(?: BLOCK)?-----")
_BODY = re.compile(r"[A-Za-z0-9+/=]{32,}")
_LONGEST_HEADER = 160
_TAGS = frozenset((
    "text", "input_text", "output_text", "summary_text", "thinking", "redacted_thinking", "reasoning",
    "tool_use", "tool_result", "tool_call", "tool_call_response", "function", "function_call",
    "message", "document", "image", "image_url", "json", "markdown", "user", "assistant", "system",
    "tool",
))  # fmt: skip
"""Values of `type` and `role`. Other lower-case words may be a piece of a secret."""
_FIRST = re.compile(r"[A-Za-z0-9+/=_.~-]")

Redact = Callable[[str], str]


class _Piece(NamedTuple):
    """A part of a text that is joined with others: the text's number, and where the part begins."""

    number: int
    offset: int
    text: str


class _Span(NamedTuple):
    start: int
    end: int
    label: str


def mark_split(texts: Sequence[str], redact: Redact) -> list[str]:
    """Return the texts with replacements for secrets that no one of them shows alone."""
    spans: dict[int, list[_Span]] = {}
    # What says of what kind a value is (`{"type": "text", ...}`) is between the texts, not in them.
    untagged = [(number, text) for number, text in enumerate(texts) if text not in _TAGS]
    for run in _runs(untagged):
        for number, span in _found_in(run, redact):
            spans.setdefault(number, []).append(span)
    marked = list(texts)
    for number, found in spans.items():
        marked[number] = _replaced(texts[number], _merged(found))
    return marked


def _found_in(run: Sequence[_Piece], redact: Redact) -> Iterator[tuple[int, _Span]]:
    """Yield, by the text's number, what pieces show to be secret, joined in either way."""
    cut = [not (one.text[-1].isspace() or other.text[0].isspace()) for one, other in pairwise(run)]
    yield from _found(run, ["\n"] * len(cut), redact)
    if any(cut):
        yield from _found(run, ["" if goes_on else "\n" for goes_on in cut], redact)


def _runs(texts: Iterable[tuple[int, str]]) -> Iterator[list[_Piece]]:
    """Yield what is read together: texts up to the middle of a long one, and on from there."""
    run: list[_Piece] = []
    for number, text in texts:
        edge = _KEY_EDGE if "PRIVATE KEY" in text else _EDGE
        if len(text) <= 2 * edge and not DATA.fullmatch(text):
            if text:
                run.append(_Piece(number, 0, text))
            continue
        if not DATA.fullmatch(text):
            run.append(_Piece(number, 0, text[:edge]))
        if len(run) > 1:
            yield run
        run = [] if DATA.fullmatch(text) else [_Piece(number, len(text) - edge, text[-edge:])]
    if len(run) > 1:
        yield run


def _found(
    run: Sequence[_Piece], between: Sequence[str], redact: Redact
) -> Iterator[tuple[int, _Span]]:
    """Yield, by the text's number, what the joined pieces show to be secret."""
    starts, parts, at = [0], [run[0].text], len(run[0].text)
    for piece, separator in zip(run[1:], between, strict=True):
        parts += (separator, piece.text)
        starts.append(at + len(separator))
        at += len(separator) + len(piece.text)
    joined = "".join(parts)
    clean = redact(joined)
    if clean == joined:
        return
    for gap in gaps(joined, clean):
        shares = [
            (piece, _Span(max(gap.start - start, 0), min(gap.end - start, len(piece.text)), gap.label))
            for piece, start in zip(run, starts, strict=True)
            if gap.start < start + len(piece.text) and start < gap.end
        ]  # fmt: skip
        if len(shares) > 1 and "PRIVATE" in joined[gap.start : gap.end]:
            shares = [(piece, span) for piece, span in shares if _is_of_a_key(piece, span)]
            if not any(_BODY.search(piece.text, span.start, span.end) for piece, span in shares):
                continue
        elif _is_shown_alone(*shares[0], redact) and (len(shares) == 1 or _are_words(shares[1:])):
            continue
        for piece, share in shares:
            span = _with_whole(piece, share, redact)
            yield (
                piece.number,
                _Span(piece.offset + span.start, piece.offset + span.end, gap.label),
            )


def _with_whole(piece: _Piece, share: _Span, redact: Redact) -> _Span:
    """Return a share with all of the secrets that it takes a piece of: no rule would know the rest."""
    own = [
        gap for gap in gaps(piece.text, redact(piece.text))
        if gap.start < share.end and share.start < gap.end
    ]  # fmt: skip
    return share._replace(
        start=min([share.start, *(gap.start for gap in own)]),
        end=max([share.end, *(gap.end for gap in own)]),
    )


def gaps(text: str, clean: str) -> Iterator[_Span]:
    """Yield what of a text its redacted form has replaced: what stays is there in the same order.

    Where the pieces that stay may be at more than one place, all is taken that may have been replaced.
    """
    labels = _MARK.findall(clean)
    kept = _MARK.split(clean)
    if not labels or not text.startswith(kept[0]) or not text.endswith(kept[-1]):
        return
    ends = [len(kept[0])]  # where each piece ends at the earliest
    for piece in kept[1:-1]:
        at = text.find(piece, ends[-1] + 1)
        if at < 0:
            return
        ends.append(at + len(piece))
    starts = [len(text) - len(kept[-1])]  # where each piece begins at the latest
    for piece in reversed(kept[1:-1]):
        starts.append(text.rfind(piece, 0, starts[-1] - 1))
    for label, start, end in zip(labels, ends, reversed(starts), strict=True):
        if end <= start:
            return
        if text[start:end] != label:
            yield _Span(start, end, label)


def _are_words(shares: Sequence[tuple[_Piece, _Span]]) -> bool:
    """Whether what follows a secret that is whole is words, and no part of it."""
    return is_words("".join(piece.text[span.start : span.end] for piece, span in shares))


def replaced_in(text: str, clean: str) -> list[tuple[str, str]]:
    """Return what of a text its redacted form has replaced, and by what; the longest first."""
    pairs = {(text[gap.start : gap.end], gap.label) for gap in gaps(text, clean)}
    return sorted(pairs, key=lambda pair: (-len(pair[0]), pair))


def _is_of_a_key(piece: _Piece, span: _Span) -> bool:
    """Whether a piece of the text between the ends of a key is of the key, not other text."""
    text = piece.text[span.start : span.end]
    if len(text) < _LONGEST_HEADER and _HEADER.search(text):
        return True
    body = sum(len(run) for run in _BODY.findall(text))
    return 5 * body > 2 * len(text) or (len(text) < 64 and _FIRST.match(text) is not None
                                        and text.strip("=").isalnum())  # fmt: skip


def _is_shown_alone(piece: _Piece, span: _Span, redact: Redact) -> bool:
    """Whether a piece shows a secret without the others."""
    return piece.text[span.start : span.end] not in redact(piece.text)


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    """Return spans in order, those that overlap as one."""
    merged: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _replaced(text: str, spans: Sequence[_Span]) -> str:
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span.start], span.label)
        at = span.end
    return "".join([*parts, text[at:]])
