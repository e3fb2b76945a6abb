"""Eight writers and four readers of one server, and everything that can break under them.

Rounds draw from: the server killed -9, every backend terminated, the network cut, the network slow
(a proxy of ours, `Flaky`), the disk full. After them nothing acknowledged may be lost and nothing be
doubled, in the records, in the relations, and in what readers saw meanwhile. Each kind comes at least
once; DEJAVU_KILLS says how often the server is killed (2; thirty for a long run).
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from tests.postgres import PASSWORD, Missing, Server

from dejavu.archive import Archive

pytestmark = pytest.mark.soak

WRITERS = [f"writer{n}" for n in range(8)]
READERS = [f"reader{n}" for n in range(4)]
WRITE = """
import sys, time
from dejavu.archive import Archive, Batch, RawDelta
from dejavu.model import ArchiveError, Conversation, Role, Text, Turn, TurnUpdate
url, name = sys.argv[1:]
n = refused = 0
while True:
    try:
        with Archive.open(url) as archive:
            while True:
                turn = Turn(role=Role.USER, parts=(Text(f"{name} {n}"),), at=1.7e9 + n)
                update = TurnUpdate(Conversation(id=name, agent="x"), n, (turn,), name)
                line = b"%08d" % n
                archive.commit(Batch({name: [RawDelta(8 * n, line)]}, [update], {name: line}))
                n += 1
                print(n, flush=True)
    except ArchiveError as error:  # the same batch is given again
        print("refused:", str(error)[:150].replace(chr(10), " "), flush=True)
        time.sleep(0.2)
"""
READ = """
import sys, time
from dejavu.archive import Archive
from dejavu.model import ArchiveError, NotFoundError
url, _, *names = sys.argv[1:]
seen = dict.fromkeys(names, 0)
n = 0
while True:
    try:
        with Archive.open(url) as archive:
            while True:
                for name in names:
                    try:
                        texts = [turn.text for turn in archive.turns(name)]
                    except NotFoundError:
                        continue
                    assert texts == [f"{name} {n}" for n in range(len(texts))], (name, texts[-3:])
                    assert len(texts) >= seen[name], (name, len(texts), seen[name])
                    seen[name] = len(texts)
                n += 1
                print(n, flush=True)
    except ArchiveError as error:
        print("refused:", str(error)[:150].replace(chr(10), " "), flush=True)
        time.sleep(0.2)
"""


class Flaky:
    """A TCP proxy before the server that can be slow (`delay`) and can be `cut`."""

    def __init__(self, server: Server) -> None:
        self.delay = 0.0
        self._server = server
        self._down = False
        self._ends: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            if self._down:
                return
            with socket.create_connection(("127.0.0.1", self._server.port)) as there:
                self._ends |= {client, there}
                back = threading.Thread(target=self._pump, args=(there, client), daemon=True)
                back.start()
                self._pump(client, there)
                back.join()
                self._ends -= {client, there}

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                time.sleep(self.delay)
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self, seconds: float) -> None:
        """Break every connection in the middle, and take none for so long."""
        self._down = True
        for end in list(self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        time.sleep(seconds)
        self._down = False

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # `accept` returns
        self._listening.close()


class Drill:
    """The server, the proxy, and the programs that use them."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder, self.server = folder, server
        self.proxy = Flaky(server)
        schema = server.new_schema()
        self.url = server.url(schema=schema)
        near = server.url(schema=schema, password=PASSWORD)
        self._far = near.replace(f":{server.port}/", f":{self.proxy.port}/")
        Archive.open(self.url).close()
        self.schema = schema
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.counts: Counter[str] = Counter()

    def start(self) -> None:
        for name in (*WRITERS, *READERS):
            program, more = (WRITE, []) if name in WRITERS else (READ, WRITERS)
            with (self.folder / name).open("wb") as log:
                self.children[name] = subprocess.Popen(
                    [sys.executable, "-c", program, self._far, name, *more], stdout=log, stderr=log
                )

    def progress(self) -> None:
        """Until everybody got on."""
        before = {name: acknowledged(self.folder / name) for name in self.children}
        deadline = time.monotonic() + 180
        while slow := [name for name, n in before.items() if acknowledged(self.folder / name) <= n]:
            for name, child in self.children.items():
                assert child.poll() is None, (self.folder / name).read_text()[-2_000:]
            assert time.monotonic() < deadline, (slow, (self.folder / slow[0]).read_text()[-500:])
            time.sleep(0.05)

    def fault(self, kind: str, dice: random.Random) -> None:
        self.counts[kind] += 1
        if kind == "killed":
            self.server.kill()
            self.server.start()
        elif kind == "terminated":
            self.server.run(
                "select pg_terminate_backend(pid) from pg_stat_activity "
                "where backend_type = 'client backend' and pid <> pg_backend_pid()"
            )
        elif kind == "cut":
            self.proxy.cut(dice.uniform(0.1, 2.0))
        elif kind == "slow":
            self.proxy.delay = 0.04
            time.sleep(3.0)
            self.proxy.delay = 0.0
        else:
            self.fill_disk()

    def fill_disk(self) -> None:
        """Leave the server's disk without room until somebody is refused, or it gives up."""
        ballast = self.server.folder / "disk" / "ballast"
        before, deadline = self.refusals(), time.monotonic() + 60
        with ballast.open("wb") as file, suppress(OSError):
            while True:
                file.write(bytes(1 << 16))
                file.flush()
        while self.refusals() == before and self.answers() and time.monotonic() < deadline:
            time.sleep(0.1)
        ballast.unlink()
        if not self.answers():  # where its log of changes finds no room it ends, or tries for ever
            with suppress(ProcessLookupError, FileNotFoundError):
                self.server.kill()
            (self.server.folder / "data" / "postmaster.pid").unlink(missing_ok=True)
            self.server.start()
            self.counts["ended by the full disk"] += 1

    def answers(self) -> bool:
        try:
            self.server.run("select 1")
        except psycopg.Error:
            return False
        return True

    def refusals(self) -> int:
        return sum((self.folder / name).read_text().count("refused:") for name in self.children)

    def end(self) -> None:
        for child in self.children.values():
            child.send_signal(signal.SIGKILL)
            child.wait()
        self.proxy.close()


