"""Exchanges, as turns."""

import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Extension, Reasoning, Role, Text, ToolCall, ToolCallResponse, Vector
from dejavu.providers.formats.wire import Exchange, parser
from dejavu.providers.protocol import Kind, Parser, Source

SYSTEM = [
    {"type": "text", "text": "Be a careful agent"},
    {"type": "text", "text": "It is Saturday"},
]
TOOLS = [{"name": "Bash", "input_schema": {}}]
CALL = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "x"}
NOTE = {"type": "text", "text": "<system-reminder>r</system-reminder>"}
FIRST = {"role": "user", "content": [NOTE, {"type": "text", "text": "Hi"}]}


def request(*messages, system=SYSTEM, tools=TOOLS):
    return {"model": "opus", "system": system, "tools": tools, "messages": list(messages)}


def answer(*content, key="m1", stop="end_turn"):
    return {"id": key, "type": "message", "role": "assistant", "model": "opus", "stop_reason": stop,
            "content": list(content), "usage": {"input_tokens": 3, "output_tokens": 2}}  # fmt: skip


def text(content):
    return {"type": "text", "text": content}


@pytest.fixture
def talk(passed):
    said = {"role": "assistant", "content": [text("Look:"), CALL]}
    back = {"role": "user", "content": [{**RESULT, "cache_control": {"type": "ephemeral"}}]}
    done = {"role": "assistant", "content": [text("Done")]}
    more = {"role": "user", "content": "More"}
    return [
        passed("messages", request(FIRST), answer(text("Look:"), CALL)),
        passed("messages", request(FIRST, said, back), answer(text("Done"), key="m2")),
        passed("messages", request(FIRST, said, back, done, more),
               {"type": "error", "error": {"message": "busy"}}, 529),
        passed("messages", request(FIRST, said, back, done, more), answer(text("OK"), key="m3")),
    ]  # fmt: skip


def test_a_conversation_is_told_once(play, talk):
    played = play(*talk)
    turns = played.turns
    assert [turn.role for turn in turns] == [
        Role.SYSTEM, Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.USER,
        Role.SYSTEM, Role.ASSISTANT,
    ]  # fmt: skip
    assert {turn.vector for turn in turns} == {Vector.WIRE}
    assert turns[0].parts == (
        Text("Be a careful agent"),
        Text("It is Saturday"),
        Extension("wire.tools", {"tools": TOOLS}),
    )
    assert turns[2].parts == (Text("Hi"),)
    assert turns[3].parts == (Text("Look:"), ToolCall("c1", "Bash", {"command": "ls"}))
    assert turns[3].meta == {"message_id": "m1", "stop_reason": "end_turn"}
    assert turns[3].usage.input_tokens == 3
    assert turns[4].parts == (ToolCallResponse("c1", "x"),)
    assert turns[7].parts[1].data == {"message": "busy", "status": 529}
    assert turns[8].text == "OK"
    assert not played.drift


@given(cuts=st.lists(st.integers(0, 9_000), max_size=6), resumed=st.booleans())
def test_chunks_and_new_parsers_never_matter(cuts, resumed, play, talk):
    whole, parts = play(*talk), play(*talk, cuts=cuts, resumed=resumed)
    assert parts.turns == whole.turns
    assert parts.heads == whole.heads


@given(data=st.data())
def test_damage_never_raises(data, play, talk):
    spool = bytearray(b"".join(talk))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(spool) - 1))
        spool[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    play(bytes(spool))


def test_only_the_changed_part_of_the_setting_is_told_again(play, passed):
    later = [text("Be a careful agent"), text("It is Sunday")]
    tools = [*TOOLS, {"name": "Read"}]
    again = [FIRST, {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "More"}]
    turns = play(
        passed("messages", request(FIRST), answer(text("Hello"))),
        passed("messages", request(*again, system=later, tools=tools), answer(text("OK"))),
    ).turns
    settings = [turn for turn in turns if turn.meta.get("kind") == "system_prompt"]
    assert settings[1].parts == (
        Text("It is Sunday"),
        Extension("wire.tools", {"tools": [{"name": "Read"}]}),
    )


def test_a_stream_that_broke_off_keeps_what_came(play, passed, sse):
    start = {"type": "message_start", "message": {"id": "m1"}}
    begin = {"type": "content_block_start", "index": 0, "content_block": text("")}
    delta = {"type": "content_block_delta", "index": 0,
             "delta": {"type": "text_delta", "text": "Hel"}}  # fmt: skip
    body = sse(start, begin, delta) + 'data: {"type": "content_block_de'
    assert play(passed("messages", request(FIRST), body)).turns[-1].text == "Hel"


def test_the_session_comes_from_a_header_or_from_the_body(play, passed):
    header = passed("messages", request(FIRST), answer(text("A")),
                    headers=[("X-Claude-Code-Session-Id", "s9")])  # fmt: skip
    assert play(header).head.native_id == "s9"
    chat = {"messages": [{"role": "user", "content": "Hi"}], "prompt_cache_key": "k9",
            "tools": [{"function": {"name": "ls"}}]}  # fmt: skip
    assert play(passed("chat", chat, {"choices": []})).head.native_id == "k9"


def test_a_list_of_chunks_is_a_stream(play, passed):
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "tools": [{"functionDeclarations": [{"name": "ls"}]}]}  # fmt: skip
    chunks = [{"candidates": [{"content": {"parts": [{"text": part}]}}]} for part in ("Hel", "lo")]
    assert play(passed("gemini", body, chunks)).turns[-1].text == "Hello"


