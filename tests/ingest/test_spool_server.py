"""What is pushed while the server dies and comes back is in its archive, once and in order."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.postgres import Missing, Server

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.recorder import Recorder
from dejavu.ingest.spool import recover, spool_state
from dejavu.model import Vector

SOURCES = 3
ROUNDS = 4


def test_a_server_that_is_killed_takes_all_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "data"))
    try:
        server = Server({"fsync": "on", "full_page_writes": "on"})
    except Missing as why:
        pytest.skip(str(why))
    url, spool = server.url(), tmp_path / "spool"

    @contextmanager
    def opened(*, write: bool = True) -> Generator[Archive]:
        with Archive.open(url, create=write) as archive:
            yield archive

    channels = [
        Channel(Vector.OTLP, pushed_source("claude", f"otlp:{n}", "local")) for n in range(SOURCES)
    ]
    sent: dict[str, bytes] = {channel.key: b"" for channel in channels}
    try:
        recorder = Recorder(opened, spool, spool_first=True)
        for number in range(ROUNDS):
            for channel in channels:
                line = b'{"n":%d}\n' % number
                sent[channel.key] += line
                recorder.put(channel, lambda line=line: line, len(line))  # type: ignore[misc]
            if number == 1:
                server.kill()
            time.sleep(0.7)
        assert spool_state(spool).waiting >= SOURCES, "the last rounds can only be here"
        server.start()
        notes = recorder.close().notes
        recover(opened, spool)  # what its last try did not wait for
        assert (spool_state(spool).waiting, notes) == (0, [])
        with Archive.open(url) as archive:
            assert {key: b"".join(archive.sources.raw(key)) for key in sent} == sent
            assert archive.maintenance.verify().faults == []
    finally:
        server.stop()
