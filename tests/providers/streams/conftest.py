"""A trace in, turns out: what every test of a stream needs."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from dejavu.providers.api import Kind, Source
from dejavu.providers.streams import STREAMS, LineParser
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
        return self.threads[self.head.id] if self.heads else []

    def take(self, parser: LineParser) -> None:
        for update in parser.take():
            turns = self.threads.setdefault(update.conversation.id, [])
            assert update.start <= len(turns), "an update must not leave a hole"
            turns[update.start :] = update.turns
            self.heads[update.conversation.id] = update.conversation


def source(agent: str, name: str = "run-1") -> Source:
    return Source(agent, Path("/dev/stdout"), "local", Kind.APPEND, name=name)


def fixture(name: str) -> bytes:
    return (DATA / f"{name}.jsonl").read_bytes()


@pytest.fixture(name="fixture")
def _fixture() -> Callable[[str], bytes]:
    return fixture


@pytest.fixture
def play() -> Callable[..., Played]:
    """Feed a trace in pieces cut at `cuts`; with `resumed`, through a new parser each time."""

    def run(
        agent: str,
        data: bytes | Iterable[str],
        argv: Sequence[str] = (),
        cuts: Sequence[int] = (),
        *,
        resumed: bool = False,
        closed: bool = True,
        at: float | None = None,
    ) -> Played:
        if not isinstance(data, bytes):
            data = "".join(line + "\n" for line in data).encode()
        stream, played = STREAMS[agent], Played()
        parser = stream.parser(source(agent), argv=argv)
        edges = [0, *sorted({cut % (len(data) + 1) for cut in cuts}), len(data)]
        for start, end in pairwise(edges):
            if start == end:
                continue
            parser.feed(data[start:end], start, at)
            played.take(parser)
            if resumed:
                played.drift += parser.drift
                parser = stream.parser(source(agent), parser.state())
        if closed:
            parser.close()
            played.take(parser)
        played.drift += parser.drift
        return played

    return run


@pytest.fixture
def source_of() -> Callable[[str], Source]:
    return source
