"""Writing to an archive on a server: prepared first, then committed in one round trip.

A change runs on a snapshot and on what this process knows from its last commit, without the writer's place.
`dejavu_commit` takes the place, looks whether what the change read is as it was, and writes: the place is held
while the server works, never while a network carries something. Where others were faster the change runs
again; after `_TRIES`, or where it cannot be prepared, it runs under the place. A change may run several times.

Costs: a small commit one round trip where the conversation was written before by this process, else two or
three; under the place one more for each key or page read.
Tested in: tests/extensions/teams/test_postgres_writing.py
"""

import uuid
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, TypeVar

import psycopg

from dejavu.model import DejavuError

from . import postgres_schema as schema
from .postgres_attempts import Attempts
from .postgres_connection import Connections
from .postgres_knowledge import Knowledge
from .postgres_prepare import NeedsPlaceError, PreparedWriter, TooFewNumbersError
from .postgres_relations import Relations
from .postgres_transaction import PostgresWriter

T = TypeVar("T")
Cursor = psycopg.Cursor[Any]

WITH_COMMIT = 10
"""The schema from which on the server has `dejavu_commit`."""
_TRIES = 3
_CHANGED = ("DV002", "DV003")  # SQLSTATEs of `sql/0010_commits.sql`
_COMMIT = (
    "select {schema}.dejavu_commit(%b::bigint, %b::uuid, %b::bigint, %b::bytea[], %t::text[], "
    "%b::bytea[], %b::bytea[], %t::text[], %b::bytea, %b::bigint[], %b::bigint[], %b::bigint, "
    "%b::boolean, %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[], %t::text[], %t::text[])"
)
_RESERVE = "select * from {schema}.dejavu_reserve(%b::bigint, %b::int, %b::int)"


Call = tuple[str, tuple[Any, ...]]
"""A statement and its values."""


class ChangedMeanwhileError(Exception):
    """Others changed what the change was made from."""


class _Done:
    """A change that was sent, and whose answer may be lost."""

    def __init__(self, result: Any, writer: PostgresWriter, months: set[date]) -> None:
        self.result, self.writer, self.months = result, writer, months


