import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.factories.sessions import header

from dejavu.archive import Archive
from dejavu.ingest.ingestor import Ingestor
from dejavu.ingest.stream import ingest
from dejavu.model import ArchiveError, Conversation, Role, Text, Turn, Vector, conversation_id
from dejavu.providers.formats.streams import LineParser
from dejavu.sessions.observer import stream
from dejavu.sessions.observer.stream import StreamFollower, main_conversation

STREAM_FILES = Path(__file__).parents[2] / "factories/data/streams"

HEADER = header(
    "claude", "claude", "-p", "hello there", "--output-format", "stream-json", "--verbose"
)

_ROWS = [
    {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": "/w", "model": "m"},
    {
        "type": "assistant",
        "session_id": "s-1",
        "message": {
            "id": "m1",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": "Hi!"}],
        },
    },
    {"type": "result", "subtype": "success", "session_id": "s-1", "result": "Hi!"},
]
_STREAM = "".join(json.dumps(row) + "\n" for row in _ROWS).encode()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


def _follow(data: bytes, cut: int = 100, **fields: Any) -> StreamFollower:
    follower = StreamFollower(HEADER._replace(**fields))
    for offset in range(0, len(data), cut):
        follower.feed(data[offset : offset + cut], 6.0)
    return follower


def _committed(archive: Archive, follower: StreamFollower) -> Conversation:
    report = follower.finish(archive)
    assert report is not None
    assert not report.unreadable
    main = main_conversation(archive, report)
    assert main is not None
    return archive.get(main.id)


@pytest.mark.parametrize("cut", [1, 7, 100, 10_000])
def test_a_stream_becomes_a_conversation_with_its_bytes(archive: Archive, cut: int) -> None:
    whole = _committed(archive, _follow(_STREAM, cut))
    assert (whole.native_id, whole.vectors, whole.workspace) == ("s-1", (Vector.STREAM,), "/w")
    assert whole.source == "dejavu-run session 20261121-1"
    assert [(turn.role, turn.text, turn.at) for turn in whole.turns] == [
        (Role.USER, "hello there", 5.0),
        (Role.ASSISTANT, "Hi!", 6.0),
    ]
    (key,) = archive.sources.of(whole.id)
    raw = b"".join(archive.sources.raw(key))
    assert raw == _STREAM
    answer = whole.turns[1]
    assert answer.spans
    assert all(b'"Hi!"' in raw[span.offset : span.offset + span.length] for span in answer.spans)


@pytest.mark.parametrize("path", sorted(STREAM_FILES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_recorded_stream_gives_what_ingesting_it_gives(archive: Archive, path: Path) -> None:
    agent, data = path.stem.partition("-")[0], path.read_bytes()
    follower = _follow(data, 4096, agent=agent, argv=[agent])
    report = follower.finish(archive)
    assert report is not None
    with Archive.open(archive.root.parent / "other") as other:
        ingested = ingest(other, agent, [data], instance="local", workspace="/w")
        expected = sorted(_texts(other, ingested.conversations))
    assert sorted(_texts(archive, report.conversations)) == expected
    assert archive.maintenance.verify().clean


def _texts(archive: Archive, names: set[str]) -> list[list[str]]:
    return [[turn.text for turn in archive.get(name).turns] for name in names]


def test_a_stream_stands_beside_what_hooks_told(archive: Archive) -> None:
    name = conversation_id("claude", "local", "s-1")
    summary = Conversation(id=name, agent="claude", instance="local", native_id="s-1")
    parts = ((Role.USER, "hello there"), (Role.ASSISTANT, "Hi!"), (Role.USER, "more"))
    turns = [Turn(role=role, parts=(Text(text),), vector=Vector.HOOK) for role, text in parts]
    archive.put(summary.with_turns(tuple(turns)))
    whole = _committed(archive, _follow(_STREAM))
    assert [(turn.text, str(turn.vector)) for turn in whole.turns] == [
        ("hello there", "stream"), ("Hi!", "stream"), ("more", "hook"),
    ]  # fmt: skip


def test_a_stream_that_cannot_be_parsed_keeps_its_bytes(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    follower = _follow(_STREAM)
    monkeypatch.setattr(LineParser, "feed", fail)
    report = follower.finish(archive)
    assert report is not None
    assert "RecursionError" in report.unreadable[0][1]
    assert main_conversation(archive, report) is None
    assert b"".join(archive.sources.raw(follower.channel.key)) == _STREAM


def test_plain_text_is_not_a_stream(archive: Archive) -> None:
    assert _follow(b"Hi!\n" + _STREAM).finish(archive) is None


def test_agents_without_streams_and_silence_give_nothing(archive: Archive) -> None:
    assert _follow(_STREAM, agent="nobody").finish(archive) is None
    assert StreamFollower(HEADER).finish(archive) is None


@pytest.mark.parametrize("cut", [77, 333])
@pytest.mark.parametrize("path", sorted(STREAM_FILES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_stream_archived_as_it_comes_is_what_it_is_at_once(
    tmp_path: Path, path: Path, cut: int
) -> None:
    agent, data = path.stem.partition("-")[0], path.read_bytes()
    cut *= max(1, len(data) // 5000)
    fields = {"agent": agent, "argv": [agent]}
    with Archive.open(tmp_path / "once") as once:
        at_once = _follow(data, **fields)
        at_once.finish(once)
        with Archive.open(tmp_path / "pieces") as pieces:
            follower = StreamFollower(HEADER._replace(**fields))
            for offset in range(0, len(data), cut):
                follower.feed(data[offset : offset + cut], 6.0)
                if offset // cut % 5 == 0:
                    follower.commit(pieces)
            follower.finish(pieces)
            assert b"".join(pieces.sources.raw(follower.channel.key)) == data
            for summary in once.scan():
                turns = once.get(summary.id).turns
                assert pieces.get(summary.id).turns == turns


def test_what_was_archived_of_a_stream_outlives_its_observer(archive: Archive) -> None:
    follower = _follow(_STREAM[:-10])
    follower.commit(archive)  # and then it is killed
    (summary,) = archive.scan()
    assert [turn.text for turn in archive.get(summary.id).turns] == ["hello there", "Hi!"]
    assert b"".join(archive.sources.raw(follower.channel.key)) == _STREAM[:-10]
    follower.close()


def test_a_long_stream_waits_in_a_file_and_is_archived_in_pieces(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_PIECE", 1000)
    data = _STREAM + b"".join(_STREAM.replace(b"m1", b"m%d" % n) for n in range(2, 60))
    follower = _follow(data)
    assert follower.is_full
    written: list[int] = []
    write = Ingestor.commit

    def refuse_once(self: Ingestor, channel: Any, delta: Any, *more: Any, **options: Any) -> Any:
        written.append(len(delta.data))
        if len(written) == 4:
            raise ArchiveError("locked")
        return write(self, channel, delta, *more, **options)

    monkeypatch.setattr(Ingestor, "commit", refuse_once)
    with pytest.raises(ArchiveError):
        follower.commit(archive)
    follower.feed(b"\n", 7.0)
    report = follower.finish(archive)
    assert report is not None
    assert b"".join(archive.sources.raw(follower.channel.key)) == data + b"\n"
    assert max(written) == 1000
    assert len(archive.get(*report.conversations).turns) == 60


def test_after_a_piece_that_cannot_be_parsed_the_others_are_only_kept(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    follower = _follow(_STREAM)
    with monkeypatch.context() as patch:
        patch.setattr(LineParser, "feed", fail)
        for _ in range(3):
            follower.commit(archive)
            follower.feed(_STREAM.replace(b"m1", b"m2"), 8.0)
    report = follower.finish(archive)
    assert report is not None
    assert not report.unreadable
    assert [turn.text for turn in archive.get(*report.conversations).turns] == [
        "hello there", "Hi!", "Hi!",
    ]  # fmt: skip
