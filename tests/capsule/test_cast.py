"""The asciicast writer: what it writes is v2, private, and comes back byte for byte."""

import json
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule import CastWriter, Exit, Gap, Header, Output, Resize, read_recording

HEADER = Header({"at": 100.0, "argv": ["/bin/kimi"], "columns": 90, "lines": 20, "term": "xterm"})


def record(path, events):
    writer = CastWriter(path)
    for event in events:
        writer.event(event)
    writer.close()
    return read_recording(path)


@given(st.lists(st.binary(min_size=1), max_size=20))
def test_any_bytes_in_any_chunks_come_back(tmp_path_factory, chunks):
    path = tmp_path_factory.mktemp("cast") / "session.cast"
    outputs = [Output(100.0 + number, chunk) for number, chunk in enumerate(chunks)]
    recording = record(path, [HEADER, *outputs])
    assert b"".join(event.data for event in recording) == b"".join(chunks)
    assert recording.faults == []


@given(st.text(min_size=1))
def test_text_is_written_once_and_readably_however_it_is_cut(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("cast") / "session.cast"
    data = text.encode("utf-8", "replace")
    record(path, [HEADER, *(Output(100.0, data[i : i + 1]) for i in range(len(data)))])
    lines = [json.loads(line) for line in path.read_bytes().splitlines()[1:]]
    assert {kind for _, kind, _ in lines} == {"o"}
    assert "".join(shown for _, _, shown in lines) == data.decode()


def test_everything_has_its_line(tmp_path):
    path = tmp_path / "session.cast"
    recording = record(
        path,
        [
            HEADER,
            Output(100.5, "é".encode()[:1]),
            Output(100.75, "é".encode()[1:] + b"\xff"),
            Resize(101.0, 70, 10),
            Gap(101.5, 12),
            Exit(102.0, 3),
        ],
    )
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {
        "version": 2,
        "width": 90,
        "height": 20,
        "timestamp": 100,
        "title": "kimi",
        "env": {"TERM": "xterm"},
    }
    assert [line[1] for line in lines[1:]] == ["b", "o", "r", "g", "x"]
    assert lines[2] == [0.75, "o", "é\ufffd"]
    assert list(recording) == [
        Output(0.75, b"\xc3\xa9\xff"),
        Resize(1.0, 70, 10),
        Gap(1.5, 12),
        Exit(2.0, 3),
    ]
    assert (recording.columns, recording.lines, recording.agent) == (90, 20, "kimi")
    assert recording.started_at == 100.0


def test_a_character_cut_off_by_the_end_is_not_lost(tmp_path):
    recording = record(tmp_path / "a.cast", [HEADER, Output(101.0, b"a\xe2\x82")])
    assert b"".join(event.data for event in recording) == b"a\xe2\x82"


def test_time_never_runs_backwards(tmp_path):
    events = [HEADER, Output(105.0, b"a"), Output(90.0, b"b"), Output(106.0, b"c")]
    assert [e.at for e in record(tmp_path / "a.cast", events)] == [5.0, 5.0, 6.0]


def test_the_file_is_private_and_new(tmp_path):
    path = tmp_path / "session.cast"
    record(path, [HEADER])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        CastWriter(path)
    (tmp_path / "link.cast").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        CastWriter(tmp_path / "link.cast")


def test_every_event_is_on_disk_before_the_next(tmp_path):
    path = tmp_path / "session.cast"
    writer = CastWriter(path)
    writer.event(HEADER)
    writer.event(Output(101.0, b"hello"))
    assert [e.data for e in read_recording(path)] == [b"hello"]
    writer.close()
    writer.close()  # twice is once


def test_a_full_disk_is_an_error_of_the_sink(tmp_path):
    writer = CastWriter(tmp_path / "session.cast")
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, writer._fd)
    os.close(full)
    with pytest.raises(OSError, match="No space left"):
        writer.event(HEADER)
    writer.close()
