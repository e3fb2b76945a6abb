"""The redactor: finds secrets in a text by the rule tables and masks them.

No I/O. Two compiled alternations (built as tries) look for the anchors of all rules in one pass
each; only where one is found is a rule's pattern tried. Linear: an attempt costs a constant, and the
scan continues behind a hit.

A replacement is `[redacted:<rule>:<hmac8>]`, the first 8 hex digits of HMAC-SHA256 of the secret
under the archive's key, so equal secrets stay recognisable and none can be tested without the key.
Text already redacted is left alone: replacements divide the text, and only the text between them
is scanned; a scan is repeated while it finds more, so redacting twice changes nothing.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from dejavu.model import DejavuError
from dejavu.model.late_pattern import late_pattern

from .columns import COLUMN, column_hits
from .columns import RULE as HEADING
from .joined_text import NO_JOINTS, Joints, Span
from .known_secrets import KnownSecrets, Seen
from .lookalikes import escape_at, fold_lookalikes, unescaped_parts
from .marks import MARKED, Mark, Marks, draw_labels
from .pairs import companions_near
from .prefilter import AnchorScanner
from .rule_table import RULES, VENDORS
from .stream import RedactedLines

__all__ = ["PAIRED", "RULES", "Redactor", "UnjudgedError"]

_KNOWN = "known"
_CUT = "cut-off"  # what may be left of a secret next to rows that were not seen
_WITHHELD = "withheld"  # a row that names a secret and shows what a cut has left of it
_COMPANIONS = {rule.name: rule.companions for rule in RULES if rule.companions}
PAIRED = frozenset(_COMPANIONS)
"""Rules that find ids, to each of which a secret belongs."""
_PUBLIC = frozenset(rule.name for rule in RULES if rule.public)
_RANK = {
    **{rule.name: rank for rank, rule in reversed(list(enumerate(RULES)))},
    # An id tells more of what goes with it than a name, and less than a prefix.
    **{other.name: len(VENDORS) for others in _COMPANIONS.values() for other in others},
    **{rule.name: rank for rank, rule in reversed(list(enumerate(VENDORS)))},
    _KNOWN: -1,
    COLUMN: len(RULES),
    _CUT: len(RULES),
    _WITHHELD: len(RULES),
}
_TOKENS = {rule.name for rule in RULES if rule.random}
_MARKER = late_pattern(
    rf"\[redacted:(?:{'|'.join(sorted(_RANK))}):[0-9a-f]{{8}}\]|{MARKED.pattern}"
)
_REPLACED_ID = late_pattern(rf"\[redacted:({'|'.join(sorted(_COMPANIONS))}):[0-9a-f]{{8}}\]")
_AT_WORD_START = AnchorScanner([rule for rule in RULES if not rule.anchored_inside], bounded=True)
_ANYWHERE = AnchorScanner([rule for rule in RULES if rule.anchored_inside], bounded=False)
_ESCAPES = re.compile(r"\\+(?:[nrtbf\"/]|u[0-9a-fA-F]{4})")
PUNCTUATION = ".,;:!?)]}>\"'`*"  # what a sentence, a bracket or Markdown puts after a secret
_ROUNDS = 8  # nested findings were never seen to need more than 2


class UnjudgedError(DejavuError):
    """A text that cannot be said to be free of secrets: it is to be withheld."""


class _Finding(NamedTuple):
    start: int
    end: int
    name: str
    digest: str


class Redactor:
    """Masks secrets. `key` is the archive's, `secrets` are values known to be secret.

    Immutable and safe to share. Secrets shorter than 8 characters are not looked for.
    """

    def __init__(self, key: bytes, secrets: Iterable[str] = ()) -> None:
        self._hmac = hmac.new(key, digestmod=hashlib.sha256)
        self._known = KnownSecrets(secrets)
        self._marks = Marks()

    def redact(self, text: str) -> str:
        """Return the text with every secret found replaced. Idempotent; linear in the text."""
        seen = Seen()
        for _ in range(_ROUNDS):
            findings = self._find(text, seen=seen)
            if not findings:
                break
            text = _replace(text, findings)
        return text

    def findings(self, text: str, *, escaped: bool = False) -> list[tuple[str, str, str]]:
        """Return rule, digest and value of every secret in a text, as `redact` marks them.

        escaped: JSON inside the text may hide the beginning of a word behind an escape; its escapes
        count as blanks too.
        """
        findings = self._find(text)
        if escaped and "\\" in text:
            # Of the same length, so what both readings have is there only once.
            known = [(finding.start, finding.end) for finding in findings]
            findings += [
                finding
                for finding in self._find(_ESCAPES.sub(_blank, text))
                if not any(start < finding.end and finding.start < end for start, end in known)
            ]
        return [
            (finding.name, finding.digest, text[finding.start : finding.end])
            for finding in findings
        ]

    def places(self, text: str) -> list[tuple[int, str]]:
        """Return line (from 1) and rule of every secret in a text, in its order."""
        found = sorted((finding.start, finding.name) for finding in self._find(text))
        return [(text.count("\n", 0, start) + 1, name) for start, name in found]

    def redact_rows(
        self, rows: Sequence[str], columns: int, wrapped: Sequence[bool] | None = None
    ) -> list[str]:
        """Mask secrets in screen rows, wrapped by terminal or program at `columns` cells.

        wrapped: per row, True where the terminal itself broke the line (the next row continues
        it); what programs broke is found by reading the rows in every way they may be joined.
        Returns as many rows, each of the width it had: a replacement goes into the widest part of
        its secret that has the room, the rest is `*`.
        """
        return self._masked(rows, columns, wrapped, draw_labels)[0]

    def mask_block(
        self,
        rows: Sequence[str],
        columns: int,
        wrapped: Sequence[bool] | None = None,
        *,
        cut_above: bool = False,
        cut_below: bool = False,
        suspect: Sequence[bool] = (),
        ends: Sequence[bool] = (),
        widths: Sequence[int] = (),
    ) -> list[str]:
        """Return the rows of a block with marks over its secrets, each as wide as before.

        The marks stay in a text that is made of the rows; `labels` turns them into replacements.
        suspect: per row, whether something inside it may be missing; ends: per row, whether its
        block ends there; widths: per row, the columns it was drawn for, where not `columns`.

        Raises:
            UnjudgedError: the rows hold more than can be found in a bounded number of passes.
        """
        masked, settled = self._masked(self._marks.clean(rows), columns, wrapped, self._marks.cover)
        if not settled:
            raise UnjudgedError("secrets are nested too deeply")
        from .cut_runs import RowFacts, cut_runs  # as in `_masked`

        facts = RowFacts(cut_above, cut_below, suspect, ends, widths or [columns] * len(rows))
        cuts = cut_runs(masked, facts)
        marks = [
            (
                (span,),
                f"[redacted:{_CUT}:{self._digest(masked[span.row][span.start : span.end])}]",
            )
            for span in cuts
        ]
        return self._withheld(self._marks.cover(masked, marks))

    def _withheld(self, rows: list[str]) -> list[str]:
        """Return rows with marks over all of a row in which what a cut has left cannot be judged."""
        from .cut_values import is_unjudged  # as in `_masked`

        marks = [
            (
                (Span(number, len(row) - len(row.lstrip()), len(row.rstrip())),),
                f"[redacted:{_WITHHELD}:{self._digest(row.strip())}]",
            )
            for number, row in enumerate(rows)
            if is_unjudged(row)
        ]
        return self._marks.cover(rows, marks) if marks else rows

    def labels(self, text: str) -> str:
        """Return a text made of rows of `mask_block` with replacements for the marks."""
        return self._marks.labels(text)

    def _masked(
        self,
        rows: Sequence[str],
        columns: int,
        wrapped: Sequence[bool] | None,
        cover: Callable[[Sequence[str], Sequence[Mark]], list[str]],
    ) -> tuple[list[str], bool]:
        """Return the rows with what is found covered, and whether nothing more is to be found."""
        from .program_readings import (
            program_readings,  # a hook redacts texts, and waits for imports
        )
        from .row_readings import row_readings

        masked, seen = list(rows), Seen()
        for _ in range(_ROUNDS):
            marks = [
                (
                    reading.spans(finding.start, finding.end),
                    f"[redacted:{finding.name}:{finding.digest}]",
                )
                for reading in (
                    *row_readings(masked, columns, wrapped),
                    *program_readings(masked, columns, wrapped),
                )
                for finding in self._find(reading.text, reading.joints, seen)
            ]
            if not marks:
                return masked, True
            masked = cover(masked, marks)
        return masked, False

    def lines(self) -> RedactedLines:
        """Return a streaming redactor of logical lines."""
        return RedactedLines(self.redact)

    def _find(
        self, text: str, joints: Joints = NO_JOINTS, seen: Seen | None = None
    ) -> list[_Finding]:
        """Return what to mask, in order, without overlaps; `seen`: values that are known, and are added to."""
        found = [
            (base + start, base + end, name)
            for base, piece in _between_markers(text)
            for start, end, name in self._hits(piece, joints.within(base, len(piece)))
        ]
        ids = [hit for hit in found if hit[2] in _COMPANIONS]
        if "[redacted:" in text:
            ids += [(*mark.span(), mark[1]) for mark in _REPLACED_ID.finditer(text)]
        hits = sorted(hit for hit in found if hit[2] not in _PUBLIC)
        if joints.offsets:
            hits = _as_far_as_tokens(hits, joints)
        if ids or any(hit[2] == HEADING.name for hit in found):
            hits = sorted(
                {*hits, *companions_near(text, ids, _COMPANIONS), *column_hits(text, found)}
            )
        if seen is not None:
            seen.learn((text[start:end], name) for start, end, name in hits)
            again = (
                (base + start, base + end, name)
                for base, piece in _between_markers(text)
                for start, end, name in seen.spans(piece)
            )
            hits = sorted({*hits, *again})
        findings: list[_Finding] = []
        group: list[tuple[int, int, str]] = []
        end = -1
        for hit in [*hits, (len(text) + 1, 0, "")]:
            if group and hit[0] >= end:
                # The hit of highest rank names the finding; all overlapping ones are masked.
                best = min(group, key=lambda h: (_RANK[h[2]], h[0] - h[1]))
                secret = text[best[0] : best[1]]
                if best[2] in _TOKENS and "\n" in secret:
                    secret = "".join(secret.split())  # a program broke it over lines
                findings.append(_Finding(group[0][0], end, best[2], self._digest(secret)))
                group, end = [], -1
            group.append(hit)
            end = max(end, hit[1])
        return findings

    def _hits(self, piece: str, joints: Joints) -> Iterator[tuple[int, int, str]]:
        yield from self._hits_as_written(piece, joints)
        if (read := fold_lookalikes(piece)) is not None:
            letters, offsets = read
            for start, end, name in self._hits_as_written(letters, joints.moved(offsets)):
                yield offsets[start], offsets[end - 1] + 1, name
        for letters, offsets in unescaped_parts(piece):
            for start, end, name in self._hits_as_written(letters, joints.moved(offsets)):
                yield offsets[start], escape_at(piece, offsets[end - 1]), name

    def _hits_as_written(self, piece: str, joints: Joints) -> Iterator[tuple[int, int, str]]:
        yield from _AT_WORD_START.hits(piece, joints)
        yield from _ANYWHERE.hits(piece, joints)
        for start, end in self._known.spans(piece):
            yield start, end, _KNOWN

    def _digest(self, secret: str) -> str:
        """The mark's digest: a full stop or bracket that a sentence puts after a secret is no part."""
        read = _without_escapes(secret)
        return self._mac(read.rstrip(PUNCTUATION) or read)

    def digest_as_written(self, secret: str) -> str:
        """The digest of a value with whatever follows it, as marks had it before."""
        return self._mac(_without_escapes(secret))

    def _mac(self, secret: str) -> str:
        mac = self._hmac.copy()
        mac.update(secret.encode("utf-8", "surrogatepass"))
        return mac.hexdigest()[:8]


