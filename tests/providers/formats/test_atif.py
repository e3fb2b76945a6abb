"""Trajectories: what is written comes back equal, and others' are read."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.ingest.import_file import import_files
from dejavu.model import (
    Blob,
    Conversation,
    Extension,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
)
from dejavu.providers.formats.atif import AtifParser, trajectory
from dejavu.providers.protocol import Kind, Source

WORDS = st.text(max_size=12)
NAMES = st.none() | st.text("abc", min_size=1, max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
PARTS = st.one_of(
    st.builds(Text, WORDS),
    st.builds(Reasoning, WORDS),
    st.builds(ToolCall, NAMES, WORDS, JSON),
    st.builds(ToolCallResponse, NAMES, JSON, st.booleans()),
    st.builds(Blob, st.just("image/png"), st.just("aGk=")),
    st.builds(Extension, st.just("pond.frog"), st.dictionaries(WORDS, JSON, max_size=2)),
)
COUNTS = st.none() | st.integers(0, 999)
TURNS = st.builds(
    Turn,
    role=st.sampled_from(Role),
    parts=st.lists(PARTS, max_size=3).map(tuple),
    at=st.none() | st.integers(1_700_000_000_000, 1_800_000_000_000).map(lambda ms: ms / 1000),
    model=NAMES,
    usage=st.none()
    | st.builds(Usage, input_tokens=COUNTS, output_tokens=COUNTS, cost=st.none() | st.just(0.5)),
    native_id=NAMES,
    meta=st.dictionaries(st.text("ab", min_size=1), st.integers(0, 3), max_size=1),
)


def read(document: Any) -> list[Conversation]:
    parser = AtifParser(Source("atif", Path("x.json"), "local", Kind.WHOLE), {})
    parser.feed(json.dumps(document).encode(), 0)
    return [
        msgspec.structs.replace(one.conversation, turns=tuple(one.turns)) for one in parser.take()
    ]


@settings(max_examples=150, deadline=None)
@given(st.lists(TURNS, min_size=1, max_size=6))
def test_what_is_written_comes_back_equal(turns: list[Turn]) -> None:
    given_ = Conversation(
        id="i", agent="claude", native_id="n", workspace="/w", title="t", started_at=5.0
    )
    given_ = given_.with_turns(tuple(turns))
    (back,) = read(trajectory(given_))
    plain = [msgspec.structs.replace(turn, spans=()) for turn in back.turns]
    assert plain == list(given_.turns)
    assert (back.agent, back.native_id, back.workspace, back.title) == ("claude", "n", "/w", "t")


@settings(max_examples=150, deadline=None)
@given(st.lists(TURNS, max_size=6))
def test_what_is_written_is_the_formats(turns: list[Turn]) -> None:
    atif = pytest.importorskip("atif", reason="needs the format's models")
    head = Conversation(id="i", agent="claude", native_id="n", title="t", starred=True, tags=("a",))
    document = json.loads(json.dumps(trajectory(head.with_turns(tuple(turns)))))
    atif.Trajectory.model_validate(document)  # its models are closed: a strange field is refused


def test_an_image_is_a_part_that_others_can_show() -> None:
    turn = Turn(role=Role.USER, parts=(Text("What is this?"), Blob("image/png", "aGk=", "image")))
    (step,) = trajectory(Conversation(id="i", agent="a").with_turns((turn,)))["steps"]
    assert step["message"] == [
        {"type": "text", "text": "What is this?"},
        {
            "type": "image",
            "source": {"media_type": "image/png", "path": "data:image/png;base64,aGk="},
        },
    ]
    assert "extra" not in step


def test_embedded_trajectories_are_sub_agents() -> None:
    def document(name: str, *inner: dict[str, Any], **more: Any) -> dict[str, Any]:
        step = {"step_id": 1, "source": "user", "message": f"I am {name}."}
        nested = {"subagent_trajectories": list(inner)} if inner else {}
        agent = {"name": "goose", "version": "1"}
        return {"schema_version": "ATIF-v1.7", "agent": agent, "steps": [step], **nested, **more}

    grandchild = document("three", trajectory_id="t3")
    tree = document(
        "one",
        document("two", grandchild, trajectory_id="t2"),
        document("four"),
        session_id="s1",
    )
    found = {one.native_id: one for one in read(tree)}
    assert {name: one.turns[0].text for name, one in found.items()} == {
        "s1": "I am one.", "t2": "I am two.", "t3": "I am three.", "s1/1": "I am four.",
    }  # fmt: skip
    parents = {name: one.parent for name, one in found.items()}
    assert parents == {
        "s1": None, "t2": found["s1"].id, "s1/1": found["s1"].id, "t3": found["t2"].id,
    }  # fmt: skip
    assert {one.agent for one in found.values()} == {"goose"}


def test_a_plain_conversation_needs_nothing_of_ours() -> None:
    turns = (
        Turn(role=Role.USER, parts=(Text("Count the frogs."),), at=1772359200.0),
        Turn(
            role=Role.ASSISTANT,
            parts=(Reasoning("Count first."), Text("Counting."), ToolCall("c", "bash", {"a": 1})),
            usage=Usage(input_tokens=9, output_tokens=2),
            model="pond",
        ),
        Turn(role=Role.TOOL, parts=(ToolCallResponse("c", "7"),)),
    )
    document = trajectory(Conversation(id="i", agent="a", native_id="n").with_turns(turns))
    assert (document["schema_version"], document["trajectory_id"]) == ("ATIF-v1.7", "i")
    assert [step["source"] for step in document["steps"]] == ["user", "agent"]
    assert [step["step_id"] for step in document["steps"]] == [1, 2]
    assert not any("extra" in step for step in document["steps"])
    assert document["final_metrics"]["total_prompt_tokens"] == 9


def test_a_written_file_is_imported_beside_the_original(tmp_path: Path) -> None:
    turns = (Turn(role=Role.USER, parts=(Text("Count the frogs."),)),)
    path = tmp_path / "one.json"
    path.write_text(
        json.dumps(trajectory(Conversation(id="i", agent="goose", native_id="n").with_turns(turns)))
    )
    with Archive.open(tmp_path / "archive") as archive:
        assert import_files(archive, [path]).unreadable == []
        (summary,) = archive.scan()
        assert (summary.agent, summary.native_id) == ("goose", "n")
        assert import_files(archive, [path]).bytes == 0
