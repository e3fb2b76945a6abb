"""Payloads in, turns out: what every test of a hook needs."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers.api import Kind, Source
from dejavu.providers.hooks import HOOKS, line
from dejavu.record import Conversation, Turn

DATA = Path(__file__).parent / "data"


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

    def take(self, parser: Any) -> None:
        for update in parser.take():
            turns = self.threads.setdefault(update.conversation.id, [])
            assert update.start <= len(turns), "an update must not leave a hole"
            turns[update.start :] = update.turns
            self.heads[update.conversation.id] = update.conversation


@pytest.fixture
def fixture() -> Callable[[str], bytes]:
    return lambda agent: (DATA / f"{agent}.jsonl").read_bytes()


@pytest.fixture
def play() -> Callable[..., Played]:
    """Feed a spool, or payloads a second apart, in pieces cut at `cuts`."""

    def run(
        agent: str,
        data: bytes | Iterable[Any],
        cuts: Sequence[int] = (),
        *,
        resumed: bool = False,
    ) -> Played:
        if not isinstance(data, bytes):
            data = b"".join(line(payload, 1000.0 + at) for at, payload in enumerate(data))
        source = Source(agent, Path("hooks"), "local", Kind.APPEND, name="spool")
        played, parser = Played(), HOOKS[agent].parser(source)
        edges = [0, *sorted({cut % (len(data) + 1) for cut in cuts}), len(data)]
        for start, end in pairwise(edges):
            if start == end:
                continue
            parser.feed(data[start:end], start)
            played.take(parser)
            if resumed:
                played.drift += parser.drift
                parser = HOOKS[agent].parser(source, parser.state())
        parser.close()
        played.take(parser)
        played.drift += parser.drift
        return played

    return run