def test_elements_are_context_and_prompts_are_prompts(play, passed):
    said = {"input": [{"role": "user", "content": "<environment_context>x</environment_context>"},
                      {"role": "user", "content": "# AGENTS.md instructions for /w"},
                      {"role": "user", "content": "Why is <b>this</b> bold?"}],
            "tools": [{"name": "ls"}]}  # fmt: skip
    turns = play(passed("responses", said, {"output": []})).turns
    assert [(turn.role, turn.text) for turn in turns[1:]] == [
        (Role.SYSTEM, "<environment_context>x</environment_context>"),
        (Role.SYSTEM, "# AGENTS.md instructions for /w"),
        (Role.USER, "Why is <b>this</b> bold?"),
    ]


def test_what_copilot_puts_before_a_prompt_is_none_of_it(play, passed):
    content = "<current_datetime>2026-11-22T02:09:16Z</current_datetime>\n\nWhy <i>?"
    said = {"messages": [{"role": "user", "content": content}], "tools": [{"name": "ls"}]}
    turns = play(passed("chat", said, {"choices": []})).turns
    assert [turn.text for turn in turns if turn.role is Role.USER] == ["Why <i>?"]


def test_what_cannot_be_read_is_counted(play, talk):
    played = play(b"no JSON\n", b'{"api":"other.api","deep":{"er":1}}\n', *talk)
    assert played.drift["(unreadable)"] == 1
    assert played.drift["api/other.api"] == 1
    assert len(played.turns) == 9


def test_a_parser_is_a_parser_of_providers():
    assert isinstance(parser(Source("claude", Path("wire"), "local", Kind.APPEND)), Parser)


# -- a real server -------------------------------------------------------------------------------


class Client:
    """An agent of a few lines: asks, calls tools, answers with results; keeps what passed."""

    def __init__(self, port, api):
        self.port, self.api, self.spool, self.talk = port, api, b"", []

    def post(self, path, body):
        data = json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}{path}"
        headers = {"Content-Type": "application/json", "Authorization": "Bearer sk-not-a-real-key"}
        exchange = Exchange(path, headers.items(), 1.0)
        exchange.request(data)
        try:
            answer = urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=20)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            exchange.status = answer.status
            while chunk := answer.read(37):
                exchange.response(chunk)
        self.spool += exchange.line()

    def turns(self):
        one = parser(Source("claude", Path("wire"), "local", Kind.APPEND))
        one.feed(self.spool, 0)
        one.close()
        return [turn for update in one.take() for turn in update.turns]

    def ask(self, prompt):
        """Ask until no tool is called any more."""
        self.talk.append(self.user(prompt))
        for _ in range(4):
            self.post(*self.request())
            turns = self.turns()
            calls = [part for part in turns[-1].parts if isinstance(part, ToolCall)]
            if turns[-1].role is not Role.ASSISTANT:
                self.talk.pop()
                return
            self.talk += self.replied(turns[-1])
            if not calls:
                return
            self.talk += [self.result(call) for call in calls]


class MessagesClient(Client):
    def user(self, prompt):
        return {"role": "user", "content": [text(prompt)]}

    def request(self):
        return "/v1/messages", {**request(*self.talk), "stream": True, "max_tokens": 99}

    def replied(self, turn):
        made = {
            Text: lambda part: text(part.content),
            ToolCall: lambda part: {"type": "tool_use", "id": part.id, "name": part.name,
                                    "input": part.arguments},
        }  # fmt: skip
        content = [made[type(part)](part) for part in turn.parts if type(part) in made]
        return [{"role": "assistant", "content": content}]

    def result(self, call):
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id,
                                             "content": "made_by_agent.txt"}]}  # fmt: skip


