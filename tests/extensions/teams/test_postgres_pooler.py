"""Behind a pooler in transaction mode, where a session belongs to nobody, everything goes on."""

import threading
from collections.abc import Iterator

import pytest
from tests.pgbouncer import Pgbouncer
from tests.postgres import Missing, Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.extensions.teams.postgres_backend import PostgresBackend
from dejavu.model import Conversation, Role, Text, Turn
from dejavu.recall import Memory


@pytest.fixture
def pooler(server: Server) -> Iterator[Pgbouncer]:
    try:
        started = Pgbouncer(server)
    except Missing as why:
        pytest.skip(str(why))
    yield started
    started.stop()


def conversation(name: str, count: int) -> Conversation:
    turns = (Turn(role=Role.USER, parts=(Text(f"{name} walrus {n}"),)) for n in range(count))
    return Conversation(id=name, agent="x").with_turns(tuple(turns))


def test_everything_works_through_a_pooler(server: Server, url: str, pooler: Pgbouncer) -> None:
    """Ten clients on two connections: nothing of one is seen by another, and nothing stays."""
    through = pooler.url(url.rpartition("%3D")[2])
    Archive.open(through).close()
    errors: list[BaseException] = []

    def work(number: int) -> None:
        # Each is a client of its own, as another machine would be.
        backend = PostgresBackend(through, create=False)
        backend.users = 1
        archive = Archive(backend)
        try:
            for n in range(1, 6):
                archive.put(conversation(f"c{number}", n))
                archive.commit(Batch({f"s{number}": [RawDelta(n - 1, b"x")]}))
                assert archive.get(f"c{number}").turn_count == n
                assert len(list(archive.scan())) >= 1
        except BaseException as error:
            errors.append(error)
        finally:
            archive.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Archive.open(through) as archive, Archive.open(url) as straight:
        assert archive.counts().turns == straight.counts().turns == 50
        assert [b"".join(archive.sources.raw(f"s{n}")) for n in range(10)] == [b"xxxxx"] * 10
        assert archive.maintenance.verify().faults == []
        assert len(archive.search("walrus", limit=100)) == 50
        Memory(archive).remember("walruses sleep")
        assert [one.text for one in Memory(straight).recall("walruses")] == ["walruses sleep"]
        archive.maintenance.gc(compact=True)
    left = server.run("select name from pg_prepared_statements")
    assert left == []
