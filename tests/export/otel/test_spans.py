import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.otel import as_otel
from dejavu.export.otel.spans import OF_1_41
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
    Vector,
)

AT = 1_795_000_000.0


def _turn(role: Role, *parts: Any, at: float | None = None, **more: Any) -> Turn:
    return Turn(
        role=role, parts=tuple(Text(p) if isinstance(p, str) else p for p in parts), at=at, **more
    )


CONVERSATION = Conversation(
    id="abc", agent="claude", agent_version="2.1", instance="box", workspace="/w", parent="p1"
).with_turns(
    (
        _turn(Role.USER, "Why?", at=AT),
        _turn(
            Role.ASSISTANT,
            Reasoning("hm"),
            "Looking.",
            ToolCall("c1", "Read", {"path": "f"}),
            ToolCall("c2", "Bash", {"command": "ls"}),
            at=AT + 5,
            model="claude-x",
            usage=Usage(
                input_tokens=100,
                output_tokens=20,
                cache_read_input_tokens=60,
                cache_creation_input_tokens=10,
                reasoning_output_tokens=5,
                cost=0.01,
            ),
            meta={"stop_reason": "tool_use"},
            native_id="m1",
        ),
        _turn(Role.TOOL, ToolCallResponse("c2", "no", is_error=True), at=AT + 6),
        _turn(Role.TOOL, ToolCallResponse("c1", {"text": "x"}), at=AT + 8),
        _turn(Role.ASSISTANT, "Because.", at=AT + 9, model="claude-x"),
        _turn(Role.USER, "ok", at=AT + 60, vector=Vector.SCREEN),
        _turn(Role.ASSISTANT, "Good."),
    )
)


def spans_of(conversation: Conversation) -> list[dict[str, Any]]:
    (resource,) = as_otel(conversation)["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    return list(scope["spans"])


def attributes_of(span: dict[str, Any]) -> dict[str, Any]:
    """Attributes by name; integers as numbers."""
    named = {}
    for attribute in span["attributes"]:
        ((kind, value),) = attribute["value"].items()
        named[attribute["key"]] = int(value) if kind == "intValue" else value
    return named


def test_a_prompt_and_what_followed_is_a_trace() -> None:
    spans = spans_of(CONVERSATION)
    assert [span["name"] for span in spans] == [
        "invoke_agent claude",
        "chat claude-x",
        "execute_tool Read",
        "execute_tool Bash",
        "chat claude-x",
        "invoke_agent claude",
        "chat",
    ]
    assert len({span["traceId"] for span in spans}) == 2
    assert len({span["spanId"] for span in spans}) == len(spans)
    for span in spans:
        root = next(s for s in spans if s["traceId"] == span["traceId"] and "parentSpanId" not in s)
        assert span is root or span["parentSpanId"] == root["spanId"]
        assert len(span["traceId"]) == 32
        assert len(span["spanId"]) == 16


def test_every_span_names_its_operation_and_conversation() -> None:
    for span in spans_of(CONVERSATION):
        named = attributes_of(span)
        assert named["gen_ai.conversation.id"] == named["session.id"] == "abc"
        assert named["gen_ai.operation.name"] == span["name"].split()[0]
        if named["gen_ai.operation.name"] != "execute_tool":
            assert named["gen_ai.provider.name"] == "anthropic"


def test_an_inference_says_model_usage_and_messages() -> None:
    chat = spans_of(CONVERSATION)[1]
    named = attributes_of(chat)
    assert chat["kind"] == 3
    assert named["gen_ai.request.model"] == "claude-x"
    assert named["gen_ai.usage.input_tokens"] == 100
    assert named["gen_ai.usage.output_tokens"] == 20
    assert named["gen_ai.usage.cache_read.input_tokens"] == 60
    assert named["gen_ai.usage.cache_write.input_tokens"] == 10
    assert named["gen_ai.usage.cache_creation.input_tokens"] == 10
    assert named["gen_ai.usage.reasoning.output_tokens"] == 5
    assert named["gen_ai.response.finish_reasons"] == {"values": [{"stringValue": "tool_use"}]}
    assert json.loads(named["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Why?"}]}
    ]
    (output,) = json.loads(named["gen_ai.output.messages"])
    assert output["role"] == "assistant"
    assert [part["type"] for part in output["parts"]] == [
        "reasoning",
        "text",
        "tool_call",
        "tool_call",
    ]


