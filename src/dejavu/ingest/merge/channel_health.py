"""Vectors of agents that gave nothing where another had a session; `dejavu doctor` shows them.

One small record an agent and vector, until it works again.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.model import Vector

_NAMESPACE = "failing"


class Failure(NamedTuple):
    """An agent's vector had nothing where it should have; `at` is Unix seconds."""

    agent: str
    vector: Vector
    reason: str
    conversation: str
    at: float


def record_failure(
    archive: Archive,
    agent: str,
    vector: Vector,
    reason: str,
    conversation: str = "",
    *,
    clock: Callable[[], float] = time.time,
) -> None:
    """A vector of this agent had nothing of a conversation that another had."""
    record = {"reason": reason[:500], "conversation": conversation, "at": clock()}
    archive.namespace(_NAMESPACE).put(_key(agent, vector), msgspec.msgpack.encode(record))


def clear_failure(archive: Archive, agent: str, vector: Vector) -> None:
    """It works again; costs a look-up where it never failed."""
    namespace, key = archive.namespace(_NAMESPACE), _key(agent, vector)
    if namespace.get(key) is not None:
        namespace.change(lambda txn: txn.delete(key))


def failures(archive: Archive) -> list[Failure]:
    """Those that failed last time, by agent and vector."""
    result: list[Failure] = []
    for key, value in archive.namespace(_NAMESPACE).items():
        agent, _, vector = key.decode().partition("\0")
        result.append(Failure(agent, Vector(vector), **msgspec.msgpack.decode(value)))
    return result


def _key(agent: str, vector: Vector) -> bytes:
    return f"{agent}\0{vector}".encode()
