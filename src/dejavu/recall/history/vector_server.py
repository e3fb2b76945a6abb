"""Where sentence vectors go: into files of this machine, to a server that compares them, or both.

A server that shares an archive may keep vectors for all who may read it. Members then send it those of
what they may write, and ask it by a question's vector. Loads no model before the server is known to compare.

Tested in: tests/extensions/teams/test_server_meaning.py
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, runtime_checkable

from dejavu.archive import Archive, Position

from .documents import Document
from .index import ExchangeIndex
from .vector_store import State, VectorStore


class PassageStore(Protocol):
    """Where vectors are kept, as `_embed` fills it: `VectorStore`, or a server."""

    def writing(self) -> AbstractContextManager[bool]:
        """Be the one writer for the length of the block; False where another process is."""
        ...

    def state(self) -> State | None:
        """Up to where it was filled; None where it was not begun."""
        ...

    def begin(self, model: str, dimensions: int) -> State:
        """Begin for a model."""
        ...

    def finished(self) -> dict[int, Position]:
        """The conversations that are further than the state, and how far each is."""
        ...

    def wanted(self, entries: Mapping[int, int]) -> Collection[int]:
        """Of conversations, each with its last log entry, those that get vectors."""
        ...

    def held(self, state: State, conversation: int) -> set[tuple[int, int]]:
        """The first and last turns of the passages of a conversation."""
        ...

    def replace(
        self,
        state: State,
        conversation: int,
        start: int,
        documents: Sequence[Document],
        vectors: Any,
        workspace: str,
    ) -> State:
        """Put the vectors of a conversation's passages from turn `start` on in place of the old."""
        ...

    def finish(self, conversation: int, position: Position) -> None:
        """Note that a conversation has its vectors up to a log entry."""
        ...

    def advance(self, state: State, position: Position) -> State:
        """Note that every conversation has its vectors up to a log entry."""
        ...

    def compact(self, state: State) -> State:
        """Give back what removed rows take."""
        ...


@runtime_checkable
class VectorServer(Protocol):
    """A backend that keeps and compares vectors for all who share it."""

    @property
    def compares_meanings(self) -> bool:
        """Whether it has what that takes."""
        ...

    def vector_store(self, model: str, dimensions: int) -> PassageStore | None:
        """The store of a model; None where it keeps none of such vectors."""
        ...


class AskedVector(NamedTuple):
    """A question's vector, and the model that made it."""

    model: str
    vector: Any


def stores_of(archive: Archive, model: str, dimensions: Callable[[], int]) -> list[PassageStore]:
    """Where this machine puts a model's vectors: on the server, in files where it keeps an index, or both.

    dimensions: of the model's vectors; asked only where a server compares them.
    """
    backend = archive.backend
    shared: PassageStore | None = None
    if isinstance(backend, VectorServer) and backend.compares_meanings:
        shared = backend.vector_store(model, dimensions())
    if shared is None:
        return [VectorStore(archive.root)]
    return [shared, VectorStore(archive.root)] if ExchangeIndex(archive).is_kept else [shared]


def compares_meanings(archive: Archive) -> bool:
    """Whether a server compares vectors for this archive."""
    return isinstance(archive.backend, VectorServer) and archive.backend.compares_meanings
