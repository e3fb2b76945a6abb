"""Exchanges in, turns out: what every test of the wire needs."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers.api import Kind, Source
from dejavu.providers.wire import Exchange, parser
from dejavu.record import Conversation, Turn

PATHS = {
    "messages": "/v1/messages?beta=true",
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "gemini": "/v1beta/models/pro:streamGenerateContent?alt=sse&key=AIzaSecretSecret",
}


@dataclass
class Played:
    """What a parser gave in all."""

    heads: dict[str, Conversation] = field(default_factory=dict)
    threads: dict[str, list[Turn]] = field(default_factory=dict)
    drift: Counter[str] = field(default_factory=Counter)

    @property
    def head(self) -> Conversation:
        (head,) = (head for head in self.heads.values() if head.parent is None)
        return head

    @property
    def turns(self) -> list[Turn]:
        return self.threads[self.head.id]

    def below(self) -> dict[str, list[Turn]]:
        """Conversations below the main one, by the end of their names."""
        return {
            head.native_id.rpartition("/")[2]: self.threads[key]
            for key, head in self.heads.items()
            if head.parent is not None
        }

    def take(self, one: Any) -> None:
        for update in one.take():
            turns = self.threads.setdefault(update.conversation.id, [])
            assert update.start <= len(turns), "an update must not leave a hole"
            turns[update.start :] = update.turns
            self.heads[update.conversation.id] = update.conversation


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
def play() -> Callable[..., Played]:
    """Feed exchanges, in pieces cut at `cuts`."""

    def run(*lines: bytes, cuts: Sequence[int] = (), resumed: bool = False) -> Played:
        data = b"".join(lines)
        source = Source("claude", Path("wire"), "local", Kind.APPEND, name="spool")
        played, one = Played(), parser(source)
        edges = [0, *sorted({cut % (len(data) + 1) for cut in cuts}), len(data)]
        for start, end in pairwise(edges):
            if start == end:
                continue
            one.feed(data[start:end], start)
            played.take(one)
            if resumed:
                played.drift += one.drift
                one = parser(source, one.state())
        one.close()
        played.take(one)
        played.drift += one.drift
        return played

    return run
