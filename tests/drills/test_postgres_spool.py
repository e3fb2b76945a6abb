"""Two programs carry one spool to a server and are killed -9 all the time: once and in order all the same.

DEJAVU_KILLS says how often (20).
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.postgres import Missing, Server

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.spool import save_lines, spool_state
from dejavu.model import Vector

pytestmark = pytest.mark.soak

CARRY = """
import sys, time
from contextlib import contextmanager
from pathlib import Path
from dejavu.archive import Archive
from dejavu.ingest.spool import recover
@contextmanager
def opened(*, write):
    with Archive.open(sys.argv[1], create=write) as archive:
        yield archive
print("carrying", flush=True)
while True:
    print(recover(opened, Path(sys.argv[2])), flush=True)
    time.sleep(0.02)
"""
CHANNELS = [Channel(Vector.OTLP, pushed_source("claude", f"otlp:{n}", "local")) for n in range(4)]


def saved(spool: Path) -> Iterator[dict[str, bytes]]:
    """Put a batch of each source into the spool with each step; yields all that was ever put."""
    sent = {channel.key: b"" for channel in CHANNELS}
    for number in count():
        for channel in CHANNELS:
            line = b'{"n":%d}\n' % number
            save_lines(spool, channel, [line])
            sent[channel.key] += line
        yield sent


def test_a_spool_whose_carriers_are_killed_is_carried_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "data"))
    try:
        server = Server({"fsync": "on", "full_page_writes": "on"})
    except Missing as why:
        pytest.skip(str(why))
    url, spool, dice = server.url(), tmp_path / "spool", random.Random(7)
    puts, kills = saved(spool), int(os.environ.get("DEJAVU_KILLS", "20"))
    log = (tmp_path / "log").open("wb")
    children: list[subprocess.Popen[bytes]] = []

    def begin() -> None:
        children.append(
            subprocess.Popen([sys.executable, "-c", CARRY, url, str(spool)], stdout=log, stderr=log)
        )

    inside = 0
    try:
        Archive.open(url).close()
        begin()
        begin()
        for _ in range(kills):
            for _ in range(5):
                sent = next(puts)
            before, deadline = spool_state(spool).waiting, time.monotonic() + 60
            while spool_state(spool).waiting >= before and time.monotonic() < deadline:
                time.sleep(0.01)  # somebody carries now
            time.sleep(dice.uniform(0, 0.1))
            for child in dice.sample(children, dice.choice((1, 2))):
                children.remove(child)
                child.send_signal(signal.SIGKILL)
                child.wait()
                begin()
            inside += any(".at" in path.name for path in spool.glob("*.jsonl"))
        deadline = time.monotonic() + 120
        while spool_state(spool).waiting and time.monotonic() < deadline:
            time.sleep(0.05)
        assert spool_state(spool).waiting == 0, (tmp_path / "log").read_text()[-2_000:]
        with Archive.open(url) as archive:
            assert {key: b"".join(archive.sources.raw(key)) for key in sent} == sent
            assert archive.maintenance.verify().faults == []
        sys.stdout.write(
            f"\n{kills} times one or both of two carriers killed, {inside} within a batch; "
            f"{sum(map(len, sent.values()))} bytes of {len(sent)} sources: 0 lost, 0 doubled\n"
        )
    finally:
        for child in children:
            child.kill()
            child.wait()
        log.close()
        server.stop()
