"""The redactor: finds secrets in a text by the rule tables and masks them.

Takes text and a key; gives text. No I/O. Two compiled alternations (built as tries) look for the
anchors of all rules in one pass each; only where one stands is a rule's pattern tried. Linear: an
attempt costs a constant, and the scan goes on behind a hit.

A replacement is `[redacted:<rule>:<hmac8>]`, the first 8 hex digits of HMAC-SHA256 of the secret
under the archive's key, so equal secrets stay recognisable and none can be tested without the key.
Text already redacted is left alone: replacements divide the text, and only what lies between them
is scanned; a scan is repeated while it finds more, so redacting twice changes nothing.
"""

import hashlib
import hmac
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from . import generic_rules as context
from . import vendors_ai, vendors_cloud, vendors_code, vendors_saas
from .known_secrets import KnownSecrets
from .prefilter import Anchors
from .rule import Rule
from .stream import RedactedLines
from .unwrap import mask_rows, reflow

__all__ = ["RULES", "Redactor"]

RULES: tuple[Rule, ...] = (
    *vendors_ai.RULES,
    *vendors_code.RULES,
    *vendors_cloud.RULES,
    *vendors_saas.RULES,
    *context.RULES,
)
_KNOWN = "known"
_RANK = {rule.name: rank for rank, rule in reversed(list(enumerate(RULES)))} | {_KNOWN: -1}
_MARKER = re.compile(rf"\[redacted:(?:{'|'.join(sorted(_RANK))}):[0-9a-f]{{8}}\]")
_TOUCHING = Anchors([rule for rule in RULES if not rule.inside], bounded=True)
_INSIDE = Anchors([rule for rule in RULES if rule.inside], bounded=False)
_ROUNDS = 8  # more rounds than nested finds were ever seen to need: 2


class _Find(NamedTuple):
    start: int
    end: int
    name: str
    digest: str


class Redactor:
    """Masks secrets. `key`: the archive's; `secrets`: values known to be secret (`secret_values`).

    Immutable and safe to share. Secrets shorter than 8 characters are not looked for.
    """

    def __init__(self, key: bytes, secrets: Iterable[str] = ()) -> None:
        self._hmac = hmac.new(key, digestmod=hashlib.sha256)
        self._known = KnownSecrets(secrets)

    def redact(self, text: str) -> str:
        """The text with every secret found replaced. Idempotent; linear in the text."""
        for _ in range(_ROUNDS):
            finds = self._find(text)
            if not finds:
                break
            text = _replace(text, finds)
        return text

    def redact_rows(
        self, rows: Sequence[str], columns: int, wrapped: Sequence[bool] | None = None
    ) -> list[str]:
        """Screen rows, wrapped by terminal or program at `columns` cells, with secrets masked.

        wrapped: per row, True where the terminal itself broke the line (the next row continues
        it); without it, and for what programs break, rows that reach the right edge are joined.
        Gives as many rows, each of the width it had: a replacement stands in the widest part of
        its secret that has the room, the rest is `*`.
        """
        masked = list(rows)
        for _ in range(_ROUNDS):
            marks = [
                (layout.spans(find.start, find.end), f"[redacted:{find.name}:{find.digest}]")
                for layout in reflow(masked, columns, wrapped)
                for find in self._find(layout.text, layout.joints)
            ]
            if not marks:
                break
            masked = mask_rows(masked, marks)
        return masked

    def lines(self) -> RedactedLines:
        """A streaming redactor of logical lines: see `RedactedLines`."""
        return RedactedLines(self.redact)

    def _find(self, text: str, joints: Sequence[int] = ()) -> list[_Find]:
        """What to mask, in order, without overlaps."""
        hits = sorted(
            (base + start, base + end, name)
            for base, piece in _between_markers(text)
            for start, end, name in self._hits(piece, _within(joints, base, len(piece)))
        )
        finds: list[_Find] = []
        group: list[tuple[int, int, str]] = []
        end = -1
        for hit in [*hits, (len(text) + 1, 0, "")]:
            if group and hit[0] >= end:
                # Of overlapping hits the most telling names the find; all of them are masked.
                best = min(group, key=lambda h: (_RANK[h[2]], h[0] - h[1]))
                finds.append(
                    _Find(group[0][0], end, best[2], self._digest(text[best[0] : best[1]]))
                )
                group, end = [], -1
            group.append(hit)
            end = max(end, hit[1])
        return finds

    def _hits(self, piece: str, joints: Sequence[int]) -> Iterator[tuple[int, int, str]]:
        yield from _TOUCHING.hits(piece, joints)
        yield from _INSIDE.hits(piece, joints)
        for start, end in self._known.spans(piece):
            yield start, end, _KNOWN

    def _digest(self, secret: str) -> str:
        mac = self._hmac.copy()
        mac.update(secret.encode("utf-8", "surrogatepass"))
        return mac.hexdigest()[:8]


def _within(joints: Sequence[int], base: int, length: int) -> Sequence[int]:
    """The joints inside a piece, counted from its start."""
    if not joints:
        return ()
    inside = joints[bisect_right(joints, base) : bisect_left(joints, base + length)]
    return [joint - base for joint in inside]


def _between_markers(text: str) -> Iterator[tuple[int, str]]:
    if "[redacted:" not in text:
        yield 0, text
        return
    position = 0
    for marker in _MARKER.finditer(text):
        yield position, text[position : marker.start()]
        position = marker.end()
    yield position, text[position:]


def _replace(text: str, finds: Iterable[_Find]) -> str:
    parts: list[str] = []
    position = 0
    for find in finds:
        parts += (text[position : find.start], f"[redacted:{find.name}:{find.digest}]")
        position = find.end
    parts.append(text[position:])
    return "".join(parts)
