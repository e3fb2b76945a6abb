import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import h11
from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.wire.connection import (
    HttpConnection,
    PeerGoneError,
    forward_headers,
    media_type,
)


def _with_peer(
    sent: list[bytes], ask: Callable[[HttpConnection], Awaitable[Any]], *, end: bool = False
) -> Any:
    """What `ask` makes of a server's peer whose client sent these bytes."""

    async def run() -> Any:
        result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            peer = HttpConnection(h11.SERVER, reader, writer)
            try:
                result.set_result(await ask(peer))
            except Exception as error:  # handed to the test
                result.set_exception(error)
            peer.close()

        server = await asyncio.start_server(client, "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for piece in sent:
            writer.write(piece)
            await writer.drain()
        if end:
            writer.write_eof()
        try:
            return await result
        finally:
            writer.close()
            server.close()

    return asyncio.run(run())


def test_a_client_that_closes_is_gone_and_one_that_asks_is_not() -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    async def ask(peer: HttpConnection) -> str:
        await peer.event()
        await peer.event()
        try:
            await peer.closed()
        except PeerGoneError:
            return "gone"
        return "asks"

    assert _with_peer([request], ask, end=True) == "gone"
    assert _with_peer([request, request], ask) == "asks"


@given(st.lists(st.sampled_from(["Keep-Alive", "TE", "X-A", "x-b", "Content-Type", "Host"])))
def test_only_what_is_for_both_ends_goes_on(names: list[str]) -> None:
    pairs = [(name, "v") for name in names if name != "Host"]
    request = h11.Request(
        method="GET", target="/", headers=[("Host", "h"), ("Connection", "close, X-A"), *pairs]
    )
    kept = [name.decode() for name, _ in forward_headers(request.headers, (b"host",))]
    assert kept == [name for name in names if name in ("x-b", "Content-Type")]


def test_a_media_type_has_no_parameters() -> None:
    assert media_type({"content-type": "Application/JSON; charset=utf-8"}) == "application/json"
    assert media_type({}) == ""
