"""Redaction of a stream of text, line by line: nothing is released before it is complete.

A secret is visible before it is complete, so the last line is held until its newline, and a PEM
block until its end. Memory is bounded: a line or block that grows past the limit is redacted as
far as it goes. Cost: linear.
"""

import re
from collections.abc import Callable

__all__ = ["RedactedLines"]

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|Private-Lines: |PuTTY-User-Key-File-")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY|Private-MAC: ")
_BLOCK_LINES = 1000  # an RSA key of 16,384 bits has 200
_LINE_LIMIT = 1 << 20


class RedactedLines:
    """Redacts text fed in any pieces, complete lines at a time (see `Redactor.lines()`)."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._partial: list[str] = []
        self._partial_length = 0
        self._block: list[str] = []

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
        text = "".join([*self._block, *self._partial])
        self._block, self._partial, self._partial_length = [], [], 0
        return self._redact(text) if text else ""

    def _release(self, lines: list[str]) -> str:
        ready: list[str] = []
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
        return self._redact("".join(ready)) if ready else ""