ALL = {"gen_ai.operation.name", "gen_ai.conversation.id"}
MESSAGES = {"gen_ai.input.messages", "gen_ai.output.messages"}
OF_0_1_0 = {
    "invoke_agent": {*ALL, *MESSAGES, "gen_ai.agent.name", "gen_ai.request.model"},
    "chat": {
        *ALL, *MESSAGES, "gen_ai.conversation.compacted", "gen_ai.provider.name",
        "gen_ai.request.model", "gen_ai.response.model", "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
        "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.reasoning.output_tokens",
    },
    "execute_tool": {
        *ALL, "gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.tool.call.id",
        "gen_ai.tool.call.arguments", "gen_ai.tool.call.result",
    },
}  # fmt: skip
"""Attributes of each span in the conventions' 0.1.0, as far as agents record what they say."""


def test_names_are_those_of_0_1_0_and_for_a_release_those_it_replaced() -> None:
    written: dict[str, set[str]] = {}
    for span in spans_of(CONVERSATION):
        found = attributes_of(span)
        names = {name for name in found if name.startswith("gen_ai.")}
        written.setdefault(str(found["gen_ai.operation.name"]), set()).update(names)
    assert set(written) == set(OF_0_1_0)
    for operation, names in written.items():
        assert names - OF_0_1_0[operation] == OF_1_41.get(operation, set()), operation


def test_what_follows_a_compaction_says_so() -> None:
    summary = _turn(Role.SYSTEM, "They said much.", meta={"compact_summary": True})
    turns = (
        _turn(Role.USER, "One?"), _turn(Role.ASSISTANT, "1"),
        _turn(Role.USER, "Two?"), summary, _turn(Role.ASSISTANT, "2"),
        _turn(Role.USER, "Three?"), _turn(Role.ASSISTANT, "3"),
    )  # fmt: skip
    chats = [
        attributes_of(span).get("gen_ai.conversation.compacted")
        for span in spans_of(Conversation(id="c", agent="a").with_turns(turns))
        if span["name"] == "chat"
    ]
    assert chats == [None, True, True]


def test_later_inferences_carry_only_what_is_new() -> None:
    named = attributes_of(spans_of(CONVERSATION)[4])
    messages = json.loads(named["gen_ai.input.messages"])
    assert [message["role"] for message in messages] == ["tool", "tool"]


def test_a_tool_says_what_it_was_asked_and_what_it_gave() -> None:
    read, bash = spans_of(CONVERSATION)[2:4]
    assert attributes_of(read)["gen_ai.tool.call.id"] == "c1"
    assert json.loads(attributes_of(read)["gen_ai.tool.call.arguments"]) == {"path": "f"}
    assert json.loads(attributes_of(read)["gen_ai.tool.call.result"]) == {"text": "x"}
    assert "status" not in read
    assert attributes_of(bash)["error.type"] == "_OTHER"
    assert bash["status"] == {"code": 2}


def test_times_come_from_the_turns() -> None:
    def seconds(span: dict[str, Any]) -> tuple[float, float]:
        return tuple(int(span[f"{end}TimeUnixNano"]) / 1e9 - AT for end in ("start", "end"))  # type: ignore[return-value]

    spans = spans_of(CONVERSATION)
    assert [seconds(span) for span in spans[:5]] == [(0, 9), (0, 5), (5, 8), (5, 6), (8, 9)]
    assert seconds(spans[6]) == (60, 60)  # a turn without a time has the last one known


def test_no_span_starts_in_1970_while_any_time_is_known() -> None:
    untimed = (_turn(Role.USER, "a"), _turn(Role.ASSISTANT, "b"))
    for conversation in (
        Conversation(id="x", agent="amp", captured_at=AT).with_turns(untimed),
        Conversation(id="x", agent="amp", started_at=-6e10, captured_at=AT).with_turns(untimed),
        Conversation(id="x", agent="amp").with_turns((*untimed, _turn(Role.USER, "c", at=AT))),
    ):
        assert all(int(span["startTimeUnixNano"]) == AT * 1e9 for span in spans_of(conversation))


