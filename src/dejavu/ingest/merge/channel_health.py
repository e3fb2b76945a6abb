"""Vectors that failed: what the doctor tells of them, until they work again.

Takes words of those who read a vector; keeps the last of each agent's vectors in a namespace of the
archive. One small record an agent and vector.
"""

from typing import NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.config.clock import now
from dejavu.model import Vector

_NAMESPACE = "failing"


class Failure(NamedTuple):
    """An agent's vector gave nothing where it should have; `at` is Unix seconds."""

    agent: str
    vector: Vector
    reason: str
    conversation: str
    at: float


def failed(
    archive: Archive, agent: str, vector: Vector, reason: str, conversation: str = ""
) -> None:
    """A vector of this agent had nothing of a conversation that another told."""
    told = {"reason": reason[:500], "conversation": conversation, "at": now()}
    archive.namespace(_NAMESPACE).put(_key(agent, vector), msgspec.msgpack.encode(told))


def well(archive: Archive, agent: str, vector: Vector) -> None:
    """It works again; costs a look where it never failed."""
    namespace, key = archive.namespace(_NAMESPACE), _key(agent, vector)
    if namespace.get(key) is not None:
        namespace.change(lambda txn: txn.delete(key))


def failures(archive: Archive) -> list[Failure]:
    """Those that failed last time, by agent and vector."""
    found: list[Failure] = []
    for key, value in archive.namespace(_NAMESPACE).items():
        agent, _, vector = key.decode().partition("\0")
        found.append(Failure(agent, Vector(vector), **msgspec.msgpack.decode(value)))
    return found


def _key(agent: str, vector: Vector) -> bytes:
    return f"{agent}\0{vector}".encode()
