"""The server's refusals are told in our words, and never with the password."""

import sys
import traceback
from pathlib import Path

import psycopg
import pytest
from tests.postgres import PASSWORD, Server

from dejavu.archive import Archive
from dejavu.config.extras import extra_hint
from dejavu.extensions.teams.postgres_connection import ConnectionLostError, Connections
from dejavu.model import ArchiveError, ConfigError, Conversation, NotFoundError


def told(url: str) -> str:
    """Everything that is said where an archive cannot be opened, causes included."""
    try:
        Archive.open(url).close()
    except (ArchiveError, ConfigError) as error:
        return "".join(traceback.format_exception(error))
    return ""


def test_a_wrong_password_is_told_without_it(server: Server, url: str) -> None:
    said = told(server.url(password="s3cr3t-and-wrong"))
    assert "refuses this login" in said
    assert "keeper@127.0.0.1" in said
    assert "~/.pgpass" in said
    assert "s3cr3t" not in said


def test_a_right_password_works_and_is_not_shown(server: Server, url: str) -> None:
    with Archive.open(server.url(schema=server.new_schema(), password=PASSWORD)) as archive:
        archive.put(Conversation(id="a", agent="x"))
        assert archive.name.startswith("postgresql://keeper@127.0.0.1:")
        assert PASSWORD.split()[0] not in archive.name + str(archive.root)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cr3t@127.0.0.1:1/x",
        "postgresql://ann:s3cr3t@no-such-host.invalid/x",
        "postgresql://ann:s3cr3t@[::bad/x",
        "postgresql://ann:s3cr3t@127.0.0.1:port/x",
        "postgresql://ann:s3c%zzr3t@127.0.0.1/x",
        "postgresql://127.0.0.1/x?pasword=s3cr3t",
    ],
)
def test_what_cannot_be_reached_or_read_is_told_without_secrets(home: Path, url: str) -> None:
    said = told(url)
    assert "cannot be" in said
    assert "s3c" not in said.replace("pasword=s3cr3t", "")  # no parameter of that name is known


def test_rights_that_lack_are_told(
    server: Server, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader of the team may look, not write."""
    schema = server.new_schema()
    with Archive.open(server.url(schema=schema)) as archive:
        archive.put(Conversation(id="a", agent="x"))
    name = f"reader_{schema}"
    server.run(f"create role {name} login; grant usage on schema {schema} to {name}")
    reader = server.url(schema=schema).replace("keeper@", f"{name}@")
    assert "ask its keeper for the rights" in told(reader)
    server.run(f"grant select on {schema}.dejavu_records to {name}")
    with Archive.open(reader, create=False) as archive:
        assert archive.get("a").id == "a"
        assert archive.maintenance.verify().clean
        assert archive.backend.stale_readers() == 0
        with pytest.raises(ArchiveError, match=r"may only read the archive .* `dejavu team grant`"):
            archive.put(Conversation(id="b", agent="x"))
    with pytest.raises(NotFoundError, match="dejavu sync"):
        Archive.open(server.url(schema=server.new_schema()), create=False)


def test_without_the_driver_the_extra_is_named(tmp_path: Path) -> None:
    import subprocess

    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from dejavu.archive import Archive\n"
        "from dejavu.model import ConfigError\n"
        "try: Archive.open('postgresql://ann:s3cr3t@db/x')\n"
        "except ConfigError as error: print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert extra_hint("teams") in said.stdout
    assert "s3cr3t" not in said.stdout + said.stderr


def test_connections_are_kept_and_broken_ones_are_not(server: Server, url: str) -> None:
    connections = Connections(url)

    def process() -> int:
        with connections.cursor() as cursor:
            row = cursor.execute("select pg_backend_pid()").fetchone()
            return 0 if row is None else int(row[0])

    first = process()
    assert process() == first
    with connections.cursor() as cursor:
        with pytest.raises(psycopg.errors.DivisionByZero):
            cursor.execute("select 1 / 0")
        cursor.execute("begin")
    assert process() == first
    server.run(f"select pg_terminate_backend({first})")
    with pytest.raises(ConnectionLostError):
        process()
    assert process() != first
    connections.drop()


def test_a_connection_that_cannot_leave_its_pipeline_is_lost(url: str) -> None:
    connections = Connections(url)

    def process(*, busy: bool) -> int:
        with connections.cursor() as cursor:
            connection = cursor.connection
            if busy:
                connection.pgconn.enter_pipeline_mode()
                connection.pgconn.send_query_params(b"select pg_sleep(0.1)", None)
                connection.pgconn.exit_pipeline_mode()
            return connection.info.backend_pid

    first = process(busy=False)
    with pytest.raises(ConnectionLostError, match="while busy"):
        process(busy=True)
    assert process(busy=False) != first
    connections.drop()
