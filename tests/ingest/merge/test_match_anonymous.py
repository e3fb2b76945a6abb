import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.factories.ingest import push

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel
from dejavu.ingest.merge.arbitrate import merge_channel
from dejavu.ingest.stream import ingest
from dejavu.model import Conversation, Role, Text, Turn, Vector, conversation_id
from dejavu.providers import Kind, Source
from dejavu.providers.formats.wire import Exchange

AT = 1.8e9
ID = conversation_id("qwen", "local", "s-1")
SOURCE = Source("qwen", Path("wire:r"), "local", Kind.APPEND, workspace="/w", name="wire:r")
FEED = Channel(Vector.WIRE, SOURCE)
TOOLS = [{"type": "function", "function": {"name": "shell", "parameters": {}}}]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


def passed(*said: str, answer: str, system: str = "You help.", at: float = AT) -> bytes:
    """A request of an agent that does not say which session it is of."""
    roles = ("user", "assistant")
    talk = [{"role": roles[i % 2], "content": text} for i, text in enumerate(said)]
    exchange = Exchange("/v1/chat/completions", [], at)
    messages = [{"role": "system", "content": system}, *talk]
    asked = {"model": "m", "messages": messages, "tools": TOOLS if system == "You help." else []}
    exchange.request(json.dumps(asked).encode())
    exchange.status = 200
    choice = {"index": 0, "message": {"role": "assistant", "content": answer}}
    exchange.response(json.dumps({"id": "r", "choices": [choice]}).encode())
    return exchange.line() or b""


def native(*said: str, at: float = AT, workspace: str = "/w") -> Conversation:
    roles = (Role.USER, Role.ASSISTANT)
    turns = tuple(
        Turn(role=roles[i % 2], parts=(Text(text),), at=at + i) for i, text in enumerate(said)
    )
    head = Conversation(id=ID, agent="qwen", native_id="s-1", workspace=workspace)
    return head.with_turns(turns)


def mains(archive: Archive) -> list[Conversation]:
    return [head for head in archive.scan() if head.parent is None]


def test_a_nameless_conversation_is_the_session_that_asked_the_same(archive: Archive) -> None:
    touched = push(archive, FEED, passed("Why?", answer="So."))
    archive.put(native("Why?", "So."))
    assert len(mains(archive)) == 2
    merge_channel(archive, FEED, touched)
    (head,) = mains(archive)
    assert (head.id, head.vectors) == (ID, (Vector.NATIVE,))
    touched = push(archive, FEED, passed("Why?", "So.", "And red?", answer="Less.", at=AT + 9))
    assert touched == {ID}, "what comes later goes to it at once"
    merge_channel(archive, FEED, touched)
    assert [turn.text for turn in archive.get(ID).turns] == ["Why?", "So.", "And red?", "Less."]
    assert len(mains(archive)) == 1
    assert archive.maintenance.verify().clean


def test_what_was_asked_on_the_side_stands_below_it(archive: Archive) -> None:
    aside = passed("Why?", answer="A title", system="You name things.")
    touched = push(archive, FEED, passed("Why?", answer="So.") + aside)
    archive.put(native("Why?", "So."))
    merge_channel(archive, FEED, touched)
    assert {head.parent for head in archive.scan()} == {None, ID}


@pytest.mark.parametrize(
    "other",
    [
        native("Why?", "So.", at=AT - 9e5),
        native("Why?", "So.", workspace="/elsewhere"),
        native("How?", "Thus."),
        msgspec.structs.replace(native("Why?", "So."), agent="gemini"),
    ],
    ids=["long before", "elsewhere", "other words", "another agent"],
)
def test_another_session_is_left_alone(archive: Archive, other: Conversation) -> None:
    archive.put(other)
    merge_channel(archive, FEED, push(archive, FEED, passed("Why?", answer="So.")))
    assert len(mains(archive)) == 2


def test_a_stream_that_broke_off_before_its_name_is_known_by_what_was_asked(
    archive: Archive,
) -> None:
    archive.put(msgspec.structs.replace(native("Why?"), agent="kimi"))
    data = b'{"role":"meta","type":"system.version","version":"2.1.0"}\n'
    for _ in range(2):
        report = ingest(archive, "kimi", [data], instance="local", workspace="/w", prompt="Why?")
        assert report.conversations == {ID}
    assert len(mains(archive)) == 1
