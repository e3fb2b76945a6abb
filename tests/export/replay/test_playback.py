import json
from pathlib import Path

import pytest

from dejavu.capsule import Output, Recording, Resize
from dejavu.export.replay import Playback
from dejavu.scrapers import SessionReader


def _playback(path: Path, *, resizing: bool = True) -> Playback:
    return Playback(Recording(path), SessionReader("demo", 20, 4), resizing=resizing)


def _cast(path: Path, *events: tuple[float, str, str]) -> Path:
    head = {"version": 2, "width": 20, "height": 4}
    path.write_text("\n".join(json.dumps(row) for row in (head, *events)) + "\n")
    return path


def test_each_frame_has_its_time_its_bytes_and_its_events(tmp_path: Path) -> None:
    cast = _cast(
        tmp_path / "a.cast",
        (1.0, "o", "one"),
        (2.0, "o", "\r\ntw"),
        (2.001, "o", "o"),
        (3.0, "r", "30x5"),
    )
    frames = list(_playback(cast).frames())
    assert [frame.number for frame in frames] == [1, 2, 3]
    assert [frame.offset for frame in frames] == [3, 8, 8]
    assert [frame.snapshot.rows[1].rstrip() for frame in frames] == ["", "two", "two"]
    assert frames[1].events == (Output(2.0, b"\r\ntw"), Output(2.001, b"o"))
    assert frames[2].events == (Resize(3.0, 30, 5),)
    assert [round(frame.at) for frame in frames] == [1, 2, 3]


def test_a_look_that_sees_nothing_new_is_no_frame(tmp_path: Path) -> None:
    cast = _cast(tmp_path / "a.cast", (1.0, "o", "x"), (2.0, "o", "\x1b[m"), (3.0, "o", "y"))
    looks = list(_playback(cast))
    assert [(look.number, look.fresh) for look in looks] == [(1, True), (1, False), (2, True)]


def test_a_size_of_our_own_keeps_the_window_as_it_is(tmp_path: Path) -> None:
    cast = _cast(tmp_path / "a.cast", (1.0, "o", "x"), (2.0, "r", "30x5"))
    looks = list(_playback(cast, resizing=False))
    assert {look.snapshot.columns for look in looks} == {20}
    assert all(isinstance(event, Output) for look in looks for event in look.events)


def test_raw_bytes_get_times_of_our_own(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.write_bytes(b"".join(b"line %d\r\n" % n for n in range(2000)))
    frames = list(_playback(raw).frames())
    assert len(frames) > 3
    assert frames[-1].offset == raw.stat().st_size
    assert frames[-1].snapshot.rows[2].rstrip() == "line 1999"
    assert [frame.at for frame in frames] == sorted({frame.at for frame in frames})


@pytest.mark.shared
def test_every_byte_of_every_recording_is_in_one_frame(shared: Path) -> None:
    for path in sorted((shared / "data" / "recordings").glob("*/tools-*/session.cast")):
        recording = Recording(path)
        reader = SessionReader("auto", recording.columns or 80, recording.lines or 24)
        looks = list(Playback(recording, reader))
        events = [event for look in looks for event in look.events]
        assert events == [event for event in recording if isinstance(event, Output | Resize)]
