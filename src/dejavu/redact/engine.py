"""The redactor: finds secrets in a text by the rule tables and masks them.

No I/O. Two compiled alternations (built as tries) look for the anchors of all rules in one pass
each; only where one stands is a rule's pattern tried. Linear: an attempt costs a constant, and the
scan continues behind a hit.

A replacement is `[redacted:<rule>:<hmac8>]`, the first 8 hex digits of HMAC-SHA256 of the secret
under the archive's key, so equal secrets stay recognisable and none can be tested without the key.
Text already redacted is left alone: replacements divide the text, and only what lies between them
is scanned; a scan is repeated while it finds more, so redacting twice changes nothing.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from dejavu.model import DejavuError
from dejavu.model.late_pattern import late_pattern

from . import (
    command_rules,
    file_rules,
    generic_rules,
    password_rules,
    vendors_ai,
    vendors_cloud,
    vendors_code,
    vendors_pairs,
    vendors_saas,
)
from .columns import COLUMN, column_hits
from .columns import RULE as HEADING
from .encoded_rules import encoded_rules
from .joined_text import NO_JOINTS, Joints, Span
from .known_secrets import KnownSecrets
from .lookalikes import plain
from .marks import MARKED, Mark, Marks, draw_labels
from .pairs import companions_near
from .prefilter import AnchorScanner, trie
from .random_runs import (
    has_random_piece,
    is_file_name,
    is_numbered_words,
    is_of_initials,
    is_of_names,
    is_unspeakable,
    is_words,
)
from .rule import Rule
from .stream import RedactedLines

__all__ = ["RULES", "Redactor", "UnjudgedError"]

_VENDORS = (
    *vendors_ai.RULES,
    *vendors_code.RULES,
    *vendors_cloud.RULES,
    *vendors_saas.RULES,
    *vendors_pairs.RULES,
)
RULES: tuple[Rule, ...] = (
    *_VENDORS,
    *generic_rules.RULES,
    *encoded_rules(_VENDORS),
    *file_rules.RULES,
    *password_rules.RULES,
    *command_rules.RULES,
    HEADING,
)
_KNOWN = "known"
_CUT = "cut-off"  # what may be left of a secret beside rows that were not seen
_WITHHELD = "withheld"  # a row that names a secret and shows what a cut has left of it
_COMPANIONS = {rule.name: rule.companions for rule in RULES if rule.companions}
_PUBLIC = frozenset(rule.name for rule in RULES if rule.public)
_RANK = {
    **{rule.name: rank for rank, rule in reversed(list(enumerate(RULES)))},
    # An id tells more of what goes with it than a name, and less than a prefix.
    **{other.name: len(_VENDORS) for others in _COMPANIONS.values() for other in others},
    **{rule.name: rank for rank, rule in reversed(list(enumerate(_VENDORS)))},
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
_PREFIXES = sorted({anchor for rule in RULES if rule.random for anchor in rule.anchors})
_LONG_PREFIX = 10  # characters of a prefix that may not stand alone beside a cut either
_RUNS_KNOWN = 4096  # runs whose judgement is kept: the same rows are read again and again


@cache
def _vendor_prefixes() -> list[str]:
    """The prefixes that are no words: what is drawn behind one and ends a row is a token's part."""
    return [
        prefix
        for prefix in _PREFIXES
        if len(prefix) >= 4
        and prefix[0].isalnum()
        and (
            prefix.isupper()
            or not is_words(prefix)
            or len(prefix) >= _LONG_PREFIX
            or (prefix[-1] in "-_" and not is_of_names(prefix))
            or is_of_initials(prefix)
        )
    ]


@cache
def _beginnings() -> frozenset[str]:
    """The beginnings of prefixes that may not be beside a cut either."""
    return frozenset(
        prefix[:length] for prefix in _PREFIXES for length in range(_LONG_PREFIX, len(prefix) + 1)
    )


