"""Nothing acknowledged is lost or doubled, whatever dies: a writer, a connection, the server."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from tests.postgres import PASSWORD, Missing, Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.backends.transaction import Reader, Writer
from dejavu.archive.keys import TABLES
from dejavu.extensions.teams import postgres_attempts, postgres_writing
from dejavu.extensions.teams.postgres_backend import PostgresBackend
from dejavu.extensions.teams.postgres_prepare import PreparedWriter
from dejavu.extensions.teams.postgres_transaction import PostgresWriter
from dejavu.model import (
    ArchiveError,
    ArchiveLockedError,
    ConfigError,
    Conversation,
    Role,
    Text,
    Turn,
)

WRITE = """
import sys
from dejavu.archive import Archive, Batch, RawDelta
url, source = sys.argv[1:]
with Archive.open(url) as archive:
    at = archive.sources.raw_length(source)
    while True:
        new = RawDelta(at, b"%08d" % (at // 8))
        archive.commit(Batch({source: [new]}, (), {source: b"%d" % at}))
        at += 8
        print(at, flush=True)
"""


def conversation(name: str, text: str = "hello") -> Conversation:
    return Conversation(id=name, agent="x").with_turns((Turn(role=Role.USER, parts=(Text(text),)),))


def writing(url: str, source: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITE, url, source], stdout=subprocess.PIPE, text=True
    )


def acknowledged(child: subprocess.Popen[str]) -> int:
    """Bytes that a killed writer was told are kept."""
    said, _ = child.communicate()
    return int(said.split("\n")[-2]) if "\n" in said else 0


def counted(archive: Archive, source: str) -> int:
    """Bytes of a source, which are all there, in order, once."""
    data = b"".join(archive.sources.raw(source))
    assert data == b"".join(b"%08d" % n for n in range(len(data) // 8))
    assert archive.sources.cursor(source) == b"%d" % (len(data) - 8)
    return len(data)


def test_two_writers_killed_at_any_moment_lose_nothing(url: str) -> None:
    Archive.open(url).close()
    dice = random.Random(7)
    kept = {"a": 0, "b": 0}
    for _ in range(4):
        children = {source: writing(url, source) for source in kept}
        for child in children.values():
            assert child.stdout is not None
            child.stdout.readline()
        time.sleep(dice.uniform(0, 0.3))
        for child in children.values():
            child.send_signal(signal.SIGKILL)
        told = {source: acknowledged(child) for source, child in children.items()}
        with Archive.open(url) as archive:
            for source in kept:
                found = counted(archive, source)
                assert found >= max(told[source], kept[source])
                kept[source] = found
    with Archive.open(url) as archive:
        assert archive.maintenance.verify().faults == []
    assert min(kept.values()) > 0


@pytest.fixture
def own_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server of the test's own, to be killed."""
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "data"))
    try:
        started = Server()
    except Missing as why:
        pytest.skip(str(why))
    yield started
    started.stop()


def test_a_server_that_is_killed_and_comes_back_is_waited_for(own_server: Server) -> None:
    with Archive.open(own_server.url()) as archive:
        archive.put(conversation("a"))
        child = writing(own_server.url(), "s")
        assert child.stdout is not None
        child.stdout.readline()
        own_server.kill()
        late = threading.Timer(0.3, own_server.start)
        late.start()
        archive.put(conversation("b"))
        late.join()
        before = archive.sources.raw_length("s")
        deadline = time.monotonic() + 20
        while archive.sources.raw_length("s") == before and time.monotonic() < deadline:
            time.sleep(0.05)  # the child goes on by itself
        child.kill()
        told = acknowledged(child)
        assert told > before
        assert counted(archive, "s") >= told
        assert {c.id for c in archive.scan()} == {"a", "b"}
        assert archive.maintenance.verify().faults == []


def test_a_server_that_stays_away_is_told(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_attempts, "PATIENCE", 0.3)
    with Archive.open(own_server.url()) as archive:
        own_server.kill()
        with pytest.raises(ArchiveError, match=r"cannot be reached .* whether the server runs"):
            archive.put(conversation("a"))


