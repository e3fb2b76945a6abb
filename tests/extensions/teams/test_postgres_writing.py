"""Many writers at once: nothing lost, nothing doubled, and the writer's place is never held over a network."""

import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import psycopg
import pytest
from tests.far import Far
from tests.postgres import Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.backends.transaction import Writer
from dejavu.archive.keys import META, TABLES
from dejavu.archive.log import load_meta
from dejavu.extensions.teams import postgres_schema as schema
from dejavu.extensions.teams import postgres_writing
from dejavu.extensions.teams.postgres_backend import PostgresBackend
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import ArchiveError, Conversation, Role, Text, Turn, TurnUpdate


@contextmanager
def opened(url: str) -> Generator[Archive]:
    """The archive as another program has it: connections and knowledge of its own."""
    backend = PostgresBackend(url, create=False)
    backend.users = 1
    with Archive(backend) as archive:
        yield archive


def batch(name: str, seq: int, text: str = "hello", instance: str = "a@b") -> Batch:
    """One more turn of a conversation, with its raw."""
    turn = Turn(seq=seq, role=Role.USER, parts=(Text(f"{text} {seq}"),), at=1.7e9 + seq)
    summary = Conversation(
        id=name, agent="x", native_id=name, workspace="/w", instance=instance
    ).with_turns((turn,))
    return Batch(
        {name: [RawDelta(8 * seq, b"%08d" % seq)]}, [TurnUpdate(summary, seq, (turn,), name)],
        {name: b"%d" % seq}, {name: b"state"}, {name: [name]},
    )  # fmt: skip


def trips(far: Far, work: Callable[[], object]) -> int:
    before = far.trips
    work()
    return far.trips - before


@pytest.fixture
def far(server: Server, url: str) -> Iterator[tuple[Far, str]]:
    with Archive.open(url) as archive:
        archive.commit(batch("before", 0))
    proxy = Far(server, 0.06)
    yield proxy, proxy.url(url.rpartition("%3D")[2])
    proxy.close()


def test_a_small_commit_is_one_round_trip(far: tuple[Far, str]) -> None:
    proxy, url = far
    counted: list[tuple[int, ...]] = []
    for n in range(4):  # on a busy machine a pause in mid-sentence counts as a trip, now and then
        with opened(url) as archive:
            archive.counts()
            first = trips(proxy, lambda: archive.commit(batch("before", 1 + 2 * n)))  # noqa: B023 - at once
            again = trips(proxy, lambda: archive.commit(batch("before", 2 + 2 * n)))  # noqa: B023 - at once
            archive.commit(batch(f"a{n}", 0))
            begun = trips(proxy, lambda: archive.commit(batch(f"b{n}", 0)))  # noqa: B023 - at once
            more = trips(proxy, lambda: archive.commit(batch(f"b{n}", 1)))  # noqa: B023 - at once
            counted.append((first, again, begun, more))
            assert archive.get("before").turn_count == 3 + 2 * n
            assert archive.maintenance.verify().faults == []
    first, *others = (min(column) for column in zip(*counted, strict=True))
    assert first in (3, 4)  # what is forgotten afterwards is sent without waiting for its answer
    assert others == [1, 2, 1]


def test_a_far_writer_keeps_no_other_waiting(far: tuple[Far, str], url: str) -> None:
    """A change that looks around for a long time: others commit meanwhile."""
    _, far_url = far
    looking, seen = threading.Event(), threading.Event()

    def slow(txn: Writer) -> None:
        txn.get("states", b"n")
        looking.set()
        assert seen.wait(10)
        txn.put("states", b"n", b"1")

    with opened(far_url) as archive, opened(url) as near:
        thread = threading.Thread(target=lambda: archive.backend.write(slow))
        thread.start()
        assert looking.wait(10)
        began = time.monotonic()
        near.commit(batch("near", 0))
        assert time.monotonic() - began < 3
        seen.set()
        thread.join()
        assert near.backend.read(lambda txn: txn.get("states", b"n")) == b"1"