def test_the_agents_span_has_prompt_and_last_answer() -> None:
    named = attributes_of(spans_of(CONVERSATION)[0])
    assert json.loads(named["gen_ai.output.messages"])[0]["parts"][0]["content"] == "Because."
    assert named["gen_ai.agent.name"] == "claude"
    assert "gen_ai.agent.version" not in named  # the resource says it
    assert named["dejavu.conversation.parent"] == "p1"
    assert not any(name.startswith("gen_ai.usage") for name in named)
    resource = as_otel(CONVERSATION)["resourceSpans"][0]["resource"]
    assert {"key": "service.name", "value": {"stringValue": "claude"}} in resource["attributes"]


def test_ids_that_come_again_and_calls_without_ids_find_their_answers() -> None:
    turns = []
    for number in range(3):
        turns += [
            _turn(
                Role.ASSISTANT,
                ToolCall("again", "A", number),
                ToolCall(None, "B", number),
                ToolCall(None, "C", number),
            ),
            _turn(
                Role.TOOL,
                ToolCallResponse("again", f"a{number}"),
                ToolCallResponse(None, f"b{number}"),
                ToolCallResponse(None, f"c{number}"),
                ToolCallResponse("never asked", "x"),
            ),
        ]
    tools = [
        s
        for s in spans_of(Conversation(id="x", agent="amp").with_turns(tuple(turns)))
        if "tool" in s["name"]
    ]
    given = [json.loads(attributes_of(span)["gen_ai.tool.call.result"]) for span in tools]
    assert given == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"]


def test_what_the_schema_requires_of_parts_is_there() -> None:
    turns = (_turn(Role.USER, "see", Blob("image/png", "QQ=="), Extension("amp.note", {"x": 1})),)
    named = attributes_of(spans_of(Conversation(id="x", agent="amp").with_turns(turns))[0])
    (message,) = json.loads(named["gen_ai.input.messages"])
    assert message["parts"][1:] == [
        {"type": "blob", "mime_type": "image/png", "content": "QQ==", "modality": "image"},
        {"x": 1, "type": "generic", "generic_type": "x.amp.note"},
    ]


def test_providers_are_known_by_model_then_agent() -> None:
    for agent, model, provider in (
        ("opencode", "anthropic/claude-x", "anthropic"),
        ("opencode", "gpt-9", "openai"),
        ("codex", None, "openai"),
        ("kimi", "k3", "moonshot_ai"),
        ("gemini", "gemini-9", "gcp.gemini"),
        ("amp", None, "amp"),
    ):
        turns = (_turn(Role.ASSISTANT, "x", model=model),)
        (_, chat) = spans_of(Conversation(id="x", agent=agent).with_turns(turns))
        assert attributes_of(chat)["gen_ai.provider.name"] == provider


def test_an_empty_conversation_has_no_spans() -> None:
    assert spans_of(Conversation(id="x", agent="amp")) == []


part = st.one_of(
    st.builds(Text, st.text(st.characters(codec=None), max_size=5)),
    st.builds(
        ToolCall, st.sampled_from([None, "a", "b"]), st.text(max_size=3), st.just({"x": "\udc80"})
    ),
    st.builds(ToolCallResponse, st.sampled_from([None, "a", "b"]), st.none() | st.text(max_size=3)),
)
turn = st.builds(
    lambda role, parts, at: Turn(role=role, parts=tuple(parts), at=at),
    st.sampled_from(Role),
    st.lists(part, max_size=4),
    st.none() | st.floats(),
)


@given(st.lists(turn, max_size=12))
def test_any_conversation_becomes_valid_json_with_every_turn_in_it(turns: list[Turn]) -> None:
    conversation = Conversation(id="x", agent="a").with_turns(tuple(turns))
    spans = json.loads(json.dumps(as_otel(conversation), allow_nan=False))["resourceSpans"][0][
        "scopeSpans"
    ]
    names = [span["name"] for span in spans[0]["spans"]]
    assert sum(name.startswith("chat") for name in names) == sum(
        t.role is Role.ASSISTANT for t in turns
    )
    for span in spans[0]["spans"]:
        assert 0 <= int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
