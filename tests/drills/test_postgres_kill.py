"""The server is killed -9 under four writers: nothing acknowledged is lost, nothing is doubled.

DEJAVU_KILLS says how often (2; thirty for a long run).
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.postgres import Missing, Server

from dejavu.archive import Archive
from dejavu.model import ArchiveError

WRITE = """
import sys
from dejavu.archive import Archive, Batch, RawDelta
from dejavu.model import Conversation, Role, Text, Turn, TurnUpdate
url, name = sys.argv[1:]
with Archive.open(url) as archive:
    n = 0
    while True:
        turn = Turn(role=Role.USER, parts=(Text(f"{name} {n}"),), at=1.7e9 + n)
        update = TurnUpdate(Conversation(id=name, agent="x"), n, (turn,), name)
        line = b"%08d" % n
        archive.commit(Batch({name: [RawDelta(8 * n, line)]}, [update], {name: line}))
        n += 1
        print(n, flush=True)
"""
NAMES = ("a", "b", "c", "d")


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "data"))
    try:
        server = Server({"fsync": "on", "full_page_writes": "on"})
    except Missing as why:
        pytest.skip(str(why))
    dice = random.Random(11)
    url = server.url()
    children: dict[str, subprocess.Popen[bytes]] = {}
    try:
        Archive.open(url).close()
        for name in NAMES:
            with (tmp_path / name).open("wb") as said:
                children[name] = subprocess.Popen(
                    [sys.executable, "-c", WRITE, url, name], stdout=said, stderr=said
                )
        for _ in range(int(os.environ.get("DEJAVU_KILLS", "2"))):
            waited_for(tmp_path, children)
            time.sleep(dice.uniform(0, 0.5))
            server.kill()
            server.start()
        waited_for(tmp_path, children)
        for child in children.values():
            child.send_signal(signal.SIGKILL)
            child.wait()
        acknowledged = {name: count(tmp_path / name) for name in NAMES}
        with Archive.open(url) as archive:
            for name in NAMES:
                texts = [turn.text for turn in archive.turns(name)]
                assert texts == [f"{name} {n}" for n in range(len(texts))]
                assert acknowledged[name] <= len(texts) <= acknowledged[name] + 1
                data = b"".join(archive.sources.raw(name))
                assert data == b"".join(b"%08d" % n for n in range(len(texts)))
            assert archive.maintenance.verify().faults == []
            total = archive.counts().turns
        rows = "select count(*), count(distinct (conversation, seq)) from dejavu_turns"
        assert server.run(rows) == [(total, total)]
    finally:
        for child in children.values():
            child.kill()
        server.stop()


def waited_for(folder: Path, children: dict[str, "subprocess.Popen[bytes]"]) -> None:
    """Until each writer got on, which takes a connection of its own."""
    before = {name: count(folder / name) for name in children}
    deadline = time.monotonic() + 60
    while any(count(folder / name) <= before[name] for name in children):
        for name, child in children.items():
            assert child.poll() is None, (folder / name).read_text()[-2_000:]
        if time.monotonic() > deadline:
            raise ArchiveError(f"a writer stands still: {before}")
        time.sleep(0.05)


def count(file: Path) -> int:
    """How many commits a writer was told of."""
    lines = file.read_bytes().split(b"\n")
    return next((int(line) for line in reversed(lines[:-1]) if line.isdigit()), 0)