def test_counting_at_once_counts_each(url: str) -> None:
    """The hardest change: each reads what the others write."""
    with Archive.open(url) as archive:
        archive.commit(batch("c", 0))

    def count(txn: Writer) -> None:
        txn.put("states", b"n", b"%d" % (int(txn.get("states", b"n") or b"0") + 1))

    def work() -> None:
        with opened(url) as archive:
            for _ in range(12):
                archive.backend.write(count)

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with opened(url) as archive:
        assert archive.backend.read(lambda txn: txn.get("states", b"n")) == b"60"


def test_old_and_new_programs_write_the_same_archive(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer's place, the counters and the log are those of programs up to schema 9."""
    with opened_fresh(url) as new, opened(url) as other, opened(url) as old:
        writers = [new, other, old]
        for seq in range(9):
            for n, archive in enumerate(writers):
                with monkeypatch.context() as patch:
                    if archive is old:
                        patch.setattr(postgres_writing, "WITH_COMMIT", sys.maxsize)
                    archive.commit(batch("shared", 3 * seq + n))
                    archive.commit(batch(f"own{n}-{seq}", 0))
        assert new.get("shared").turn_count == 27
        entries = list(old.log())
        assert [entry.sequence for entry in entries] == list(range(1, 55))
        meta = new.backend.read(load_meta)
        assert meta is not None
        assert (meta.turns, meta.raw_bytes) == (54, 54 * 8)
        assert len({entry.number for entry in entries}) == 28
        assert new.maintenance.verify().faults == []


@contextmanager
def opened_fresh(url: str) -> Generator[Archive]:
    Archive.open(url).close()
    with opened(url) as archive:
        yield archive


def test_an_index_fed_live_has_what_others_committed_between(url: str) -> None:
    with opened_fresh(url) as mine, opened(url) as other, mine.indexing():
        for seq in range(4):
            other.commit(batch("theirs", seq, "walrus"))
            mine.commit(batch("mine", seq, "crow"))
            other.commit(batch("theirs2", seq, "seal"))
        sequences = [entry.sequence for entry in mine.log()]
        assert mine.commit(batch("mine", 4, "crow")).sequence == sequences[-1] + 1
    with opened(url) as archive:
        for word, count in (("walrus", 4), ("crow", 5), ("seal", 4)):
            assert len(archive.search(word, limit=20)) == count


def test_what_looks_wrong_because_others_were_faster_is_looked_at_again(url: str) -> None:
    with opened_fresh(url) as one, opened(url) as other:
        one.commit(batch("a", 0))
        for seq in range(1, 4):
            other.commit(batch("a", seq))
        one.commit(batch("a", 4))  # it knew of one turn
        with pytest.raises(ArchiveError, match="cannot go on at 72"):
            one.commit(batch("a", 9))
        assert one.get("a").turn_count == 5
        assert not one.put(one.get("a"))  # nothing to write, and nothing known is old
        other.commit(batch("a", 5))
        assert not one.put(other.get("a"))


def test_a_commit_that_arrives_after_its_repetition_is_refused(url: str) -> None:
    """The connection was given up, and the server reads it to its end all the same."""
    with opened_fresh(url) as archive:
        archive.commit(batch("a", 0))
        backend = archive.backend
        assert isinstance(backend, PostgresBackend)
        sent: list[tuple[str, tuple[object, ...]]] = []
        call = postgres_writing.Writing._call

        def keep(self: object, *given: object, **named: object) -> object:
            sent.extend(given[3])  # type: ignore[arg-type, call-overload]  # the calls
            return call(self, *given, **named)  # type: ignore[arg-type]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(postgres_writing.Writing, "_call", keep)
            backend.write(lambda txn: txn.put("states", b"n", b"1"))
        backend.write(lambda txn: txn.put("states", b"n", b"2"))
        [(statement, values)] = sent
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.cursor(binary=True)
            cursor.execute(b"begin")
            cursor.execute(*schema.settings(backend.place, 1.0))
            with pytest.raises(psycopg.Error) as told:
                cursor.execute(statement.encode(), values)
            assert told.value.sqlstate == "DV002"
        assert backend.read(lambda txn: txn.get("states", b"n")) == b"2"


def test_what_cannot_be_prepared_is_done_under_the_place(url: str) -> None:
    changes: list[Callable[[Writer], object]] = [
        lambda txn: [txn.put("states", b"%d" % n, bytes(1 << 20)) for n in range(20)],  # much
        lambda txn: txn.delete("log", b"nothing"),
        lambda txn: txn.put("meta", META, txn.get("meta", META) or b""),
        lambda txn: [txn.get("states", b"%d" % n) for n in range(5_000)],  # read: too much
    ]
    with opened_fresh(url) as archive:
        archive.commit(batch("a", 0))
        for change in changes:
            archive.backend.write(change)
        archive.commit(batch("a", 1))
        assert archive.get("a").turn_count == 2
        held = archive.backend.read(lambda txn: sum(1 for _ in txn.keys("states")))
        assert held == 21


def test_members_commit_as_they_may_and_no_further(server: Server, url: str) -> None:
    """The guards judge a prepared commit as any other."""
    with opened_fresh(url) as keeper:
        keeper.commit(batch("keepers", 0))
    name = url.rpartition("%3D")[2]
    team = Team(url)
    team.init()
    login = f"ann_{name}"
    team.invite(login, "writer", None, f"{login}@here")
    team.close()
    try:
        with opened(url.replace("//keeper@", f"//{login}@")) as archive:
            for seq in range(3):
                archive.commit(batch("anns", seq, instance=f"{login}@here"))
            with pytest.raises(ArchiveError, match="may not"):
                archive.commit(batch("keepers", 1))
            with pytest.raises(ArchiveError, match="may not"):
                archive.commit(batch("foreign", 0))
            archive.commit(batch("anns", 3, instance=f"{login}@here"))
            assert archive.get("anns").turn_count == 4
        with opened(url) as keeper:
            assert keeper.get("keepers").turn_count == 1
            assert keeper.maintenance.verify().faults == []
    finally:
        server.run(f"drop owned by {login}; drop role {login}")


def test_another_archive_in_its_place_is_noticed(url: str) -> None:
    """Restored meanwhile: nothing known, and no reserved number, is used in it."""
    with opened_fresh(url) as one, opened(url) as other:
        for n in range(3):
            one.commit(batch(f"c{n}", 0))

        def empty(txn: Writer) -> None:
            txn.put("meta", META, b"")  # until it is filled
            for key, value in kept:
                txn.put_stored(key[0], key[1], value)

        kept: list[tuple[tuple[str, bytes], bytes]] = []
        with opened(url) as fresh:
            kept = fresh.backend.read(
                lambda txn: [
                    ((table, key), value)
                    for table in TABLES
                    for key, value in txn.stored_items(table)
                ]
            )
        one.commit(batch("c9", 0))
        other.backend.rebuild(empty)
        one.commit(batch("c4", 0))
        names = {entry.conversation for entry in other.log()}
        assert names == {"c0", "c1", "c2", "c4"}
        assert other.maintenance.verify().faults == []


def test_a_full_pipe_of_writers_is_not_refused(url: str) -> None:
    """Forty at once, each a commit: the place is theirs for milliseconds."""
    Archive.open(url).close()
    refused: list[str] = []

    def work(name: str) -> None:
        with opened(url) as archive:
            for seq in range(3):
                try:
                    archive.commit(batch(name, seq))
                except ArchiveError as error:
                    refused.append(str(error))

    threads = [threading.Thread(target=partial(work, f"w{n}")) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == []
    with opened(url) as archive:
        assert {one.turn_count for one in archive.scan()} == {3}
        assert archive.counts().conversations == 40
        with suppress(ArchiveError):
            archive.update_index()
        assert archive.maintenance.verify().faults == []
