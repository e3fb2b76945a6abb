"""1.15: what an agent asks on the side stands below its conversation, marked, and out of the lists."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.ingest import push

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.merge.match_side import match_side
from dejavu.model import (
    Conversation,
    Relation,
    Role,
    Text,
    ToolCallResponse,
    Turn,
    Vector,
    conversation_id,
)
from dejavu.providers.formats.wire import Exchange

AT = 1.8e9
PROMPT = "Why does the retry budget run dry after an hour?"
TITLE = f"Generate a short title for a task. The user says:\n\n{PROMPT}\n\nAnswer with it alone."


def held(name: str, *texts: str, at: float = AT, vector: Vector = Vector.OTLP) -> Conversation:
    turns = tuple(
        Turn(role=Role.USER, parts=(Text(text),), at=at + place, vector=vector)
        for place, text in enumerate(texts)
    )
    identity = conversation_id("codex", "local", name)
    return Conversation(id=identity, agent="codex", native_id=name).with_turns(turns)


@pytest.fixture
def archive(home: Path) -> Iterator[Archive]:
    with open_archive(write=True) as opened:
        yield opened


def relation(archive: Archive, conversation: Conversation) -> tuple[str | None, Relation | None]:
    match_side(archive, [conversation.id])
    stored = archive.summary(conversation.id)
    return stored.parent, stored.relation


@pytest.mark.fault("1.15")
def test_a_request_that_quotes_a_prompt_stands_below_its_conversation(
    archive: Archive, dejavu: Callable[..., Result]
) -> None:
    main = held("main", PROMPT, "and then?", vector=Vector.NATIVE)
    side = held("side", TITLE, at=AT + 5)
    archive.put(main)
    archive.put(side)
    assert relation(archive, side) == (main.id, Relation.SIDE)
    assert relation(archive, main) == (None, None)
    archive.update_index()
    archive.close()
    rows = dejavu("list", "--json").rows
    assert [row["id"] for row in rows] == [main.id]
    everything = dejavu("list", "--side", "--json").rows
    assert {row["id"]: row.get("relation") for row in everything} == {
        main.id: None,
        side.id: "side",
    }
    for words in (("retry budget",), ("--exact", "retry budget")):
        hits = dejavu("search", "--json", *words).json["hits"]
        assert {hit["conversation"] for hit in hits} == {main.id}
        hits = dejavu("search", "--json", "--side", *words).json["hits"]
        assert {hit["conversation"] for hit in hits} == {main.id, side.id}
    assert dejavu("stats", "--json").json["total"]["conversations"] == 1
    assert dejavu("stats", "--json", "--side").json["total"]["conversations"] == 2
    assert TITLE.splitlines()[0] in dejavu("show", side.id).out


def test_a_search_has_as_many_hits_as_were_asked_for(archive: Archive) -> None:
    archive.put(held("main", *(f"budget {number}: {PROMPT}" for number in range(5)), at=AT - 9))
    for number in range(30):
        side = held(f"side-{number}", f"{TITLE} budget {number}", at=AT + number)
        archive.put(side)
        match_side(archive, [side.id])
    hits = archive.search("budget", limit=5, side=False)
    assert len(hits) == 5
    assert {archive.summary(hit.conversation).native_id for hit in hits} == {"main"}


@pytest.mark.parametrize(
    ("text", "at", "vector"),
    [
        (PROMPT, AT + 5, Vector.OTLP),  # the same asked again
        (TITLE, AT + 5, Vector.NATIVE),  # a session of its own
        (TITLE, AT + 9999, Vector.OTLP),  # long after
        ("What is the weather like today, and will it be the same tomorrow?", AT + 5, Vector.OTLP),
    ],
)
def test_what_only_looks_like_one_is_a_conversation(
    text: str, at: float, vector: Vector, archive: Archive
) -> None:
    archive.put(held("main", PROMPT, vector=Vector.NATIVE))
    other = held("other", text, at=at, vector=vector)
    archive.put(other)
    assert relation(archive, other) == (None, None)


def test_what_uses_tools_or_goes_on_is_a_conversation(archive: Archive) -> None:
    archive.put(held("main", PROMPT, vector=Vector.NATIVE))
    long = held("long", TITLE, "more", "and more", at=AT + 5)
    result = Turn(role=Role.TOOL, parts=(ToolCallResponse("c", "x"),), vector=Vector.OTLP)
    tools = held("tools", TITLE, at=AT + 5)
    tools = tools.with_turns((*tools.turns, result))
    for other in (long, tools):
        archive.put(other)
        assert relation(archive, other) == (None, None)


def test_a_session_log_that_comes_later_shows_it_again(archive: Archive) -> None:
    archive.put(held("main", PROMPT, vector=Vector.NATIVE))
    side = held("side", TITLE, at=AT + 5)
    archive.put(side)
    match_side(archive, [side.id])
    assert archive.summary(side.id).is_side
    archive.put(held("side", TITLE, at=AT + 5, vector=Vector.NATIVE))
    assert not archive.summary(side.id).is_side


def exchange(*texts: str, tools: bool, at: float) -> bytes:
    """A request of Claude's, of one session."""
    passed = Exchange("/v1/messages", [], at)
    request = {
        "model": "m",
        "metadata": {"user_id": "user_x_account__session_11111111-1111-4111-8111-111111111111"},
        "system": "You code." if tools else "You name things.",
        "messages": [{"role": "user", "content": text} for text in texts],
        "tools": [{"name": "Bash", "input_schema": {}}] if tools else [],
    }
    passed.request(json.dumps(request).encode())
    passed.status = 200
    answer = {"id": f"m{at}", "role": "assistant", "content": [{"type": "text", "text": "Ok."}]}
    passed.response(json.dumps(answer).encode())
    return passed.line() or b""


def test_a_title_that_was_asked_for_on_the_wire_is_on_the_side(archive: Archive) -> None:
    channel = Channel(Vector.WIRE, pushed_source("claude", "wire:1", "local"))
    lines = exchange(PROMPT, tools=True, at=AT) + exchange(TITLE, tools=False, at=AT + 1)
    push(archive, channel, lines)
    shown = list(archive.scan(side=False))
    assert [summary.relation for summary in shown] == [None]
    (side,) = (summary for summary in archive.scan() if summary.id != shown[0].id)
    assert (side.parent, side.relation) == (shown[0].id, Relation.SIDE)
