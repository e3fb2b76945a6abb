"""Payloads in, turns out: what every test of a hook needs."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers import HOOKS
from dejavu.providers.formats.hooks import encode_entry
from dejavu.providers.protocol import Kind, Source

DATA = Path(__file__).parent / "data" / "hooks"


@pytest.fixture
def hook_lines() -> Callable[[str], bytes]:
    return lambda agent: (DATA / f"{agent}.jsonl").read_bytes()


@pytest.fixture
def play_hooks(in_pieces: Callable[..., Any]) -> Callable[..., Any]:
    """Feed a spool, or payloads a second apart, in pieces cut at `cuts`."""

    def run(
        agent: str, data: bytes | Iterable[Any], cuts: Sequence[int] = (), *, resumed: bool = False
    ) -> Any:
        if not isinstance(data, bytes):
            data = b"".join(encode_entry(payload, 1000.0 + at) for at, payload in enumerate(data))
        source = Source(agent, Path("hooks"), "local", Kind.APPEND, name="spool")
        return in_pieces(partial(HOOKS[agent].parser, source), data, cuts, resumed=resumed)

    return run
