"""Payloads in, turns out: what every test of a hook needs."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers.api import Kind, Source
from dejavu.providers.hooks import HOOKS, line

DATA = Path(__file__).parent / "data"


@pytest.fixture
def fixture() -> Callable[[str], bytes]:
    return lambda agent: (DATA / f"{agent}.jsonl").read_bytes()


@pytest.fixture
def play(in_pieces: Callable[..., Any]) -> Callable[..., Any]:
    """Feed a spool, or payloads a second apart, in pieces cut at `cuts`."""

    def run(
        agent: str, data: bytes | Iterable[Any], cuts: Sequence[int] = (), *, resumed: bool = False
    ) -> Any:
        if not isinstance(data, bytes):
            data = b"".join(line(payload, 1000.0 + at) for at, payload in enumerate(data))
        source = Source(agent, Path("hooks"), "local", Kind.APPEND, name="spool")
        return in_pieces(partial(HOOKS[agent].parser, source), data, cuts, resumed=resumed)

    return run
