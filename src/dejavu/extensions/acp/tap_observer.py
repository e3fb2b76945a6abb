"""The process next to a tap: frames on stdin, what passed into the archive, line by line.

All of one run is one source of vector `stream`, which holds both directions; the recorder's thread
commits it. What the archive will not take is kept in a file until the next run. Ends when its input
does, which is also what it sees when the tap was killed. Memory: what `Recorder` and the longest
line take.

Tested in: tests/extensions/acp/test_tap.py
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from typing import Any

from dejavu.archive.access import open_archive
from dejavu.capsule import Exit, Gap, Header, Input, Output, read_events
from dejavu.config.own_program import own_program
from dejavu.config.settings import Config, load_config, own_instance
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.recorder import Recorder
from dejavu.ingest.spool import recover, spool_folder
from dejavu.model import DejavuError, Vector
from dejavu.providers.formats.acp_stream import PREFIX

from .traffic_lines import INPUT, OUTPUT, TrafficLines


def tap_channel(agent: str, run: str, instance: str, workspace: str | None) -> Channel:
    """The source that one run of a tapped agent is."""
    source = pushed_source(agent, f"{PREFIX}{run}", instance, workspace=workspace or None)
    return Channel(Vector.STREAM, source)


class TapObserver:
    """What is done with each event of one run."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._lines = TrafficLines()
        self._channel: Channel | None = None
        self.notes: list[str] = []

    def event(self, event: object) -> None:
        """Take one event."""
        match event:
            case Header(fields):
                self._begin(dict(fields))
            case Input(at, data):
                self._keep(self._lines.feed(INPUT, data, at))
            case Output(at, data):
                self._keep(self._lines.feed(OUTPUT, data, at))
            case Gap(at, lost):
                self.notes.append(f"{lost} bytes came too fast and were not kept")
                self._keep(self._lines.gap(lost, at))
            case Exit(at, _):
                self._keep(self._lines.close(at))
            case _:
                pass

    def close(self) -> None:
        """The tap has gone, with or without its last event."""
        self._keep(self._lines.close(time.time()))

    def _begin(self, fields: dict[str, Any]) -> None:
        try:
            config = load_config()
        except DejavuError as error:
            self.notes.append(str(error))
            config = Config()
        instance = str(fields.get("instance") or "") or own_instance(config)
        workspace = str(fields.get("workspace") or "") or None
        self._channel = tap_channel(str(fields["agent"]), str(fields["run"]), instance, workspace)

    def _keep(self, records: Iterable[bytes]) -> None:
        if self._channel is None:
            return
        for record in records:
            self._recorder.put(self._channel, _given(record), len(record))


def _given(record: bytes) -> Any:
    return lambda: record


def main() -> None:
    """Keep one run, and become the program that indexes what was archived."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the tap's end is ours
    recorder = Recorder(lambda: open_archive(write=True), spool_folder())
    threading.Thread(target=recover, args=(open_archive,), daemon=True).start()
    observer = TapObserver(recorder)
    for event in read_events(0):
        observer.event(event)
    observer.close()
    for note in (*observer.notes, *recorder.close().notes):
        print(time.strftime("%F %T"), "acp", note, file=sys.stderr)
    sys.stderr.flush()
    module = "dejavu.sessions.observer.index_archive"
    os.execv(sys.executable, own_program(module))  # noqa: S606 - ours


if __name__ == "__main__":
    main()