def small_disk(server: Server) -> bool:
    """Move the server to a disk of 300 MiB of its own; False where this user may mount none."""
    disk, data = server.folder / "disk", server.folder / "data"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        return False
    server.kill()
    subprocess.run(["cp", "-a", str(data), str(disk / "data")], check=True)
    shutil.rmtree(data)
    data.symlink_to(disk / "data")
    server.start()
    return True


def acknowledged(file: Path) -> int:
    """How many commits, or rounds of reading, a program was told of."""
    lines = file.read_bytes().split(b"\n")
    return next((int(line) for line in reversed(lines[:-1]) if line.isdigit()), 0)


def test_nothing_acknowledged_is_lost_and_nothing_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "data"))
    try:
        server = Server({"fsync": "on", "full_page_writes": "on", "max_wal_size": "64MB"})
    except Missing as why:
        pytest.skip(str(why))
    kills = int(os.environ.get("DEJAVU_KILLS", "2"))
    dice = random.Random(23)
    kinds = ["killed"] * kills + ["terminated", "cut", "slow"] * max(1, kills // 6)
    mounted = small_disk(server)
    kinds += ["disk full"] * (mounted * max(1, kills // 10))
    dice.shuffle(kinds)
    drill = Drill(tmp_path, server)
    start = time.monotonic()
    try:
        drill.start()
        drill.progress()
        for kind in kinds:
            time.sleep(dice.uniform(0, 0.5))
            drill.fault(kind, dice)
            drill.progress()
        refused = drill.refusals()
        drill.end()
        said = {name: acknowledged(tmp_path / name) for name in WRITERS}
        with Archive.open(drill.url) as archive:
            for name in WRITERS:
                texts = [turn.text for turn in archive.turns(name)]
                assert texts == [f"{name} {n}" for n in range(len(texts))]
                assert said[name] <= len(texts) <= said[name] + 1
                data = b"".join(archive.sources.raw(name))
                assert data == b"".join(b"%08d" % n for n in range(len(texts)))
            assert archive.maintenance.verify().faults == []
            total = archive.counts().turns
        rows = (
            f"select count(*), count(distinct (conversation, seq)) from {drill.schema}.dejavu_turns"
        )
        assert server.run(rows) == [(total, total)]
        sys.stdout.write(
            f"\n8 writers, 4 readers, {time.monotonic() - start:.0f} s: {dict(drill.counts)}; "
            f"{sum(said.values())} commits acknowledged, {total} turns held, "
            f"{sum(acknowledged(tmp_path / name) for name in READERS)} readings of all, "
            f"{refused} refusals; 0 lost, 0 doubled"
            + ("" if mounted else "; the full disk is left out: no small one could be mounted")
            + "\n"
        )
    finally:
        drill.end()
        if mounted:
            with suppress(ProcessLookupError, FileNotFoundError):  # where it did not start again
                server.kill()
            subprocess.run(["umount", "-l", str(server.folder / "disk")], check=False)
        server.stop()
