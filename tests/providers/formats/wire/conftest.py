"""Exchanges in, turns out: what every test of the wire needs."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers.formats.wire import Exchange, parser
from dejavu.providers.protocol import Kind, Source

PATHS = {
    "messages": "/v1/messages?beta=true",
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "gemini": "/v1beta/models/pro:streamGenerateContent?alt=sse&key=AIzaSecretSecret",
}


def sse(*events: Any) -> str:
    """Events as a stream's body."""
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


@pytest.fixture(name="sse")
def _sse() -> Callable[..., str]:
    return sse


@pytest.fixture
def passed() -> Callable[..., bytes]:
    """One exchange as a line of a spool."""

    def make(
        api: str,
        request: Any,
        response: Any,
        status: int = 200,
        headers: Iterable[tuple[str, str]] = (),
        at: float = 1.0,
    ) -> bytes:
        exchange = Exchange(PATHS.get(api, api), headers, at)
        exchange.status = status
        exchange.request(request if isinstance(request, bytes) else json.dumps(request).encode())
        body = response if isinstance(response, str) else json.dumps(response)
        exchange.response(body.encode())
        return exchange.line() or b""

    return make


@pytest.fixture
def play(in_pieces: Callable[..., Any]) -> Callable[..., Any]:
    """Feed exchanges, in pieces cut at `cuts`."""

    def run(*lines: bytes, cuts: Sequence[int] = (), resumed: bool = False) -> Any:
        source = Source("claude", Path("wire"), "local", Kind.APPEND, name="spool")
        return in_pieces(partial(parser, source), b"".join(lines), cuts, resumed=resumed)

    return run
