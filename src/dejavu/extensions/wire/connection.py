"""One end of an HTTP/1.1 connection: h11's events over asyncio's streams.

Reads events from a pair of streams as they come, and sends events as fast as the other side takes
them (`drain`), so memory is bounded by a few pieces whatever a body's length. Knows no route.
A folded header line is joined with a space, and a line that ends in a bare LF is taken for one that
ends in CR LF (RFC 9112, 5.2 and 2.2 allow both); h11 reads them so and writes the one plain form, so
that the next server sees neither. A bare CR is refused.
Source: RFC 9112; which headers go no further than one hop: RFC 9110, 7.6.1.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, cast

import h11

PIECE = 1 << 16
_HEAD = 1 << 18  # bytes of a request's or response's head, at most
_HOP = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer",
        b"transfer-encoding", b"upgrade", b"proxy-authenticate", b"proxy-authorization",
    }
)  # fmt: skip

_FRAMING = frozenset({b"content-length", b"transfer-encoding"})

Fields = list[tuple[bytes, bytes]]


class PeerGoneError(ConnectionError):
    """The other side closed the connection before it had said all."""


class HttpConnection:
    """One connection; `role` is ours: `h11.SERVER` towards a client, `h11.CLIENT` towards one."""

    def __init__(
        self,
        role: type[h11.SERVER] | type[h11.CLIENT],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.http = h11.Connection(role, max_incomplete_event_size=_HEAD)
        self.reader, self.writer = reader, writer

    async def event(self) -> Any:
        """The next event. Raises `h11.RemoteProtocolError` for what is no HTTP, OSError."""
        while True:
            event = self.http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self.http.they_are_waiting_for_100_continue:
                await self.send(h11.InformationalResponse(status_code=100, headers=[]))
            self.http.receive_data(await self.reader.read(PIECE))

    async def head(self, *, idle: float, seconds: float) -> Any:
        """As `event`, where a request's head is due: it may begin within `idle` seconds.

        Raises:
            TimeoutError: nothing came, or not all of it within `seconds` of its first byte.
        """
        loop = asyncio.get_running_loop()
        end: float | None = None
        while (event := self.http.next_event()) is h11.NEED_DATA:
            if end is None and self.http.trailing_data[0]:
                end = loop.time() + seconds
            async with asyncio.timeout(idle if end is None else end - loop.time()):
                data = await self.reader.read(PIECE)
            self.http.receive_data(data)
        return event

    async def closed(self) -> None:
        """Wait while the other side says nothing; return when it begins another request.

        Raises:
            PeerGoneError: it closed the connection.
        """
        if self.http.trailing_data[0]:
            return
        data = await self.reader.read(PIECE)
        self.http.receive_data(data)
        if not data:
            raise PeerGoneError("closed by the other side")

    async def send(self, event: Any) -> None:
        """Send an event, no faster than the other side reads."""
        data = cast("bytes | None", self.http.send(event))  # h11 leaves this type open
        if data:
            self.writer.write(data)
            await self.writer.drain()

    async def answer(self, status: int, body: bytes, kind: str = "text/plain") -> None:
        """A whole response."""
        fields = [("Content-Type", kind), ("Content-Length", str(len(body)))]
        await self.send(h11.Response(status_code=status, headers=fields))
        await self.send(h11.Data(data=body))
        await self.send(h11.EndOfMessage())

    async def refuse(self, status: int, sentence: str) -> None:
        """One sentence, if nothing was answered yet."""
        if self.http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            await self.answer(status, sentence.encode() + b"\n", "text/plain; charset=utf-8")

    def again(self) -> bool:
        """Make ready for another exchange on this connection; False if there can be none."""
        if self.http.our_state is not h11.DONE or self.http.their_state is not h11.DONE:
            return False
        self.http.start_next_cycle()
        return True

    def close(self, *, broken: bool = False) -> None:
        """Close; `broken` tells the other side that what it got is not all."""
        if broken:
            self.writer.transport.abort()
        else:
            self.writer.close()


def forward_headers(headers: Any, drop: Iterable[bytes] = ()) -> Fields:
    """The headers that go on to the next hop, as they were written, without those of `drop`.

    The body's length is there once, and not next to a coding that says it otherwise.
    """
    pairs: Fields = list(headers.raw_items())
    named = {
        word.strip().lower()
        for name, value in pairs
        if name.lower() == b"connection"
        for word in value.split(b",")
    }
    left = _HOP | named | set(drop) | {b"content-length"}
    fields = [(name, value) for name, value in pairs if name.lower() not in left]
    framing = {name: value for name, value in headers if name in _FRAMING}
    if len(framing) == 1 and b"content-length" in framing:
        fields.append((b"Content-Length", framing[b"content-length"]))
    return fields


def is_framed_twice(headers: Any) -> bool:
    """Whether a head says its body's length in two ways: servers may differ on where it ends."""
    return len({name for name, _ in headers} & _FRAMING) > 1


def plain_headers(event: Any) -> dict[str, str]:
    """Headers as text, names in lower case."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in event.headers}


def media_type(headers: Mapping[str, str]) -> str:
    """The body's type without its parameters, in lower case."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()