class ChatClient(Client):
    def user(self, prompt):
        return {"role": "user", "content": prompt}

    def request(self):
        shape = {"type": "object", "properties": {"command": {"type": "string"}}}
        tool = {"type": "function", "function": {"name": "bash", "parameters": shape}}
        messages = [{"role": "system", "content": "Be good"}, *self.talk]
        return "/v1/chat/completions", {"model": "m", "messages": messages, "tools": [tool],
                                        "stream": True}  # fmt: skip

    def replied(self, turn):
        calls = [
            {"id": part.id, "type": "function",
             "function": {"name": part.name, "arguments": json.dumps(part.arguments)}}
            for part in turn.parts if isinstance(part, ToolCall)
        ]  # fmt: skip
        return [
            {"role": "assistant", "content": turn.text, **({"tool_calls": calls} if calls else {})}
        ]

    def result(self, call):
        return {"role": "tool", "tool_call_id": call.id, "content": "made_by_agent.txt"}


class ResponsesClient(Client):
    def user(self, prompt):
        content = [{"type": "input_text", "text": prompt}]
        return {"type": "message", "role": "user", "content": content}

    def request(self):
        shape = {"type": "object", "properties": {"command": {"type": "string"}}}
        tool = {"type": "function", "name": "bash", "parameters": shape}
        return "/v1/responses", {"model": "m", "instructions": "Be good", "input": self.talk,
                                 "tools": [tool], "stream": True}  # fmt: skip

    def replied(self, turn):
        items = []
        for part in turn.parts:
            if isinstance(part, Text):
                content = [{"type": "output_text", "text": part.content}]
                items.append({"type": "message", "role": "assistant", "content": content})
            elif isinstance(part, ToolCall):
                items.append({"type": "function_call", "call_id": part.id, "name": part.name,
                              "arguments": json.dumps(part.arguments)})  # fmt: skip
        return items

    def result(self, call):
        return {"type": "function_call_output", "call_id": call.id, "output": "made_by_agent.txt"}


class GeminiClient(Client):
    def user(self, prompt):
        return {"role": "user", "parts": [{"text": prompt}]}

    def request(self):
        shape = {"type": "OBJECT", "properties": {"command": {"type": "STRING"}}}
        tools = [{"functionDeclarations": [{"name": "run_shell_command", "parameters": shape}]}]
        body = {"contents": self.talk, "tools": tools,
                "systemInstruction": {"parts": [{"text": "Be good"}]}}  # fmt: skip
        return "/v1beta/models/pro:streamGenerateContent?alt=sse", body

    def replied(self, turn):
        parts = []
        for part in turn.parts:
            if isinstance(part, Text):
                parts.append({"text": part.content})
            elif isinstance(part, ToolCall):
                call = {"id": part.id, "name": part.name, "args": part.arguments}
                parts.append({"functionCall": call})
        return [{"role": "model", "parts": parts}]

    def result(self, call):
        answer = {"id": call.id, "name": call.name, "response": {"output": "made_by_agent.txt"}}
        return {"role": "user", "parts": [{"functionResponse": answer}]}


@pytest.mark.shared
@pytest.mark.parametrize("client", [MessagesClient, ChatClient, ResponsesClient, GeminiClient])
def test_a_scripted_model_is_heard_word_for_word(client, shared, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(shared / "rig"))
    sys.modules.pop("fakemodel", None)
    import fakemodel

    monkeypatch.setattr(fakemodel, "DEFAULT_CPS", 1_000_000)
    scenario = json.loads((shared / "rig/scenarios/tour.json").read_text(encoding="utf-8"))
    for turn in scenario["turns"]:  # without the waits
        turn["reply"] = [[{k: v for k, v in block.items() if k != "cps"} for block in step
                          if "sleep" not in block] for step in turn["reply"]]  # fmt: skip
    server = fakemodel.serve(0, scenario, tmp_path)
    try:
        one = client(server.server_port, "")
        for turn in scenario["turns"]:
            one.ask(turn["user"])
    finally:
        server.shutdown()
        server.server_close()
    turns = one.turns()
    blocks = [block for turn in scenario["turns"] for step in turn["reply"] for block in step]
    parts = [part for turn in turns if turn.role is Role.ASSISTANT for part in turn.parts]
    assert [turn.text for turn in turns if turn.role is Role.USER] == [
        turn["user"] for turn in scenario["turns"]
    ]
    assert [part.content for part in parts if isinstance(part, Text)] == [
        block["text"] for block in blocks if "text" in block
    ]
    assert [part.content for part in parts if isinstance(part, Reasoning)] == [
        block["thinking"] for block in blocks if "thinking" in block
    ]
    assert len([part for part in parts if isinstance(part, ToolCall)]) == 1
    assert [turn.parts[0].response for turn in turns if turn.role is Role.TOOL] == [
        "made_by_agent.txt"
    ]
    assert [turn.text for turn in turns if turn.role is Role.SYSTEM][-1] == (
        "RIG: scripted failure, the request was refused."
    )
    assert b"sk-not-a-real-key" not in one.spool
