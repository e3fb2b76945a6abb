import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import (
    Blob,
    Conversation,
    Extension,
    Part,
    Reasoning,
    Relation,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    Vector,
    conversation_from_dict,
    conversation_to_dict,
    part_from_dict,
    part_to_dict,
    turn_from_dict,
    turn_to_dict,
)

_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**50), 2**50) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
_parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, st.text()),
    st.builds(Reasoning, st.text()),
    st.builds(ToolCall, st.none() | st.text(max_size=5), st.text(max_size=5), _json),
    st.builds(ToolCallResponse, st.none() | st.text(max_size=5), _json, st.booleans()),
    st.builds(Blob, st.none() | st.just("image/png"), st.text(max_size=5)),
    st.builds(
        Extension,
        st.text(min_size=1, max_size=8),
        st.dictionaries(st.text(max_size=5).filter(lambda key: key != "type"), _json, max_size=3),
    ),
)


@given(_parts)
def test_parts_survive_json(part: Part) -> None:
    assert part_from_dict(json.loads(json.dumps(part_to_dict(part)))) == part


def test_extension_is_flat() -> None:
    assert part_to_dict(Extension("kimi.note", {"a": 1})) == {"type": "x.kimi.note", "a": 1}


def test_contract_shape_of_a_turn() -> None:
    turn = Turn(role=Role.USER, parts=(Text("hi"),), at=0.0, seq=4)
    assert turn_to_dict(turn) == {
        "seq": 4,
        "role": "user",
        "parts": [{"type": "text", "content": "hi"}],
        "at": "1970-01-01T00:00:00.000Z",
        "vector": "native",
        "model": None,
        "usage": None,
        "native_id": None,
        "parent": None,
    }


@given(st.lists(_parts, max_size=4), st.integers(0, 10**12))
def test_conversations_survive_json(parts: list[Part], at: int) -> None:
    turn = Turn(
        role=Role.ASSISTANT,
        parts=tuple(parts),
        at=at / 1000,
        vector=Vector.HOOK,
        usage=Usage(output_tokens=1),
        spans=(Span(1, 2),),
    )
    whole = Conversation(id="i", agent="claude", parent="p", relation=Relation.FORK).with_turns(
        (turn,)
    )
    plain = json.loads(json.dumps(conversation_to_dict(whole, turns=True, provenance=True)))
    assert conversation_from_dict(plain) == whole


@pytest.mark.parametrize("at", ["1970-01-01T00:00:01Z", 1.0, 1])
def test_moments_are_read_in_any_form(at: object) -> None:
    assert turn_from_dict({"role": "user", "at": at}).at == 1.0