class Writing:
    """The changes of one process; one at a time (`Attempts.alone`)."""

    def __init__(self, attempts: Attempts, connections: Connections) -> None:
        self._attempts, self._connections, self._name = attempts, connections, connections.name
        self._session = uuid.uuid4()
        self._months: set[date] = set()  # partitions known to be there
        self._knowledge = Knowledge()
        self.commits = 0

    def run(self, place: schema.Place, change: Callable[[PostgresWriter], T], patience: float) -> T:
        """Return the result of `change`, durable on the server.

        Raises:
            ArchiveLockedError: others kept the writer's place for `patience` seconds.
            ArchiveError: refused, or out of reach.
        """
        with self._attempts.alone(patience):
            self.commits += 1
            done: list[_Done] = []  # of an earlier try whose answer was lost
            try:
                sent = self._prepared(place, change, patience, done)
            except NeedsPlaceError:
                self._knowledge.clear()
                sent = self._attempts.on_cursor(
                    lambda cursor: self._under_the_place(cursor, place, change, patience, done)
                )
            self._months |= sent.months
            result: T = sent.result
            return result

    def forget(self, cursor: Cursor, place: schema.Place) -> None:
        """Take away the note of this process's last commit."""
        schema.forget(cursor, place, self._session)

    def _prepared(
        self, place: schema.Place, change: Callable[[PostgresWriter], Any], patience: float,
        done: list[_Done],
    ) -> _Done:  # fmt: skip
        if place.reached < WITH_COMMIT:
            raise NeedsPlaceError

        def attempt(cursor: Cursor) -> _Done:
            if done:  # whether it took place is looked up under the writer's place
                raise NeedsPlaceError
            return self._attempt(cursor, place, change, patience, done)

        for _ in range(_TRIES):
            try:
                return self._attempts.on_cursor(attempt)
            except ChangedMeanwhileError:
                done.clear()
                self._knowledge.clear()
        raise NeedsPlaceError

    def _attempt(
        self, cursor: Cursor, place: schema.Place, change: Callable[[PostgresWriter], Any],
        patience: float, done: list[_Done], *, again: bool = False,
    ) -> _Done:  # fmt: skip
        warm = bool(self._knowledge)
        writer = PreparedWriter(cursor, schema.opening(place), self._knowledge)
        try:
            result = change(writer)
            writer.check()
            relations = Relations(writer, place.reached, self._months)
            statements = list(relations.statements(writer.touched))
        except TooFewNumbersError as few:
            if again:
                raise NeedsPlaceError from few
            self._reserve(cursor, place, few, patience, began=writer.began)
            return self._attempt(cursor, place, change, patience, done, again=True)
        except (DejavuError, LookupError, ValueError):
            if warm:  # what others changed meanwhile may look wrong
                raise ChangedMeanwhileError from None
            raise
        sent = _Done(result, writer, relations.months)
        if not writer.changed and not warm:
            if writer.began:
                self._connections.end_later(cursor)
            return sent
        values = commit_values(writer, statements)
        writer.use_numbers()
        done.append(sent)
        identity = (schema.lock_key(place), self._session, self.commits)
        calls: list[Call] = [(_COMMIT.format(schema=place.quoted), (*identity, *values))]
        counts = self._knowledge.to_reserve(0, 0)
        if any(counts):  # for the next change that begins a conversation
            calls.append(_reserve_call(place, counts))
        [[writer.moved], *reserved] = self._call(cursor, place, patience, calls, began=writer.began)
        writer.remember()
        for before in reserved:
            self._knowledge.reserved(before, counts)
        return sent

    def _reserve(
        self, cursor: Cursor, place: schema.Place, few: TooFewNumbersError, patience: float, *,
        began: bool,
    ) -> None:  # fmt: skip
        counts = self._knowledge.to_reserve(few.conversations, few.sources)
        calls = [_reserve_call(place, counts)]
        [before] = self._call(cursor, place, patience, calls, began=began, durable=False)
        self._knowledge.reserved(before, counts)

    def _call(
        self, cursor: Cursor, place: schema.Place, patience: float, calls: Sequence[Call], *,
        began: bool, durable: bool = True,
    ) -> list[Sequence[int]]:  # fmt: skip
        """Run functions of ours in a transaction each, all in one round trip; return their rows.

        durable: wait for the disk, too, after the writer's place was given up.
        """
        connection = cursor.connection
        cursors = [connection.cursor(binary=True) for _ in calls]
        try:
            with connection.pipeline():
                if began:
                    connection.execute(b"commit")
                for one, (statement, values) in zip(cursors, calls, strict=True):
                    connection.execute(b"begin isolation level read committed, read write")
                    connection.execute(*schema.settings(place, patience))
                    one.execute(statement.encode(), values)
                    connection.execute(b"commit")
                if durable:
                    schema.make_durable(cursor, place, self._session)
            return [one.fetchall()[0] for one in cursors]
        except psycopg.errors.LockNotAvailable as error:
            raise schema.place_is_taken(cursor, place, patience, self._name) from error
        except psycopg.Error as error:
            if error.sqlstate in _CHANGED:
                raise ChangedMeanwhileError from error
            raise

    def _under_the_place(
        self, cursor: Cursor, place: schema.Place, change: Callable[[PostgresWriter], Any],
        patience: float, done: list[_Done],
    ) -> _Done:  # fmt: skip
        schema.begin_writing(cursor, place, patience, self._name)
        if done:
            moves = place.reached >= WITH_COMMIT
            moved = schema.noted(cursor, self._session, self.commits, moves=moves)
            if moved is not None:
                done[0].writer.moved = moved
                return done[0]
        writer = PostgresWriter(cursor)
        result = change(writer)
        relations = Relations(writer, place.reached, self._months)
        done[:] = [_Done(result, writer, relations.months)]
        with cursor.connection.pipeline():  # one round trip
            # Records are judged by their conversations, so those come first.
            writer.flush(lambda: relations.write(cursor, writer.touched))
            schema.note(cursor, self._session, self.commits)
            cursor.execute("commit")
        return done[0]


def _reserve_call(place: schema.Place, counts: Sequence[int]) -> Call:
    return _RESERVE.format(schema=place.quoted), (schema.lock_key(place), *counts)


def commit_values(writer: PreparedWriter, statements: Sequence[tuple[str, str]]) -> tuple[Any, ...]:
    """What `dejavu_commit` takes after the change's identity."""
    rows, stretches = writer.put_rows, writer.stretches
    return (
        list(writer.digests), list(writer.digests.values()),
        [one.start for one in stretches], [one.stop for one in stretches],
        [one.digest for one in stretches],
        writer.origin, writer.highest, writer.counted, writer.sequence, not writer.movable,
        writer.entries, writer.gone, [key for key, _ in rows], [value for _, value in rows],
        [sql.replace("%t", "$1") for sql, _ in statements], [text for _, text in statements],
    )  # fmt: skip
