"""Events: every part of a turn, at four resolutions."""

import json

from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Blob, Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.recall.history.events import EXCERPT, SEARCH, SUMMARY, Kind, clipped, events


def test_a_turn_becomes_what_happened_in_it() -> None:
    turn = Turn(
        seq=7,
        role=Role.ASSISTANT,
        parts=(
            Reasoning("think"),
            Blob("image/png", "aaaa"),
            Text("say"),
            ToolCall("1", "Bash", {"command": "ls -l", "deep": [{"x": "y"}], "n": 3}),
            Text("  "),
        ),
        at=5.0,
    )
    told = list(events(turn))
    assert [(one.kind, one.place) for one in told] == [
        (Kind.REASONING, 0),
        (Kind.TEXT, 2),
        (Kind.CALL, 3),
    ]
    assert told[2].text == "Bash ls -l y"
    assert json.loads(told[2].payload)["arguments"]["n"] == 3
    assert {one.seq for one in told} == {7}


def test_roles_make_kinds() -> None:
    for role, kind in ((Role.USER, Kind.PROMPT), (Role.SYSTEM, Kind.NOTE)):
        (event,) = events(Turn(role=role, parts=(Text("x"),)))
        assert event.kind is kind
    (event,) = events(Turn(role=Role.TOOL, parts=(ToolCallResponse("1", {"out": "done"}),)))
    assert (event.kind, event.text) == (Kind.RESULT, "done")


@given(st.text(min_size=1, max_size=300), st.integers(1, 40))
def test_every_resolution_keeps_its_bound(piece: str, times: int) -> None:
    for event in events(Turn(role=Role.USER, parts=(Text(piece * times),))):
        assert len(event.summary) <= SUMMARY
        assert "\n" not in event.summary
        assert len(event.excerpt) <= EXCERPT[event.kind]
        assert len(event.search) <= SEARCH
        assert json.loads(event.payload)["content"] == piece * times


def test_a_long_text_is_searched_by_both_ends() -> None:
    (event,) = events(Turn(role=Role.USER, parts=(Text("begin " + "x " * 4_000 + "conclusion"),)))
    assert event.search.startswith("begin")
    assert event.search.endswith("conclusion")
    assert clipped("one two three", 8) == "one two…"