_TOKEN = late_pattern(lambda: "(?<![A-Za-z0-9])" + trie(_vendor_prefixes()))
# Other prefixes are words of any program (`test_`, `key-`): what follows must look drawn.
_WORD_PREFIX = late_pattern(
    lambda: (
        "(?<![A-Za-z0-9])"
        + trie(
            [p for p in _PREFIXES if re.search(r"...[-_.$]\Z", p) and p not in _vendor_prefixes()]
        )
    )
)
_PREFIX = late_pattern(
    lambda: "(?:^|(?<=[=:]))" + trie([p for p in _PREFIXES if re.search(r"\w[-_.$]\Z", p)])
)
_SPELT = re.compile(r"[a-z]*(?:[-_./:=][a-z]*)*")
_NUMBER = re.compile("[0-9]{3}")
_VERSION = re.compile(
    r"[0-9]{1,4}(?:\.[0-9]{1,5})*[a-z]{0,2}"
)  # behind `0.`, which tokens begin with
_ANY_PREFIX = re.compile("[a-z]{2,6}_(?=[a-z]*[0-9]+[a-z])")
_SHORTEST_WORD = 3
_ESCAPES = re.compile(r"\\+(?:[nrtbf\"/]|u[0-9a-fA-F]{4})")
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
        for _ in range(_ROUNDS):
            findings = self._find(text)
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
        Returns as many rows, each of the width it had: a replacement stands in the widest part of
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
        cuts = cut_runs(masked, _RunKinds(), facts)
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

        masked = list(rows)
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
                for finding in self._find(reading.text, reading.joints)
            ]
            if not marks:
                return masked, True
            masked = cover(masked, marks)
        return masked, False

    def lines(self) -> RedactedLines:
        """Return a streaming redactor of logical lines."""
        return RedactedLines(self.redact)

    def _find(self, text: str, joints: Joints = NO_JOINTS) -> list[_Finding]:
        """Return what to mask, in order, without overlaps."""
        found = [
            (base + start, base + end, name)
            for base, piece in _between_markers(text)
            for start, end, name in self._hits(piece, joints.within(base, len(piece)))
        ]
        ids = [hit for hit in found if hit[2] in _COMPANIONS]
        if "[redacted:" in text:
            ids += [(*mark.span(), mark[1]) for mark in _REPLACED_ID.finditer(text)]
        hits = sorted(hit for hit in found if hit[2] not in _PUBLIC)
        if ids or any(hit[2] == HEADING.name for hit in found):
            hits = sorted(
                {*hits, *companions_near(text, ids, _COMPANIONS), *column_hits(text, found)}
            )
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
        if (read := plain(piece)) is not None:
            letters, offsets = read
            for start, end, name in self._hits_as_written(letters, joints.moved(offsets)):
                yield offsets[start], offsets[end - 1] + 1, name

    def _hits_as_written(self, piece: str, joints: Joints) -> Iterator[tuple[int, int, str]]:
        yield from _AT_WORD_START.hits(piece, joints)
        yield from _ANYWHERE.hits(piece, joints)
        for start, end in self._known.spans(piece):
            yield start, end, _KNOWN

    def _digest(self, secret: str) -> str:
        read = plain(secret)
        secret = secret if read is None else read[0]
        mac = self._hmac.copy()
        mac.update(secret.encode("utf-8", "surrogatepass"))
        return mac.hexdigest()[:8]


def _blank(escape: re.Match[str]) -> str:
    last = escape[0][-1]
    plain_char = "\n" if last in "nr" else '"' if last == '"' else " "
    return " " * (len(escape[0]) - 1) + plain_char


@lru_cache(maxsize=_RUNS_KNOWN)
def _begins(run: str) -> bool:
    """Whether a run that may be cut short is the beginning of a vendor's token."""
    if _TOKEN.search(run) is not None:
        return True
    prefixes = _WORD_PREFIX.finditer(run)
    if any(has_random_piece(run[match.end() :]) for match in prefixes) and not is_file_name(run):
        return True
    return run in _beginnings()


@lru_cache(maxsize=_RUNS_KNOWN)
def _is_prefixed(run: str) -> bool:
    """Whether a run that is no path begins as a token does, and goes on with no word."""
    if "/" in run:
        return False
    if (any_ := _ANY_PREFIX.match(run)) and not is_numbered_words(run[any_.end() :]):
        return True
    rests = (run[match.end() :] for match in _PREFIX.finditer(run))
    return any(
        (not _SPELT.fullmatch(rest) and not _VERSION.fullmatch(rest))
        or 0 < len(rest) < _SHORTEST_WORD
        or is_unspeakable(rest)
        for rest in rests
    )


@lru_cache(maxsize=_RUNS_KNOWN)
def _is_begun(run: str) -> bool:
    """Whether a run that is no path begins as a token does, and goes on as no name would."""
    if "/" in run:
        return False
    rests = (run[match.end() :] for match in _PREFIX.finditer(run))
    return any(not is_numbered_words(rest) or _NUMBER.match(rest) for rest in rests)


def _token(text: str, start: int, end: int) -> re.Match[str] | None:
    return _TOKEN.search(text, start, end)


class _RunKinds:
    """What the tables say of runs (`cut_runs.RunKinds`)."""

    begins = staticmethod(_begins)
    token = staticmethod(_token)
    is_prefixed = staticmethod(_is_prefixed)
    is_begun = staticmethod(_is_begun)


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
