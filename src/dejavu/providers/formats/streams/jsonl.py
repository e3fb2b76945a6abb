"""JSON lines of a live trace, cut anywhere, each chunk with the moment it came.

Parses the bytes of a trace (a pipe's output, a spool of payloads) into the same `TurnUpdate`s as a
session file's parser. Does no I/O and owns no clock. O(bytes); holds the torn last line.

Moments that the trace does not tell are those of the chunks, to the second; they are facts, so that
reading the archive's raw bytes again produces the same turns.
"""

from bisect import bisect_right
from operator import itemgetter
from typing import Any

from dejavu.model import Span

from ...parsing import MAIN
from ..json_lines import UNREADABLE, decode_lenient, lines
from ..long_lines import BEGINNING, UNCHECKED, is_too_long, longest_line
from .dialogue import DialogueParser
from .values import clean

TORN = "(torn)"
"""What `drift` calls a line that was cut off."""
_GRAIN = 1.0  # seconds between the moments that are remembered


class LineParser(DialogueParser):
    """A parser of JSON lines that arrive while the agent runs. Subclasses give `record`."""

    _torn: bytearray
    _next: int

    def feed(self, data: bytes, offset: int, at: float | None = None) -> None:
        """Take the bytes at `offset`, cut anywhere; `at` is when they came (Unix seconds)."""
        if offset == 0:
            self.restart()
            self._in_long_line = False
        if at is not None:
            self._mark(offset, at)
        if offset != self._next:
            self._lose()
        self._next = offset + len(data)
        data, offset = self.skip_long_line(data, offset)
        end = data.rfind(b"\n") + 1
        if end:
            start = offset - len(self._torn)
            whole = bytes(self._torn) + data[:end] if self._torn else data[:end]
            self._torn = bytearray(data[end:])
            for line, position, length in lines(whole, start):
                if length > UNCHECKED and is_too_long(bytes(line)):
                    self._truncated(bytes(line[:BEGINNING]), position)
                else:
                    self.record(line, Span(position, length))
        else:
            self._torn += data
            if len(self._torn) > longest_line():
                start, beginning = self._next - len(self._torn), bytes(self._torn[:BEGINNING])
                self._torn = bytearray()
                self._in_long_line = True
                self._truncated(beginning, start)

    def beginning(self, line: memoryview, span: Span) -> None:
        """Take what can be read of a record that is too long."""
        self.record(line, span)
        self._write_all()

    def close(self) -> None:
        """The trace ended: what is open is settled, and what was held back is given."""
        if self._torn:
            torn, start = bytes(self._torn), self._next - len(self._torn)
            if isinstance(decode_lenient(torn), dict | list):
                self._torn.clear()
                self.record(memoryview(torn), Span(start, len(torn)))
            else:
                self._lose()
        self.end_answers()
        if MAIN not in self._names:
            self.name(str(self.facts.get("session") or self._fallback))
        if not any(len(thread) for thread in self.threads.values()):
            self.ask()

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "torn": bytes(self._torn), "next": self._next}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._torn = bytearray(memory.get("torn", b""))
        self._next = int(memory.get("next", 0))

    def at(self, span: Span) -> float | None:
        """When the bytes of `span` came, as far as that was told."""
        marks: list[tuple[int, float]] = self.facts.get("moments", [])
        index = bisect_right(marks, span.offset, key=itemgetter(0))
        return marks[index - 1][1] if index else None

    @property
    def _fallback(self) -> str:
        """An id for a conversation that never told its own."""
        source = self.source
        return source.native_id or clean(f"{self.vector}:{source.name or source.path}")

    def _mark(self, offset: int, at: float) -> None:
        marks: list[tuple[int, float]] = self.facts.setdefault("moments", [])
        if offset == 0:
            marks.clear()
        if not marks or at - marks[-1][1] >= _GRAIN:
            marks.append((offset, at))

    def _lose(self) -> None:
        """A line of which the end never came."""
        if self._torn:
            self.drift[TORN if bytes(self._torn[:1]) in (b"{", b"[") else UNREADABLE] += 1
            self._torn.clear()
