"""Server-sent events out of bytes, cut anywhere.

Parses the body of a `text/event-stream`, fed in chunks, into whole messages. Source: the WHATWG
HTML standard, "Server-sent events" (lines end in LF, CR LF or CR; a blank line ends a message; a
last message without one is dropped). Does no I/O. O(bytes); holds one message.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its type (`message` if none is given) and its data."""

    event: str
    data: str


@dataclass(slots=True)
class EventStream:
    """A stream's state between chunks."""

    _held: bytearray = field(default_factory=bytearray)
    _after_cr: bool = False
    _started: bool = False
    _event: str = ""
    _data: list[str] = field(default_factory=list[str])

    def feed(self, chunk: bytes) -> list[Message]:
        """Feed the next bytes; return the messages that they complete."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if not (b"\n" in chunk or b"\r" in chunk):
            self._held += chunk
            return []
        self._after_cr = chunk.endswith(b"\r")
        whole = bytes(self._held) + chunk
        lines = whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._held = bytearray(lines.pop())
        messages = (self._line(line.decode("utf-8", "replace")) for line in lines)
        return [message for message in messages if message is not None]

    def _line(self, line: str) -> Message | None:
        if not self._started:
            line, self._started = line.removeprefix("\ufeff"), True
        if not line:
            message = Message(self._event or "message", "\n".join(self._data))
            has_data, self._event, self._data = bool(self._data), "", []
            return message if has_data else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        return None
