"""The vectors of a team's archive: made here for what this login may write, kept and compared by the server.

Takes the place of the files of `vector_store` where the server has pgvector (`sql/vectors.sql`). This machine
keeps one file, how far it read the log: which conversations lack vectors the server tells, since several
machines may write the same. Costs three round trips a conversation.
Must not read vectors: only the server's functions do, for who may read their turns.

Tested in: tests/extensions/teams/test_server_meaning.py
"""

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from dejavu.archive.derived import Position
from dejavu.config.files import held_lock, replace_file
from dejavu.recall.history.documents import Document
from dejavu.recall.history.vector_store import State

Cursor = psycopg.Cursor[Any]
Ask = Callable[[Callable[[Cursor], Any]], Any]
"""What runs a function on a cursor, each statement in a separate transaction."""

_MARK = "shared-vectors"
_ROWS = 500  # vectors in one statement: 2 MB
_FILE = "select pg_relation_filenode('{schema}.dejavu_vectors_made'::regclass)::bigint"
"""Another one after all vectors were thrown away, as by a restore."""
_WANTED = "select * from {schema}.dejavu_vectors_wanted(%b::bigint[], %b::bigint[], %t)"
_HELD = "select * from {schema}.dejavu_vectors_held(%b, %t)"
_PUT = (
    "select {schema}.dejavu_put_vectors(%b::bigint, %t, %b::int, %b::int[], %b::int[], %b::int[], "
    "%t::text[], null)"
)
_MADE = "select {schema}.dejavu_put_vectors(%b::bigint, %t, null, '{{}}', '{{}}', '{{}}', '{{}}', %b::bigint)"


def as_text(vector: Sequence[float]) -> str:
    """A vector as PostgreSQL reads it; a `halfvec` holds no more digits."""
    return f"[{','.join(f'{number:.5g}' for number in vector)}]"


class SharedVectors:
    """The store that `embeddings` fills, for one archive and one model."""

    def __init__(self, root: Path, schema: str, model: str, ask: Ask) -> None:
        """Ask nothing yet. `schema`: an identifier; `root`: this machine's folder of the archive."""
        self._root, self._schema, self._model, self._ask = root, schema, model, ask

    @contextmanager
    def writing(self) -> Generator[bool]:
        """Be the one writer of this machine for the length of the block; False where another process is."""
        with held_lock(self._root / f"{_MARK}.lock") as alone:
            yield alone

    def state(self) -> State | None:
        """How far this machine read the log; None where it did not begin, or with what is gone."""
        try:
            mark = msgspec.msgpack.decode((self._root / _MARK).read_bytes(), type=tuple[int, State])
        except (OSError, msgspec.MsgspecError):
            return None
        return mark[1] if mark[0] == self._file() else None

    def begin(self, model: str, dimensions: int) -> State:
        """Read the log from its start."""
        return self._save(State(model=model, dimensions=dimensions))

    def finished(self) -> dict[int, Position]:
        """Nothing: `wanted` asks the server."""
        return {}

    def wanted(self, entries: Mapping[int, int]) -> Collection[int]:
        """Of conversations, each with its last log entry, those that this login may write and that lack any."""
        asked = [*entries], [*entries.values()], self._model
        return {number for (number,) in self._rows(_WANTED, asked)}

    def held(self, state: State, conversation: int) -> set[tuple[int, int]]:
        """The first and last turns of the passages of a conversation."""
        return {(seq, stop) for seq, stop in self._rows(_HELD, (conversation, state.model))}

    def replace(
        self,
        state: State,
        conversation: int,
        start: int,
        documents: Sequence[Document],
        vectors: Any,
        workspace: str,  # noqa: ARG002 - the server knows it
    ) -> State:
        """Put the vectors of a conversation's passages from turn `start` on in place of the old."""
        pieces = [
            sum(one.seq == other.seq for other in documents[:n]) for n, one in enumerate(documents)
        ]
        first: int | None = start
        for at in range(0, max(1, len(documents)), _ROWS):
            some = documents[at : at + _ROWS]
            self._rows(
                _PUT,
                (
                    conversation, state.model, first, [one.seq for one in some], pieces[at : at + _ROWS],
                    [one.stop for one in some], [as_text(row) for row in vectors[at : at + _ROWS]],
                ),
            )  # fmt: skip
            first = None
        return state

    def finish(self, conversation: int, position: Position) -> None:
        """Note that a conversation has its vectors up to a log entry."""
        self._rows(_MADE, (conversation, self._model, position.sequence))

    def advance(self, state: State, position: Position) -> State:
        """Note that all that this login may write has its vectors up to a log entry."""
        return self._save(msgspec.structs.replace(state, sequence=position[0], at=position[1]))

    def compact(self, state: State) -> State:
        """Nothing: the server looks after its tables."""
        return state

    def _save(self, state: State) -> State:
        replace_file(self._root / _MARK, msgspec.msgpack.encode((self._file(), state)))
        return state

    def _file(self) -> int:
        return int(self._rows(_FILE, ())[0][0])

    def _rows(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        text = statement.format(schema=self._schema).encode()
        return list(self._ask(lambda cursor: cursor.execute(text, values).fetchall()))
