"""Traffic cut into records: exact where it is JSON, in pieces where a line is too long."""

import json
from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.acp import traffic_lines
from dejavu.extensions.acp.traffic_lines import TrafficLines


def records(*pieces: tuple[str, bytes]) -> list[bytes]:
    lines = TrafficLines()
    told = [record for way, data in pieces for record in lines.feed(way, data, 1.0)]
    return [*told, *lines.close(2.0)]


@given(st.lists(st.tuples(st.sampled_from(["in", "out"]), st.binary(max_size=40)), max_size=20))
def test_whatever_passes_is_a_record_a_line_and_nothing_is_lost(
    pieces: list[tuple[str, bytes]],
) -> None:
    said = {"in": b"", "out": b""}
    for way, data in pieces:
        said[way] += data
    found: dict[str, list[bytes]] = {"in": [], "out": []}
    for record in records(*pieces):
        assert record.count(b"\n") == 1
        value = json.loads(record.decode("utf-8", "surrogateescape"))
        if "line" in value:
            found[value["dir"]].append(record.partition(b'"line":')[2].rstrip(b"\n")[:-1])
        elif "text" in value:
            found[value["dir"]].append(value["text"].encode())
        else:
            found[value["dir"]].append(b64decode(value["bytes"]))
    for way, data in said.items():
        assert found[way] == [line for line in data.split(b"\n") if line.strip()]


def test_a_line_that_is_too_long_is_given_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic_lines, "longest_line", lambda: 1000)
    monkeypatch.setattr(traffic_lines, "BEGINNING", 100)
    line = b'{"method":"m","text":"' + b"x" * 5000 + b'"}'
    pieces = [("out", line[start : start + 700]) for start in range(0, len(line), 700)]
    told = [json.loads(one) for one in records(*pieces, ("out", b'\n{"next":1}\n'))]
    assert told[0]["cut"] is True
    assert told[0]["line"]["method"] == "m"
    assert told[-1]["line"] == {"next": 1}
    assert b"".join(b64decode(one["bytes"]) for one in told[1:-1]) == line


def test_behind_a_gap_both_directions_begin_with_a_line() -> None:
    lines = TrafficLines()
    list(lines.feed("in", b'{"torn', 1.0))
    (gap,) = lines.gap(99, 2.0)
    assert json.loads(gap) == {"at": 2.0, "dir": "gap", "lost": 99}
    assert list(lines.feed("in", b'": 1}\n', 3.0)) == []
    (whole,) = lines.feed("in", b'{"a": 1}\n', 4.0)
    assert json.loads(whole)["line"] == {"a": 1}
    assert list(lines.feed("out", b"rest}\n", 5.0)) == []
