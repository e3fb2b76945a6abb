"""Reading recordings: both formats, both versions, and files that are partly bad."""

import json

import pytest

from dejavu.capsule import Exit, Output, Resize, SpawnError, read_recording
from dejavu.model import CaptureError


def written(tmp_path, *lines):
    path = tmp_path / "session.cast"
    path.write_bytes(
        b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    )
    return path


def test_version_2(tmp_path):
    recording = read_recording(
        written(
            tmp_path,
            {"version": 2, "width": 120, "height": 40, "timestamp": 17, "title": "claude"},
            [0.5, "o", "h\u00e9"],
            [1, "i", "typed"],
            [1.5, "r", "100x30"],
            [2.0, "m", "a marker"],
            [2.5, "x", "0"],
        )
    )
    assert (recording.format, recording.columns, recording.lines) == ("asciicast", 120, 40)
    assert (recording.agent, recording.started_at) == ("claude", 17.0)
    wanted = [Output(0.5, "hé".encode()), Resize(1.5, 100, 30), Exit(2.5, 0)]
    assert list(recording) == wanted
    assert list(recording) == wanted  # from the start, every time


def test_version_3_counts_intervals(tmp_path):
    recording = read_recording(
        written(
            tmp_path,
            {"version": 3, "term": {"cols": 90, "rows": 25}, "title": "a long title"},
            b"# a comment",
            [0.5, "o", "a"],
            [0.25, "i", "x"],
            [0.25, "o", "b"],
        )
    )
    assert (recording.columns, recording.lines, recording.agent) == (90, 25, None)
    assert list(recording) == [Output(0.5, b"a"), Output(1.0, b"b")]


@pytest.mark.parametrize("data", [b"", b"\x1b[2Jplain", b"{not json", b'{"no": "version"}\nx'])
def test_anything_else_is_raw_bytes(tmp_path, data):
    path = tmp_path / "typescript"
    path.write_bytes(data)
    recording = read_recording(path)
    assert recording.format == "raw"
    assert recording.columns is None
    assert b"".join(event.data for event in recording) == data


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"[0.5, ", "Expecting value"),
        ([0.5, "o"], "expected [seconds"),
        (["soon", "o", "x"], "expected [seconds"),
        ({"kind": "o"}, "expected [seconds"),
        ([1, "r", "wide"], "expected a size like 80x24, got 'wide'"),
        ([1, "x", "failed"], "invalid literal"),
        ([1, "b", "*"], "base64"),
        (b"\xff\xfe", "utf-8"),
        (b"[" * 100_000, "recursion"),
        ([1, "o", "\ud800"], "surrogates"),
    ],
)
def test_a_bad_line_is_named_and_the_next_ones_follow(tmp_path, bad, reason):
    path = written(
        tmp_path, {"version": 2, "width": 8, "height": 2}, [0, "o", "a"], bad, [2, "o", "b"]
    )
    recording = read_recording(path)
    assert list(recording) == [Output(0.0, b"a"), Output(2.0, b"b")]
    assert len(recording.faults) == recording.fault_count == 1
    assert recording.faults[0].startswith(f"{path}, line 3: ")
    assert reason in recording.faults[0]


def test_faults_are_counted_but_not_all_kept(tmp_path):
    recording = read_recording(written(tmp_path, {"version": 2}, *([b"x"] * 500)))
    assert list(recording) == []
    assert recording.fault_count == 500
    assert len(recording.faults) == 100


def test_an_unknown_version_is_refused_with_its_cure(tmp_path):
    path = written(tmp_path, {"version": 9})
    with pytest.raises(CaptureError, match=r"session.cast, line 1: asciicast version 9.*convert"):
        read_recording(path)


def test_a_missing_file_stays_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_recording(tmp_path / "none")
    assert issubclass(SpawnError, CaptureError)


@pytest.mark.shared
def test_real_recordings_read_without_a_fault(shared):
    paths = sorted((shared / "data/recordings").glob("*/*/session.cast"))
    assert paths
    for path in paths:
        recording = read_recording(path)
        assert sum(len(event.data) for event in recording if event.kind == "o") > 0
        assert recording.faults == []
        assert recording.columns