def _without_escapes(secret: str) -> str:
    """The letters that a secret's escapes and lookalikes stand for."""
    secret = "".join(letters for letters, _ in unescaped_parts(secret)) or secret
    read = fold_lookalikes(secret)
    return secret if read is None else read[0]


def _as_far_as_tokens(
    hits: list[tuple[int, int, str]], joints: Joints
) -> list[tuple[int, int, str]]:
    """Return hits, each up to the joint at which a token in it ends, as its rule says."""
    edges = set(joints.offsets)
    ends = [(start, end) for start, end, name in hits if name in _TOKENS and end in edges]
    return [
        (start, min([end, *(at for begin, at in ends if start <= begin and at < end)]), name)
        for start, end, name in hits
    ]


def _blank(escape: re.Match[str]) -> str:
    last = escape[0][-1]
    plain_char = "\n" if last in "nr" else '"' if last == '"' else " "
    return " " * (len(escape[0]) - 1) + plain_char


def _between_markers(text: str) -> Iterator[tuple[int, str]]:
    if "[redacted:" not in text and (text.isascii() or MARKED.search(text) is None):
        yield 0, text
        return
    position = 0
    for marker in _MARKER.finditer(text):
        yield position, text[position : marker.start()]
        position = marker.end()
    yield position, text[position:]


def _replace(text: str, findings: Iterable[_Finding]) -> str:
    parts: list[str] = []
    position = 0
    for finding in findings:
        parts += (text[position : finding.start], f"[redacted:{finding.name}:{finding.digest}]")
        position = finding.end
    parts.append(text[position:])
    return "".join(parts)
