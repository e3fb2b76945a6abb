import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.factories.ingest import push
from tests.factories.wire import ASKED, SSE

from dejavu.archive import Archive, Batch
from dejavu.ingest.channel import Channel
from dejavu.ingest.merge.arbitrate import merge_channel
from dejavu.model import Conversation, Role, Text, Turn, Vector, conversation_id
from dejavu.providers import Kind, Source
from dejavu.providers.formats.wire import Exchange

IDENTITY = conversation_id("claude", "local", "s-1")


def feed(name: str = "wire:run") -> Channel:
    source = Source("claude", Path(name), "local", Kind.APPEND, workspace="/w", name=name)
    return Channel(Vector.WIRE, source)


def line(*said: str, system: str = "You help.", at: float = 1.8e9) -> bytes:
    """An exchange of session s-1; `said` are user and assistant texts by turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[i % 2], "content": text} for i, text in enumerate(said)]
    exchange = Exchange("/v1/messages", {"x-claude-code-session-id": "s-1"}.items(), at)
    tools = [{"name": "Bash", "input_schema": {}}]
    body = {**ASKED, "messages": messages, "system": system, "tools": tools}
    exchange.request(json.dumps(body).encode())
    exchange.status = 200
    exchange.response(b"".join(SSE))
    return exchange.line() or b""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


def _said(archive: Archive, identity: str = IDENTITY) -> list[tuple[Role, str, Vector]]:
    return [(turn.role, turn.text, turn.vector) for turn in archive.get(identity).turns]


ANSWER = "Rayleigh scattering."


def test_exchanges_become_turns_and_raw(archive: Archive) -> None:
    first, second = line("Why?"), line("Why?", ANSWER, "And red?")
    assert push(archive, feed(), first) == push(archive, feed(), second) == {IDENTITY}
    assert _said(archive) == [
        (Role.SYSTEM, "You help.", Vector.WIRE),
        (Role.USER, "Why?", Vector.WIRE),
        (Role.ASSISTANT, ANSWER, Vector.WIRE),
        (Role.USER, "And red?", Vector.WIRE),
        (Role.ASSISTANT, ANSWER, Vector.WIRE),
    ]
    assert b"".join(archive.sources.raw(feed().source.key)) == first + second
    assert archive.get(IDENTITY).workspace == "/w"
    assert archive.maintenance.verify().clean


def test_an_older_parsers_state_is_no_hindrance(archive: Archive) -> None:
    push(archive, feed(), line("Why?"))
    key = feed().source.key
    state = archive.sources.state(key) or b""
    archive.commit(Batch(states={key: state.replace(b"WireParser/", b"WireParser?")}))
    push(archive, feed(), line("Why?", ANSWER, "And red?"))
    assert [text for _, text, _ in _said(archive)][1:] == ["Why?", ANSWER, "And red?", ANSWER]


def _native(*said: str) -> Conversation:
    roles = (Role.USER, Role.ASSISTANT)
    turns = tuple(Turn(role=roles[i % 2], parts=(Text(text),)) for i, text in enumerate(said))
    return Conversation(id=IDENTITY, agent="claude", native_id="s-1").with_turns(turns)


def test_a_better_vector_keeps_its_turns_and_gets_what_it_lacks(archive: Archive) -> None:
    archive.put(_native("Why?", ANSWER))
    data = line("Why?") + line("Why?", ANSWER, "And red?")
    touched = push(archive, feed(), data)
    assert [vector for _, _, vector in _said(archive)] == [Vector.NATIVE] * 2
    assert b"".join(archive.sources.raw(feed().source.key)) == data
    assert merge_channel(archive, feed(), touched) == 3
    assert _said(archive)[:2] == [
        (Role.USER, "Why?", Vector.NATIVE),
        (Role.ASSISTANT, ANSWER, Vector.NATIVE),
    ]
    assert _said(archive)[2:] == [
        (Role.USER, "And red?", Vector.WIRE),
        (Role.ASSISTANT, ANSWER, Vector.WIRE),
    ]
    (below,) = [head for head in archive.scan() if head.parent == IDENTITY]
    (system,) = archive.get(below.id).turns
    assert (system.text, len(system.parts)) == ("You help.", 2)
    merge_channel(archive, feed(), touched)
    assert (len(_said(archive)), archive.counts().conversations) == (4, 2), (
        "doing it again adds nothing"
    )
    assert archive.maintenance.verify().clean


def test_a_late_native_file_replaces_what_the_wire_told(archive: Archive) -> None:
    touched = push(archive, feed(), line("Why?"))
    archive.put(_native("Why?", ANSWER))
    touched |= push(archive, feed(), line("Why?", ANSWER, "And red?"))
    merge_channel(archive, feed(), touched)
    assert [vector for _, _, vector in _said(archive)] == [
        Vector.NATIVE, Vector.NATIVE, Vector.WIRE, Vector.WIRE,
    ]  # fmt: skip


def test_alone_there_is_nothing_to_merge_channel(archive: Archive) -> None:
    touched = push(archive, feed(), line("Why?"))
    before = archive.get(IDENTITY)
    assert merge_channel(archive, feed(), touched) == 0
    assert msgspec.json.encode(archive.get(IDENTITY)) == msgspec.json.encode(before)
