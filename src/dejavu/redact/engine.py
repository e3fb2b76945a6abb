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
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from . import generic_rules, password_rules, vendors_ai, vendors_cloud, vendors_code, vendors_saas
from .block_rows import block_readings, cut_runs
from .known_secrets import KnownSecrets
from .lookalikes import plain
from .prefilter import AnchorScanner
from .rule import Rule
from .stream import RedactedLines
from .unwrap import JoinedText, join_rows, mask_rows

__all__ = ["RULES", "Redactor"]

RULES: tuple[Rule, ...] = (
    *vendors_ai.RULES,
    *vendors_code.RULES,
    *vendors_cloud.RULES,
    *vendors_saas.RULES,
    *generic_rules.RULES,
    *password_rules.RULES,
)
_KNOWN = "known"
_RANK = {rule.name: rank for rank, rule in reversed(list(enumerate(RULES)))} | {_KNOWN: -1}
_MARKER = re.compile(rf"\[redacted:(?:{'|'.join(sorted(_RANK))}):[0-9a-f]{{8}}\]")
_AT_WORD_START = AnchorScanner([rule for rule in RULES if not rule.anchored_inside], bounded=True)
_ANYWHERE = AnchorScanner([rule for rule in RULES if rule.anchored_inside], bounded=False)
_ROUNDS = 8  # nested findings were never seen to need more than 2


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

    def redact(self, text: str) -> str:
        """Return the text with every secret found replaced. Idempotent; linear in the text."""
        for _ in range(_ROUNDS):
            findings = self._find(text)
            if not findings:
                break
            text = _replace(text, findings)
        return text

    def redact_rows(
        self, rows: Sequence[str], columns: int, wrapped: Sequence[bool] | None = None
    ) -> list[str]:
        """Mask secrets in screen rows, wrapped by terminal or program at `columns` cells.

        wrapped: per row, True where the terminal itself broke the line (the next row continues
        it); without it, and for what programs break, rows that reach the right edge are joined.
        Returns as many rows, each of the width it had: a replacement stands in the widest part of
        its secret that has the room, the rest is `*`.
        """
        return self._masked(rows, lambda masked: join_rows(masked, columns, wrapped))

    def redact_block(
        self,
        rows: Sequence[str],
        columns: int,
        wrapped: Sequence[bool] | None = None,
        *,
        cut_above: bool = False,
        cut_below: bool = False,
    ) -> list[str]:
        """Return the rows of one block of an agent's screen with secrets masked, as `redact_rows`.

        A block shows by itself how its agent wraps; it is read in all the ways of `block_readings`.
        Beside rows that were never seen (`cut_above`, `cut_below`, a fold inside) whatever may be
        the rest of a secret is covered by `*`.
        """
        masked = self._masked(rows, lambda now: block_readings(now, columns, wrapped))
        for row, start, end in cut_runs(masked, cut_above=cut_above, cut_below=cut_below):
            masked[row] = masked[row][:start] + "*" * (end - start) + masked[row][end:]
        return masked

    def _masked(
        self, rows: Sequence[str], readings: Callable[[Sequence[str]], Iterable[JoinedText]]
    ) -> list[str]:
        masked = list(rows)
        for _ in range(_ROUNDS):
            marks = [
                (
                    joined_text.spans(finding.start, finding.end),
                    f"[redacted:{finding.name}:{finding.digest}]",
                )
                for joined_text in readings(masked)
                for finding in self._find(joined_text.text, joined_text.joints)
            ]
            if not marks:
                break
            masked = mask_rows(masked, marks)
        return masked

    def lines(self) -> RedactedLines:
        """Return a streaming redactor of logical lines."""
        return RedactedLines(self.redact)

    def _find(self, text: str, joints: Sequence[int] = ()) -> list[_Finding]:
        """Return what to mask, in order, without overlaps."""
        hits = sorted(
            (base + start, base + end, name)
            for base, piece in _between_markers(text)
            for start, end, name in self._hits(piece, _within(joints, base, len(piece)))
        )
        findings: list[_Finding] = []
        group: list[tuple[int, int, str]] = []
        end = -1
        for hit in [*hits, (len(text) + 1, 0, "")]:
            if group and hit[0] >= end:
                # The hit of highest rank names the finding; all overlapping ones are masked.
                best = min(group, key=lambda h: (_RANK[h[2]], h[0] - h[1]))
                findings.append(
                    _Finding(group[0][0], end, best[2], self._digest(text[best[0] : best[1]]))
                )
                group, end = [], -1
            group.append(hit)
            end = max(end, hit[1])
        return findings

    def _hits(self, piece: str, joints: Sequence[int]) -> Iterator[tuple[int, int, str]]:
        yield from self._hits_as_written(piece, joints)
        if (read := plain(piece)) is not None:
            letters, offsets = read
            shifted = [bisect_left(offsets, joint) for joint in joints]
            for start, end, name in self._hits_as_written(letters, shifted):
                yield offsets[start], offsets[end - 1] + 1, name

    def _hits_as_written(self, piece: str, joints: Sequence[int]) -> Iterator[tuple[int, int, str]]:
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


def _within(joints: Sequence[int], base: int, length: int) -> Sequence[int]:
    """Return the joints inside a piece, as offsets from its start."""
    if not joints:
        return ()
    anchored_inside = joints[bisect_right(joints, base) : bisect_left(joints, base + length)]
    return [joint - base for joint in anchored_inside]


def _between_markers(text: str) -> Iterator[tuple[int, str]]:
    if "[redacted:" not in text:
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