def test_a_connection_cut_under_way_is_made_anew(server: Server, url: str) -> None:
    runs: list[int] = []

    def backends() -> list[int]:
        rows = server.run(
            "select pid from pg_stat_activity where application_name like 'dejavu %' "
            f"and application_name like '% {os.getpid()}'"
        )
        return [int(str(pid)) for (pid,) in rows]

    def cut_once() -> None:
        runs.append(1)
        if len(runs) == 1:
            for pid in backends():
                server.run(f"select pg_terminate_backend({pid}, 5000)")

    def change(txn: Writer) -> int:
        value = int(txn.get("states", b"n") or b"0") + 1
        cut_once()
        txn.put("states", b"n", b"%d" % value)
        return value

    def look(txn: Reader) -> bytes | None:
        cut_once()
        return txn.get("states", b"n")

    with Archive.open(url) as archive:
        assert archive.backend.write(change) == 1
        assert len(runs) == 2
        runs.clear()
        assert archive.backend.read(look) == b"1"
        assert len(runs) == 2


class Cutting:
    """Stands before the server; cuts a connection right after, or before, a commit got there."""

    def __init__(self, server: Server, *, late: bool) -> None:
        self.late = late
        self.cut = 0
        self.armed = False
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                there = socket.create_connection(("127.0.0.1", self._server.port))
                for one, other, watched in ((client, there, True), (there, client, False)):
                    threading.Thread(
                        target=self._copy, args=(one, other, watched), daemon=True
                    ).start()

    def _copy(self, one: socket.socket, other: socket.socket, watched: bool) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                if watched and self.armed and b"\0commit\0" in data:
                    self.armed = False
                    self.cut += 1
                    if self.late:
                        one.shutdown(socket.SHUT_WR)  # the answer will reach nobody
                        other.sendall(data)
                        time.sleep(0.3)
                    break
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        self._listening.close()


@pytest.mark.parametrize("late", [True, False])
def test_a_commit_whose_answer_is_lost_happens_once(server: Server, url: str, late: bool) -> None:
    """A counter shows it: run again without looking, it would count twice."""
    proxy = Cutting(server, late=late)
    through = server.url(schema=server.new_schema(), password=PASSWORD)
    through = through.replace(f":{server.port}/", f":{proxy.port}/")
    runs: list[int] = []

    def change(txn: Writer) -> int:
        runs.append(1)
        value = int(txn.get("states", b"n") or b"0") + 1
        txn.put("states", b"n", b"%d" % value)
        proxy.armed = len(runs) == 3
        return value

    with Archive.open(through) as archive:
        assert [archive.backend.write(change) for _ in range(5)] == [1, 2, 3, 4, 5]
        assert archive.backend.read(lambda txn: txn.get("states", b"n")) == b"5"
    proxy.close()
    assert proxy.cut == 1
    # The new connection may be faster than the rest of the old one, which the server then refuses.
    assert len(runs) in ((5, 6) if late else (6,))


def test_one_writer_at_a_time_and_the_holder_is_named(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_attempts, "PATIENCE", 0.2)
    with Archive.open(url) as archive:
        other = PostgresBackend(url, create=False)
        other.users = 1
        with other.writer():
            with pytest.raises(
                ArchiveLockedError, match=rf"written by dejavu .*{os.getpid()}; waited 0.2 s"
            ):
                archive.put(conversation("a"))
            assert archive.counts().conversations == 0  # readers do not wait
            with pytest.raises(ArchiveLockedError, match="by this process"):
                other.write(lambda txn: txn.put("states", b"x", b"y"))
        archive.put(conversation("a"))
        other.close()


def test_readers_see_one_moment(url: str) -> None:
    with Archive.open(url) as archive:
        archive.put(conversation("a"))

        def look(txn: Reader) -> tuple[int, int]:
            before = len(list(txn.keys("summaries")))
            archive.put(conversation("b"))
            return before, len(list(txn.items("summaries")))

        assert archive.backend.read(look) == (1, 1)
        assert archive.counts().conversations == 2


