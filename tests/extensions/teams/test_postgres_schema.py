"""Tables are made once, a place is held by one, and notes of commits are believed."""

from uuid import uuid4

import psycopg
import pytest
from tests.postgres import Server

from dejavu.extensions.teams import postgres_schema as schema
from dejavu.extensions.teams.postgres_migrations import migrate
from dejavu.model import ArchiveLockedError, ConfigError


def test_tables_are_found_once_they_are_made(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.cursor(binary=True)
        assert schema.find(cursor, "here") is None
        schema.create(cursor)
        found = schema.find(cursor, "here")
        schema.create(cursor)
        assert schema.find(cursor, "here") == found is not None
        assert (found.reached, found.owned) == (1, True)
        cursor.execute("alter table dejavu_records rename column value to other")
        with pytest.raises(ConfigError, match="here has a table dejavu_records that is no archive"):
            schema.find(cursor, "here")


def test_a_place_is_held_by_one_until_its_end(url: str) -> None:
    connect = {"autocommit": True, "application_name": "dejavu ann@box 7"}
    with (
        psycopg.connect(url, **connect) as one,  # type: ignore[arg-type]
        psycopg.connect(url, autocommit=True) as two,
    ):
        first, second = one.cursor(binary=True), two.cursor(binary=True)
        schema.create(first)
        place = schema.find(first, "here")
        assert place is not None
        schema.begin_writing(first, place, 1.0, "here")
        other = place._replace(number=place.number + 1)  # another archive's place
        schema.begin_writing(second, other, 1.0, "there")
        second.execute("commit")
        with pytest.raises(
            ArchiveLockedError, match=r"here is being written by dejavu ann@box 7; waited 0.1"
        ):
            schema.begin_writing(second, place, 0.1, "here")
        first.execute("commit")
        schema.begin_writing(second, place, 0.1, "here")
        second.execute("commit")


def test_a_note_tells_what_was_committed(server: Server, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.cursor(binary=True)
        schema.create(cursor)
        place = schema.find(cursor, "here")
        assert place is not None
        migrate(cursor, place.schema, place.reached)
        session = uuid4()
        assert schema.noted(cursor, session, 1) is None
        for number in (1, 2):
            schema.note(cursor, session, number)
        assert schema.noted(cursor, session, 2) == 0
        assert schema.noted(cursor, session, 1) is None
        cursor.execute("update dejavu_commits set moved = 7")
        assert schema.noted(cursor, session, 2, moves=True) == 7
        assert schema.forget_dead(cursor, place) == 0
        cursor.execute("update dejavu_commits set at = at - interval '2 days'")
        assert schema.forget_dead(cursor, place) == 1
        schema.note(cursor, session, 3)
        schema.forget(cursor, place, session)
        assert schema.noted(cursor, session, 3) is None


def test_a_commit_is_durable_whatever_the_server_likes(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.cursor()
        schema.create(cursor)
        place = schema.find(cursor, "here")
        assert place is not None
        for liked, held in (("off", "on"), ("local", "local")):
            connection.execute(f"set synchronous_commit = {liked}".encode())
            schema.begin_writing(cursor, place, 1.0, "here")
            assert cursor.execute("show synchronous_commit").fetchone() == (held,)
            cursor.execute("commit")
