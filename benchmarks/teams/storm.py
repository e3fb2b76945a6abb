"""Writers and readers of a team's archive through a storm: what was acknowledged must be there, once.

Programs of several writers each work 80 ms away from a server with rights on. Meanwhile a program is killed
(SIGKILL) and another begins, connections are ended by the server, the network is cut for seconds, and the
server crashes and starts again. A writer notes each acknowledged commit in a file of its own. What could not
be written in its ten seconds waits and goes to the same bytes later, as the spool has it
(`dejavu/ingest/spool.py`). Prints JSON: commits, how many waited, how many were refused and why, what was lost
or doubled, turns a second next to a COPY of the same records, and bytes a turn. Ends with 1 where anything was
lost, doubled, damaged or refused.

    python -m benchmarks.teams.storm [WRITERS] [READERS] [--seconds N] [--pace SECONDS] [--every SECONDS]

Issue 41 asks for `50 20 --seconds 600`.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psycopg
from benchmarks.teams.writers import Writer
from tests.far import Far
from tests.postgres import PASSWORD, Missing, Server

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_backend import PostgresBackend
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import ArchiveError, ArchiveLockedError, ArchiveUnavailableError, Batch

TOGETHER = 10
"""Writers of one program, at most."""
_TRIES = 6  # of ten seconds each, for what still waits at the end
FAULTS = ("kill a program", "end connections", "cut the network", "crash the server")


def opened(opening: Callable[[], Archive], note: Callable[[], object]) -> Archive:
    """An archive, opened again each second while that fails, as a person starts a program again."""
    for _ in range(60):
        try:
            return opening()
        except ArchiveError:
            note()
            time.sleep(1)
    return opening()


class Noting(Writer):
    """A writer that notes on the disk what was acknowledged."""

    def __init__(self, url: str, name: str, pace: float, folder: Path) -> None:
        super().__init__(url, name, pace)
        self._notes = (folder / f"{name}-{os.getpid()}.jsonl").open("a", buffering=1)
        self._round = 0
        self._spread = 5.0
        self._waiting: tuple[str, int, Batch] | None = None

    def work(self, start: threading.Event, until: float) -> None:
        """As every writer, and then until nothing waits any more."""
        super().work(start, until)
        if self._waiting is not None:
            with self._opened() as archive:
                for _ in range(_TRIES):
                    if self._waiting is not None:
                        self._try(archive)

    def _opened(self) -> Archive:
        def opening() -> Archive:
            backend = PostgresBackend(self._url, create=True)  # as who comes to write: it waits
            backend.users = 1
            return Archive(backend)

        return opened(opening, lambda: self._notes.write('{"opened again": 1}\n'))

    def _try(self, archive: Archive) -> None:
        again = self._waiting is not None
        conversation, seq, batch = self._waiting or self._made()
        self._waiting = conversation, seq, batch
        [[delta]] = batch.raw.values()
        try:
            if not again or archive.sources.raw_length(conversation) <= delta.offset:
                archive.commit(batch)
        except (ArchiveUnavailableError, ArchiveLockedError) as error:
            self._notes.write(json.dumps({"waits": str(error)}) + "\n")
            return
        except ArchiveError as error:
            self._waiting = None
            self.refused.append(str(error))
            self._notes.write(json.dumps({"refused": str(error)}) + "\n")
            # What became of it is not known: go on in other conversations.
            self._round += 1
            self.turns.clear()
            self.name = f"{self.name.partition('~')[0]}~{os.getpid()}~{self._round}"
            return
        self._waiting = None
        self.turns[conversation] = seq + 1
        self._notes.write(json.dumps({"id": conversation, "turns": seq + 1}) + "\n")


def program(asked: argparse.Namespace) -> None:
    """The process of some writers."""
    folder = Path(asked.notes)
    os.environ["DEJAVU_DATA_HOME"] = str(folder / f"home-{os.getpid()}")
    writers = [
        Noting(
            asked.url.replace("//keeper:", f"//writer_{n}:"), f"w{n}~{os.getpid()}~0", asked.pace, folder
        )
        for n in range(asked.first, asked.first + asked.writers)
    ]  # fmt: skip
    start = threading.Event()
    start.set()
    until = time.monotonic() + asked.seconds
    threads = [threading.Thread(target=one.work, args=(start, until)) for one in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Reader:
    """A member who lists and searches until the time is over."""

    def __init__(self, url: str, pace: float) -> None:
        self._url, self._pace = url, pace
        self.asked = self.again = 0
        self.refused: list[str] = []

    def _open(self) -> Archive:
        backend = PostgresBackend(self._url, create=False)
        backend.users = 1
        return Archive(backend)

    def _count(self) -> None:
        self.again += 1

    def work(self, until: float) -> None:
        """Read at the pace of a person."""
        with opened(self._open, self._count) as archive:
            while time.monotonic() < until:
                try:
                    list(archive.scan(limit=20))
                    archive.search("retry budget", limit=10)
                except ArchiveError as error:
                    self.refused.append(str(error))
                self.asked += 1
                time.sleep(self._pace)


class Programs:
    """The processes of writers."""

    def __init__(self, asked: argparse.Namespace, url: str, folder: Path) -> None:
        together = min(TOGETHER, -(-asked.writers // 2))
        self._firsts = range(0, asked.writers, together)
        self._counts = [min(together, asked.writers - first) for first in self._firsts]
        self._command = [
            sys.executable, "-m", "benchmarks.teams.storm", "--url", url, "--notes", str(folder),
            "--pace", str(asked.pace),
        ]  # fmt: skip
        self.running = [self._started(n, asked.seconds) for n in range(len(self._firsts))]

    def _started(self, number: int, seconds: float) -> "subprocess.Popen[bytes]":
        given = [str(self._counts[number]), "--first", str(self._firsts[number])]
        return subprocess.Popen([*self._command, *given, "--seconds", str(seconds)])

    def replace(self, number: int, seconds: float) -> None:
        """Kill a process, and start another for its writers."""
        self.running[number].kill()
        self.running[number].wait()
        self.running[number] = self._started(number, seconds)


def faults(
    server: Server,
    far: Far,
    programs: "Programs",
    until: float,
    every: float,
    done: "Counter[str]",
) -> None:
    """Do harm every so many seconds, until the last twelve."""
    chance = random.Random(5)
    kinds = list(FAULTS)
    while time.monotonic() < until - 12:
        time.sleep(every * (0.75 + 0.5 * chance.random()))
        kind = kinds[sum(done.values()) % len(kinds)]
        done[kind] += 1
        if kind == "kill a program":
            programs.replace(chance.randrange(len(programs.running)), until - time.monotonic())
        elif kind == "end connections":
            server.run(
                "select pg_terminate_backend(pid) from pg_stat_activity "
                "where application_name like 'dejavu%' and random() < 0.3"
            )
        elif kind == "cut the network":
            far.cut(off=True)
            time.sleep(2)
            far.cut(off=False)
        else:
            server.kill()
            server.start()


def run(server: Server, asked: argparse.Namespace, folder: Path) -> dict[str, object]:
    """What happened, as JSON."""
    schema = server.new_schema()
    url = server.url(schema=schema)
    Archive.open(url).close()
    team = Team(url)
    team.init()
    for n in range(asked.writers):
        team.invite(f"writer_{n}", "writer", None, None)
        server.run(f"alter role writer_{n} password '{PASSWORD}'")
    team.invite("a_reader", "reader", None, None)
    server.run(f"alter role a_reader password '{PASSWORD}'")
    team.close()
    far = Far(server, asked.round_trip / 1e3)
    until = time.monotonic() + asked.seconds
    programs = Programs(asked, far.url(schema), folder)
    readers = [
        Reader(far.url(schema).replace("//keeper:", "//a_reader:"), asked.pace) for _ in range(asked.readers)
    ]  # fmt: skip
    threads = [threading.Thread(target=one.work, args=(until,)) for one in readers]
    for thread in threads:
        thread.start()
    done: Counter[str] = Counter()
    try:
        faults(server, far, programs, until, asked.every, done)
        for one in programs.running:
            one.wait(asked.seconds + 60)
    finally:
        for one in programs.running:
            one.kill()
    for thread in threads:
        thread.join()
    return {
        "writers": asked.writers, "readers": asked.readers, "seconds": asked.seconds, "faults_made": done,
        "reads": sum(one.asked for one in readers),
        **judged(url, folder, asked.seconds, [why for one in readers for why in one.refused]),
        "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


def judged(url: str, folder: Path, seconds: float, refused: list[str]) -> dict[str, object]:
    """Compare what was acknowledged with what is there."""
    expected: dict[str, int] = {}
    commits = again = waited = 0
    for file in folder.glob("*.jsonl"):
        for line in file.read_text().splitlines():
            with_id = json.loads(line) if line.endswith("}") else {}  # cut off as it was killed
            if "id" in with_id:
                commits += 1
                expected[with_id["id"]] = with_id["turns"]
            again += "opened again" in with_id
            waited += "waits" in with_id
            if "refused" in with_id:
                refused.append(with_id["refused"])
    lost = doubled = turns = 0
    with Archive.open(url) as archive:
        held = {one.id: one.turn_count for one in archive.scan()}
        for name, count in expected.items():
            lost += max(0, count - held.get(name, 0))
            doubled += max(0, held.get(name, 0) - count - 1)  # one may wait for its acknowledgement
            turns += held.get(name, 0)
            seqs = [turn.seq for turn in archive.turns(name)]
            doubled += len(seqs) - len(set(seqs))
        damage = archive.maintenance.verify().faults
        size = archive.backend.size()
    return {
        "acknowledged": commits, "turns_a_second": round(commits / seconds, 1),
        "opened_again": again, "waited": waited, "refused": len(refused),
        "why": [why for why, _ in Counter(refused).most_common(3)],
        "lost": lost, "doubled": doubled, "damaged": damage,
        "bytes_a_turn": round(size / max(1, turns)), "copy_turns_a_second": copied(url, turns),
    }  # fmt: skip


def copied(url: str, turns: int) -> int:
    """Turns a second of a plain COPY of the same records."""
    with psycopg.connect(url) as connection:
        with connection.cursor().copy(
            b"copy dejavu_records (key, value) to stdout (format binary)"
        ) as out:
            data = b"".join(bytes(piece) for piece in out)
        connection.execute(b"create temporary table plain (key bytea primary key, value bytea)")
        began = time.perf_counter()
        with connection.cursor().copy(b"copy plain from stdin (format binary)") as copy:
            copy.write(data)
        return round(turns / (time.perf_counter() - began))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("writers", nargs="?", type=int, default=6)
    parser.add_argument("readers", nargs="?", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pace", type=float, default=2.0)
    parser.add_argument("--every", type=float, default=8.0, help="seconds between two faults")
    parser.add_argument("--round-trip", type=float, default=80.0)
    for name in ("--url", "--notes"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.url:
        program(asked)
        return 0
    try:
        server = Server(
            {"max_connections": str(4 * (asked.writers + asked.readers) + 20), "fsync": "on"}
        )
    except Missing as why:
        print(json.dumps({"left out": str(why)}))
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-storm-") as scratch:
            os.environ["DEJAVU_DATA_HOME"] = scratch
            answer = run(server, asked, Path(scratch))
    finally:
        server.stop()
    print(json.dumps(answer, indent=1))
    return int(any(answer[name] for name in ("refused", "lost", "doubled", "damaged")))


if __name__ == "__main__":
    sys.exit(main())
