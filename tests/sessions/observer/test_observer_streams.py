"""What an agent prints for machines, archived while it runs."""

import json
import time
from pathlib import Path

import pytest
from tests.factories.session_files import claude_session
from tests.sessions.observer.wrapped import begin

from dejavu.archive import Archive
from dejavu.capsule import Output
from dejavu.model import Vector
from dejavu.sessions.observer.observer import SessionObserver

_RECORDS = [
    {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": "/work/x", "model": "m"},
    {"type": "assistant", "session_id": "s-1", "message": {
        "id": "m1", "role": "assistant", "content": [{"type": "text", "text": "Hi!"}]}},
]  # fmt: skip


def _print(observer: SessionObserver, *, native: bool, home: Path) -> None:
    for number, record in enumerate(_RECORDS, 1):
        observer.event(Output(time.time(), json.dumps(record).encode() + b"\n"))
        observer.tick(time.time() + 20 * number)
    if native:
        later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
        path = claude_session(home, "why?")
        path.write_text(path.read_text().replace("2026-11-21T10:00", later))


@pytest.mark.fault("1.11")
def test_a_headless_stream_is_archived_while_it_runs(home: Path) -> None:
    observer, _ = begin(agent="claude", mode="direct", argv=["claude", "-p", "hello"])
    _print(observer, native=False, home=home)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        (summary,) = archive.scan()
        assert [turn.text for turn in archive.get(summary.id).turns] == ["hello", "Hi!"]
    assert observer.finish()["kept"] == "stream"


def test_a_stream_of_which_the_log_came_late_stands_beside_it(home: Path) -> None:
    observer, _ = begin(agent="claude", mode="direct", argv=["claude", "-p", "hello"])
    _print(observer, native=True, home=home)
    report = observer.finish()
    assert report["kept"] == "native"
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert {summary.vectors for summary in archive.scan()} == {
            (Vector.NATIVE,), (Vector.STREAM,),
        }  # fmt: skip
        assert archive.maintenance.verify().clean


def test_a_stream_beside_its_log_is_not_written(home: Path) -> None:
    later = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 60))
    path = claude_session(home, "why?")
    path.write_text(path.read_text().replace("2026-11-21T10:00", later))
    observer, _ = begin(agent="claude", mode="direct", argv=["claude", "-p", "hello"])
    _print(observer, native=False, home=home)
    assert observer.finish()["kept"] == "native"
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert [summary.vectors for summary in archive.scan()] == [(Vector.NATIVE,)]
