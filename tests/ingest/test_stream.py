import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from dejavu.archive import Archive
from dejavu.config.settings import Config
from dejavu.ingest import stream
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.stream import ingest
from dejavu.model import (
    Conversation,
    Role,
    Text,
    Turn,
    UnreadableSessionError,
    Vector,
    conversation_id,
)
from dejavu.providers import STREAMS
from dejavu.providers.formats import long_lines

ROWS = [
    {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": "/w"},
    {
        "type": "assistant",
        "session_id": "s-1",
        "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "42"}]},
    },
    {"type": "result", "subtype": "success", "session_id": "s-1", "result": "42"},
]
STREAM = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


def _ingest(archive: Archive, data: bytes = STREAM) -> set[str]:
    return ingest(
        archive, "claude", [data], instance="local", workspace="/w", prompt="the answer?"
    ).conversations


def test_a_stream_is_kept_exactly_and_read(archive: Archive) -> None:
    (identity,) = _ingest(archive)
    whole = archive.get(identity)
    assert [(turn.role, turn.text, turn.vector) for turn in whole.turns] == [
        (Role.USER, "the answer?", Vector.STREAM),
        (Role.ASSISTANT, "42", Vector.STREAM),
    ]
    (key,) = archive.sources.of(identity)
    assert b"".join(archive.sources.raw(key)) == STREAM


def test_a_long_stream_is_read_in_pieces_to_the_same_turns(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (identity,) = _ingest(archive)
    monkeypatch.setattr(stream, "WHOLE", 100)
    monkeypatch.setattr(stream, "PIECE", 70)
    with Archive.open(tmp_path / "other") as other:
        for _ in range(2):
            assert _ingest(other) == {identity}
            assert other.get(identity).turns == archive.get(identity).turns
            (key,) = other.sources.of(identity)
            assert b"".join(other.sources.raw(key)) == STREAM
            assert other.sources.raw_length(key) == len(STREAM)
        assert other.maintenance.verify().clean


def test_the_same_stream_twice_is_one_conversation(archive: Archive) -> None:
    assert _ingest(archive) == _ingest(archive)
    (head,) = archive.scan()
    assert head.turn_count == 2
    assert archive.maintenance.verify().clean


def test_a_better_vector_is_completed_not_replaced(archive: Archive) -> None:
    identity = conversation_id("claude", "local", "s-1")
    native = Turn(role=Role.USER, parts=(Text("the answer?"),))
    archive.put(Conversation(id=identity, agent="claude", native_id="s-1").with_turns((native,)))
    _ingest(archive)
    whole = archive.get(identity)
    assert [turn.vector for turn in whole.turns] == [Vector.NATIVE, Vector.STREAM]
    assert [turn.text for turn in whole.turns] == ["the answer?", "42"]


@pytest.mark.parametrize("data", [b"", b"Hello!\n", b"{}\n"])
def test_other_text_is_refused_with_its_beginning(archive: Archive, data: bytes) -> None:
    with pytest.raises(UnreadableSessionError, match=r"begins|is empty"):
        _ingest(archive, data)
    assert list(archive.scan()) == []


def _record(text: str, number: int) -> bytes:
    message = {
        "id": f"m{number}", "role": "assistant", "content": [{"type": "text", "text": text}],
    }  # fmt: skip
    return (
        json.dumps({"type": "assistant", "session_id": "s-1", "message": message}).encode() + b"\n"
    )


@pytest.mark.fault("33.long")
@pytest.mark.parametrize("ends", [True, False])
def test_a_line_too_long_costs_itself_alone(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
    """It is kept raw and named with its place, its beginning is a turn, and so is what is around it."""
    monkeypatch.setattr(long_lines, "load_config", _config)
    monkeypatch.setattr(stream, "WHOLE", 1 << 20)
    long_lines.longest_line.cache_clear()
    long = _record("word " * 2_000_000, 1)
    data = STREAM + _record("before", 0) + (long if ends else long[:-9])
    data += _record("behind", 2) if ends else b""
    report = ingest(
        archive, "claude", [data[at : at + 65_536] for at in range(0, len(data), 65_536)],
        instance="local", workspace="/w", name="big.jsonl",
    )  # fmt: skip
    long_lines.longest_line.cache_clear()
    (identity,) = report.conversations
    assert report.truncated == [("big.jsonl, line 5", 1)]
    turns = archive.get(identity).turns
    said = [turn for turn in turns if turn.role is Role.ASSISTANT]
    assert [turn.text[:9] for turn in said] == ["42", "before", "word word", *["behind"] * ends]
    assert 200_000 < len(said[2].text) < 300_000
    (key,) = archive.sources.of(identity)
    assert b"".join(archive.sources.raw(key)) == data
    assert len(archive.sources.state(key) or b"") < 1_000_000
    assert archive.maintenance.verify().clean


def _config() -> Config:
    return msgspec.convert({"sync": {"longest_line": 8}}, Config)


def test_a_live_line_of_many_pieces_is_one_turn_and_no_state(archive: Archive) -> None:
    source = pushed_source("claude", "live", "local", workspace="/w")
    writer = stream.StreamWriter(Channel(Vector.STREAM, source), STREAMS["claude"].parser)
    data = STREAM + _record("word " * 1_600_000, 1) + _record("behind", 2)
    for at in range(0, len(data), 1 << 20):
        writer.write(archive, data[at : at + (1 << 20)])
        assert len(archive.sources.state(source.key) or b"") < 6_000_000
    report = writer.finish(archive)
    (identity,) = report.conversations
    *_, long, last = archive.get(identity).turns
    assert (len(long.text), last.text) == (8_000_000, "behind")
