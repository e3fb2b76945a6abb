"""Events as bytes for the observer: one msgpack array a frame, one after the other.

    ["h", {fields}]  ["o", at, bytes]  ["i", at, bytes]  ["k", at, bytes]
    ["r", at, columns, lines]  ["g", at, lost]  ["x", at, status]

An array delimits itself, so a stream cut anywhere (a wrapper killed in the middle of a write)
loses its last frame only. Frames of a kind unknown here are skipped: a newer writer may add some.
Cost: O(bytes).
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

import msgpack
from msgpack.exceptions import UnpackException

from .events import Event, Exit, Gap, Header, Input, Keys, Output, Resize

if TYPE_CHECKING:
    from collections.abc import Iterator

_msgpack: Any = msgpack  # ships no types: `pack` and `unpacker` are its typed place here

MAX_FRAME = 64 << 20  # bytes; far above any burst, and an end to what a damaged length may claim

# array of 3, "o" or "i", float 64, bin 32: what msgpack would write, without its copy of every byte.
_OUTPUT = struct.Struct(">4sdBI")


def pack(value: object) -> bytes:
    """One plain value as msgpack; what no UTF-8 can say survives as surrogates."""
    packed: bytes = _msgpack.packb(value, unicode_errors="surrogateescape")
    return packed


def unpacker(limit: int) -> Any:
    """A streaming `msgpack.Unpacker` that holds at most `limit` bytes."""
    return _msgpack.Unpacker(
        max_buffer_size=limit, unicode_errors="surrogateescape", strict_map_key=False
    )


def encode(event: Event) -> bytes:
    """One event as one frame."""
    match event:
        case Output(at, data):
            return _OUTPUT.pack(b"\x93\xa1o\xcb", at, 0xC6, len(data)) + data
        case Input(at, data):
            return _OUTPUT.pack(b"\x93\xa1i\xcb", at, 0xC6, len(data)) + data
        case Keys(at, data):
            frame: tuple[object, ...] = ("k", at, data)
        case Resize(at, columns, lines):
            frame = ("r", at, columns, lines)
        case Gap(at, lost):
            frame = ("g", at, lost)
        case Exit(at, status):
            frame = ("x", at, status)
        case Header(fields):
            frame = ("h", dict(fields))
        case _:
            raise TypeError(f"no frame for {event!r}")
    return pack(frame)


class Decoder:
    """Frames to events, fed in pieces of any size.

    `torn` tells how many bytes at the end belong to a frame that is not complete. After bytes
    that are no frames at all nothing more can be told apart: `damaged` says so in a sentence and
    the rest is ignored, so that everything decoded before it stays valid.
    """

    def __init__(self) -> None:
        self._unpacker = unpacker(MAX_FRAME)
        self._fed = 0
        self._whole = 0  # bytes of complete frames
        self.damaged: str | None = None

    @property
    def torn(self) -> int:
        """Bytes at the end that are not a complete frame."""
        return self._fed - self._whole

    def feed(self, data: bytes) -> Iterator[Event]:
        """Events complete with these bytes, in order. Never raises for what the bytes hold."""
        if self.damaged:
            return
        self._fed += len(data)
        try:
            self._unpacker.feed(data)
            for frame in self._unpacker:
                self._whole = self._unpacker.tell()
                event = _event(frame)
                if event is not None:
                    yield event
        except (ValueError, TypeError, UnpackException) as error:
            # BufferFull and bad UTF-8 land here too (UnpackException, ValueError).
            self.damaged = f"no frame at byte {self._whole}: {error}"


def _event(frame: Any) -> Event | None:
    """The event of a decoded frame; None for a kind we do not know."""
    match frame:
        case ["o", int() | float() as at, bytes(data)]:
            return Output(at, data)
        case ["i", int() | float() as at, bytes(data)]:
            return Input(at, data)
        case ["k", int() | float() as at, bytes(data)]:
            return Keys(at, data)
        case ["r", int() | float() as at, int(columns), int(lines)]:
            return Resize(at, columns, lines)
        case ["g", int() | float() as at, int(lost)]:
            return Gap(at, lost)
        case ["x", int() | float() as at, int(status)]:
            return Exit(at, status)
        case ["h", dict()]:
            return Header(frame[1])
        case [str(), *_]:
            return None
        case _:
            raise ValueError(f"expected an array that begins with its kind, got {frame!r:.60}")


def read_events(fd: int) -> Iterator[Event]:
    """Events from a file descriptor until its end; blocks between them. For observers.

    An end without `Exit` means that the wrapper was killed.
    """
    decoder = Decoder()
    while data := os.read(fd, 1 << 20):
        yield from decoder.feed(data)
