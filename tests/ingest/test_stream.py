import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.ingest import stream
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
