"""Redaction of a stream of text, line by line: nothing is released before it is complete.

A secret is visible before it is complete, so the last line is held until its newline, a PEM block until
its end, and a line that ends with a secret, or with what may be the first part of one, until the next. Memory
is bounded: what grows past the limit is redacted as far as it goes. Cost: linear.
"""

import re
from collections.abc import Callable, Sequence

from .joined_text import may_go_on

__all__ = ["RedactedLines"]

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|Private-Lines: |PuTTY-User-Key-File-")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY|Private-MAC: ")
_BLOCK_LINES = 1000  # an RSA key of 16,384 bits has 200
_LINE_LIMIT = 1 << 20
_ENDS_WITH_SECRET = re.compile(r"\[redacted:(?!private-key:)[^\]\n]*\]\**\n?\Z")
_OVER_LINES = 10  # lines over which one secret may be cut
_HELD_LINES = 64


class RedactedLines:
    """Redacts text fed in any pieces, complete lines at a time (see `Redactor.lines()`)."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._partial: list[str] = []
        self._partial_length = 0
        self._block: list[str] = []
        self._held: list[str] = []

    def feed(self, text: str) -> str:
        """Return what can be released now: complete lines and PEM blocks; often nothing."""
        complete, newline, rest = text.rpartition("\n")
        out = ""
        if newline:
            lines = "".join([*self._partial, complete, newline]).splitlines(keepends=True)
            self._partial, self._partial_length = [], 0
            out = self._release(lines)
        if rest:
            self._partial.append(rest)
            self._partial_length += len(rest)
            if self._partial_length > _LINE_LIMIT:
                out += self.close()
        return out

    def close(self) -> str:
        """Return what was held back; the stream is over (or a line exceeds the limit)."""
        text = "".join([*self._held, *self._block, *self._partial])
        self._held, self._block, self._partial, self._partial_length = [], [], [], 0
        return self._redact(text) if text else ""

    def _release(self, lines: list[str]) -> str:
        ready, self._held = self._held, []
        for line in lines:
            if self._block:
                self._block.append(line)
                if _END.search(line) or len(self._block) > _BLOCK_LINES:
                    ready += self._block
                    self._block = []
            elif (begin := _BEGIN.search(line)) and not _END.search(line, begin.end()):
                self._block.append(line)
            else:
                ready.append(line)
        if not ready:
            return ""
        out = self._redact("".join(ready))
        if self._block:
            return out
        whole = _before_cut(ready)
        if _ENDS_WITH_SECRET.search(out):
            whole = min(whole, self._uncut(ready))
        if whole == len(ready):
            return out
        self._held = ready[whole:]
        return self._redact("".join(ready[:whole])) if whole else ""

    def _uncut(self, lines: list[str]) -> int:
        """How many lines may go before the last secret, which is at their end, and its earlier lines."""
        for count in range(len(lines) - 1, max(-1, len(lines) - _HELD_LINES), -1):
            before = "".join(lines[max(0, count - _OVER_LINES) : count])
            if not before or not _ENDS_WITH_SECRET.search(self._redact(before)):
                return count
        return len(lines)


def _before_cut(lines: Sequence[str]) -> int:
    """How many lines may go before those at the end of which each may go on in the next."""
    for count in range(len(lines), max(-1, len(lines) - _HELD_LINES), -1):
        if not count or not may_go_on(lines[count - 1]):
            return count
    return len(lines)