def _without_reserved(meta: bytes) -> bytes:
    """The archive's own record without the numbers that a commit reserves, used or not."""
    value = msgspec.msgpack.decode(meta)
    if isinstance(value, dict):
        value = {k: v for k, v in value.items() if k not in ("conversations", "sources")}
    return msgspec.msgpack.encode(value)


@pytest.mark.parametrize("prepared", [True, False])
def test_failing_at_every_put_leaves_the_store_as_it_was(url: str, prepared: bool) -> None:
    """A failure at the n-th write of a commit, for every n: all or nothing, and the retry works."""
    kind = PreparedWriter if prepared else PostgresWriter

    def everything(txn: Reader) -> list[tuple[tuple[str, bytes], bytes]]:
        return [
            ((table, key), _without_reserved(value) if table == "meta" else value)
            for table in TABLES
            for key, value in txn.items(table)
        ]

    with Archive.open(url) as archive:
        archive.put(conversation("a", "one"))
        before = archive.backend.read(everything)
        batch = Batch({"s": [RawDelta(0, b"x" * 400_000)]}, (), {"s": b"c"}, {}, {"s": ["a"]})
        for fail_at in range(100):
            countdown = [fail_at]

            class Failing(kind):  # type: ignore[misc, valid-type]  # one of two
                def put(
                    self, table: str, key: bytes, value: bytes, countdown: list[int] = countdown
                ) -> None:
                    countdown[0] -= 1
                    if countdown[0] < 0:
                        if not prepared:
                            self.flush()  # some of it is on the server already
                        raise OSError(28, "No space left on device")
                    super().put(table, key, value)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(postgres_writing, kind.__name__, Failing)
                if not prepared:
                    patch.setattr(postgres_writing, "WITH_COMMIT", sys.maxsize)
                try:
                    archive.commit(batch)
                except OSError:
                    assert archive.backend.read(everything) == before
                    continue
            break
        assert 4 < fail_at < 99
        assert archive.maintenance.verify().faults == []
        assert archive.sources.cursor("s") == b"c"


def test_opening_twice_shares_and_a_fork_is_told(url: str) -> None:
    with Archive.open(url) as one, Archive.open(url) as two:
        assert one.backend is two.backend
        one.put(conversation("a"))
        one.close()
        assert two.get("a").id == "a"
        pid = os.fork()
        if pid == 0:
            try:
                two.get("a")
            except ArchiveError as error:
                os._exit(0 if "before a fork" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert two.get("a").id == "a"
    with pytest.raises(ArchiveError, match="is closed"):
        two.get("a")


def test_a_table_that_is_no_archive_is_left_alone(server: Server, url: str) -> None:
    schema = server.new_schema()
    server.run(f"create table {schema}.dejavu_records (name text)")
    with pytest.raises(ConfigError, match="is no archive; name another"):
        Archive.open(server.url(schema=schema))


def test_many_make_the_same_archive_at_once(server: Server, url: str) -> None:
    children = [writing(url, f"s{n}") for n in range(3)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "8\n"
        child.kill()
        child.communicate()
    with Archive.open(url) as archive:
        assert len(archive.sources.all_keys()) == 3
        assert archive.backend.stale_readers() == 0  # they died today
        server.run(
            f"update {url.rpartition('%3D')[2]}.dejavu_commits set at = now() - interval '2 days'"
        )
        assert archive.backend.stale_readers() == 3


def test_what_was_removed_is_given_back(url: str) -> None:
    with Archive.open(url) as archive:
        for n in range(30):
            archive.put(conversation(f"c{n}", os.urandom(20_000).hex()))
        archive.maintenance.prune(pattern="^c[12]")
        before = archive.counts().stored_bytes
        freed = archive.maintenance.gc(compact=True).freed_bytes
        assert freed > before / 3
        # The server's own vacuum may make or drop a few pages in between.
        assert archive.counts().stored_bytes == pytest.approx(before - freed, abs=128 << 10)
        assert archive.maintenance.verify().faults == []
