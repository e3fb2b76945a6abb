"""Letters into the archive: everything once, and never beside a better vector."""

import json
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.ingest.merge.arbitrate import merge_vectors
from dejavu.model import Role, Text, Turn, Vector, conversation_id
from dejavu.services.daemon.hook_ingest import HookIngestor, IngestResult, parse_events

from .conftest import SESSION, START, entry, payload, session

ID = conversation_id("claude", "local", SESSION)


def take(archive: Archive, entries: list) -> IngestResult:
    return HookIngestor(archive).ingest(
        "claude", SESSION, "local", chain.from_iterable(parse_events(one) for one in entries)
    )


def texts(archive: Archive) -> list[str]:
    return [turn.text for turn in archive.get(ID).turns]


def test_prompts_and_answers_become_turns(archive: Archive) -> None:
    take(archive, session())
    whole = archive.get(ID)
    assert [turn.text for turn in whole.turns] == [
        "Question 0?", "Answer 0.", "Question 1?", "Answer 1.",
    ]  # fmt: skip
    assert {turn.vector for turn in whole.turns} == {Vector.HOOK}
    assert whole.workspace == "/work/x"


@given(st.lists(st.integers(0, 7)))
def test_letters_that_come_again_change_nothing(tmp_path_factory, again: list[int]) -> None:
    entries = session(4)
    with Archive.open(tmp_path_factory.mktemp("archive") / "a") as archive:
        for start in range(0, 8, 3):
            take(archive, entries[start : start + 3])
        before = texts(archive)
        take(archive, [entries[number] for number in again])
        assert texts(archive) == before
        assert len(before) == 8


def test_the_same_words_later_are_another_event(archive: Archive) -> None:
    asked = payload("UserPromptSubmit", prompt="go on")
    told = payload("Stop", last_assistant_message="ok")
    take(archive, [entry(asked, START), entry(asked, START + 1), entry(told, START + 9)])
    take(archive, [entry(asked, START + 60), entry(told, START + 70)])
    assert texts(archive) == ["go on", "ok", "go on", "ok"]


def test_an_event_with_an_id_is_one_however_late(archive: Archive) -> None:
    asked = payload("UserPromptSubmit", prompt="go on", prompt_id="p1")
    take(archive, [entry(asked, START), entry(asked, START + 500)])
    assert texts(archive) == ["go on"]


def native(archive: Archive, *said: str) -> None:
    turns = tuple(
        Turn(role=Role.ASSISTANT if n % 2 else Role.USER, parts=(Text(text),), at=START + n)
        for n, text in enumerate(said)
    )
    head = archive.summary(ID)
    archive.commit(
        Batch(
            raw={"native": [RawDelta(archive.sources.raw_length("native"), b"x\n")]},
            updates=[TurnUpdate(head, 0, turns, "native")],
        )
    )


def test_the_agents_own_trace_replaces_what_hooks_told(archive: Archive) -> None:
    take(archive, session(2))
    native(archive, "Question 0?", "Answer 0.")
    assert texts(archive) == ["Question 0?", "Answer 0."]
    taken = take(archive, [entry(payload("UserPromptSubmit", prompt="Question 9?"), START + 90)])
    assert texts(archive) == ["Question 0?", "Answer 0."]
    assert len(taken.events) == 1
    merge_vectors(archive, taken.conversation)
    assert texts(archive) == [
        "Question 0?", "Answer 0.", "Question 1?", "Answer 1.", "Question 9?"
    ]  # fmt: skip


def test_a_letter_may_hold_several_lines() -> None:
    one = entry({})._replace(payload=b'{"a":1}\n{"b":2}\n\n')
    assert [event.payload for event in parse_events(one)] == [{"a": 1}, {"b": 2}]
    assert parse_events(one._replace(payload=b"no json")) == []
    assert parse_events(one._replace(payload=b'"text"')) == []
    nested = json.dumps({"a": {"b": "c\nd"}}, indent=1).encode()
    assert [event.payload for event in parse_events(one._replace(payload=nested))] == [
        {"a": {"b": "c\nd"}}
    ]
