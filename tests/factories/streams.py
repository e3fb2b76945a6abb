"""A trace in, turns out: what every test of a stream needs."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers import STREAMS
from dejavu.providers.protocol import Kind, Source

DATA = Path(__file__).parent / "data" / "streams"


def source(agent: str, name: str = "run-1") -> Source:
    return Source(agent, Path("/dev/stdout"), "local", Kind.APPEND, name=name)


def fixture(name: str) -> bytes:
    return (DATA / f"{name}.jsonl").read_bytes()


@pytest.fixture
def stream_lines() -> Callable[[str], bytes]:
    return fixture


@pytest.fixture
def play_stream(in_pieces: Callable[..., Any]) -> Callable[..., Any]:
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
    ) -> Any:
        if not isinstance(data, bytes):
            data = "".join(line + "\n" for line in data).encode()

        def make(state: bytes | None) -> Any:
            if state is None:
                return STREAMS[agent].parser(source(agent), argv=argv)
            return STREAMS[agent].parser(source(agent), state)

        return in_pieces(make, data, cuts, at, resumed=resumed, closed=closed)

    return run


@pytest.fixture
def source_of() -> Callable[[str], Source]:
    return source
