"""Both directions of a conversation over stdin and stdout, cut into lines that can be kept.

Each line becomes one JSON record with its moment and its direction (the forms are those of
`providers.formats.acp_stream`): as it was, byte for byte, where it is JSON; as text or in base64
where it is not. A line longer than `longest_line` is not held: its beginning becomes a record that
can be parsed, and all of it follows in pieces. Memory: O(the longest line) a direction.
"""

from base64 import b64encode
from collections.abc import Iterator

import msgspec

from dejavu.model.json_values import is_json
from dejavu.providers.formats.long_lines import BEGINNING, closed_record, longest_line

INPUT, OUTPUT = "in", "out"


class _Direction:
    """What of one direction waits for its line's end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.pieces: list[bytes] = []
        self.size = 0
        self.too_long = False
        """Whether this line is given in pieces by now."""
        self.lost = False
        """Whether the beginning of this line was not seen."""

    def take(self) -> bytes:
        data = b"".join(self.pieces)
        self.pieces, self.size = [], 0
        return data


class TrafficLines:
    """Bytes in, records out, each with its newline."""

    def __init__(self) -> None:
        self._directions = {name: _Direction(name) for name in (INPUT, OUTPUT)}

    def feed(self, direction: str, data: bytes, at: float) -> Iterator[bytes]:
        """Take bytes that passed `at` (Unix seconds); yield the records that are complete."""
        to = self._directions[direction]
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            to.pieces.append(data[start:end])
            yield from self._end_line(to, at)
            start = end + 1
        if start < len(data) and not to.lost:
            to.pieces.append(data[start:])
            to.size += len(data) - start
            if to.too_long or to.size > longest_line():
                yield from _in_pieces(to, at)

    def gap(self, lost: int, at: float) -> Iterator[bytes]:
        """So many bytes were not seen, in whichever direction: go on with the next lines."""
        for direction in self._directions.values():
            direction.take()
            direction.too_long, direction.lost = False, True
        yield _record(at, "gap", b'"lost":%d' % lost)

    def close(self, at: float) -> Iterator[bytes]:
        """The end: what has no newline yet."""
        for direction in self._directions.values():
            if direction.pieces or direction.too_long:
                yield from self._end_line(direction, at)

    def _end_line(self, of: _Direction, at: float) -> Iterator[bytes]:
        if of.too_long:
            yield from _in_pieces(of, at)
        line = of.take()
        was_lost, of.too_long, of.lost = of.lost, False, False
        if not was_lost and line.strip():
            yield _line_record(of.name, line, at)


def _in_pieces(of: _Direction, at: float) -> Iterator[bytes]:
    """What waits of a line that is too long, the first time with what can be parsed of it."""
    data = of.take()
    if not of.too_long:
        of.too_long = True
        beginning = closed_record(data[:BEGINNING])
        if is_json(beginning):
            yield _record(at, of.name, b'"cut":true,"line":' + beginning)
    if data:
        yield _record(at, of.name, b'"bytes":"' + b64encode(data) + b'"')


def _line_record(direction: str, line: bytes, at: float) -> bytes:
    if is_json(line):
        return _record(at, direction, b'"line":' + line)
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return _record(at, direction, b'"bytes":"' + b64encode(line) + b'"')
    return _record(at, direction, b'"text":' + msgspec.json.encode(text))


def _record(at: float, direction: str, rest: bytes) -> bytes:
    return b'{"at":%.3f,"dir":"%s",%s}\n' % (at, direction.encode(), rest)
