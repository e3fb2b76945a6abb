"""Traffic of the Agent Client Protocol as turns: both directions, wherever the bytes are cut."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Extension, Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.providers.formats import acp_stream
from dejavu.providers.protocol import Kind, Source

SOURCE = Source("gemini", Path("acp:run"), "local", Kind.APPEND, name="acp:run")
OPTIONS = [
    {"optionId": "y", "name": "Allow", "kind": "allow_once"},
    {"optionId": "n", "name": "Reject", "kind": "reject_once"},
]


class Traffic:
    """Lines as a tap keeps them."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self._at, self._id = 1000.0, 0

    def add(self, direction: str, message: dict[str, Any]) -> None:
        self._at += 1
        line = {"at": self._at, "dir": direction, "line": {"jsonrpc": "2.0", **message}}
        self.lines.append(json.dumps(line).encode() + b"\n")

    def ask(self, method: str, result: Any = None, to: str = "in", **params: Any) -> None:
        """A request, and its answer at once where one is given."""
        self._id += 1
        self.add(to, {"id": self._id, "method": method, "params": params})
        if result is not None:
            self.answer(self._id, result, "out" if to == "in" else "in")

    def answer(self, number: int, result: Any, to: str = "out") -> None:
        self.add(to, {"id": number, "result": result})

    def update(self, session: str, update: str, /, **fields: Any) -> None:
        params = {"sessionId": session, "update": {"sessionUpdate": update, **fields}}
        self.add("out", {"method": "session/update", "params": params})

    def says(self, session: str, *words: str, kind: str = "agent_message_chunk") -> None:
        for word in words:
            self.update(session, kind, content={"type": "text", "text": word})

    def prompt(self, session: str, text: str) -> int:
        self.ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])
        return self._id

    def new(self, session: str) -> None:
        self.ask("session/new", {"sessionId": session}, cwd="/w")


def read(
    data: bytes, cuts: tuple[int, ...] = (), *, resumed: bool = False, closed: bool = True
) -> tuple[dict[str, list[Turn]], Any]:
    """Turns by session; `resumed`: a new parser after every piece, as a recorder has."""
    parser, turns = acp_stream.parser(SOURCE), dict[str, list[Turn]]()

    def take() -> None:
        for update in parser.take():
            kept = turns.setdefault(update.conversation.native_id, [])
            assert update.start <= len(kept)
            kept[update.start :] = update.turns

    edges = [0, *sorted({cut % (len(data) + 1) for cut in cuts}), len(data)]
    for start, end in pairwise(edges):
        parser.feed(data[start:end], start)
        take()
        if resumed:
            parser = acp_stream.parser(SOURCE, parser.state())
    if closed:
        parser.close()
        take()
    return turns, parser


def plain(turns: list[Turn]) -> list[tuple[str, ...]]:
    """Role and words, a tuple each."""
    return [(str(turn.role), *map(words, turn.parts)) for turn in turns]


def words(part: Any) -> str:
    match part:
        case Text(content):
            return content
        case Reasoning(content):
            return f"({content})"
        case ToolCall(_, name, arguments):
            return f"{name} {json.dumps(arguments)}"
        case ToolCallResponse(_, response, failed):
            return f"{'! ' if failed else ''}{response}"
        case Extension(kind, _):
            return kind
        case _:
            return str(type(part).__name__)


def tour() -> Traffic:
    """Two sessions that take turns, with a call that is allowed and one that is refused."""
    traffic = Traffic()
    traffic.ask("initialize", {"protocolVersion": 1, "agentInfo": {"name": "x", "version": "3"}})
    traffic.new("a")
    traffic.new("b")
    first = traffic.prompt("a", "list them")
    second = traffic.prompt("b", "remove them")
    traffic.says("a", "I think", " so", kind="agent_thought_chunk")
    traffic.says("b", "At ")
    traffic.says("a", "Look", "ing.")
    traffic.says("b", "once.")
    traffic.update("a", "tool_call", toolCallId="1", title="ls", kind="execute", rawInput={})
    traffic.update("a", "tool_call_update", toolCallId="1", rawInput={"command": "ls"})
    told = {"toolCallId": "2", "title": "rm -r x", "kind": "delete"}
    traffic.ask(
        "session/request_permission", {"outcome": {"outcome": "selected", "optionId": "n"}},
        "out", sessionId="b", toolCall=told, options=OPTIONS,
    )  # fmt: skip
    traffic.update("b", "tool_call_update", toolCallId="2", status="failed", rawOutput="refused")
    shown = [{"type": "content", "content": {"type": "text", "text": "one\ntwo"}}]
    traffic.update("a", "tool_call_update", toolCallId="1", status="completed", content=shown)
    traffic.update("a", "tool_call_update", toolCallId="1", status="completed", content=shown)
    traffic.says("a", "Two.")
    traffic.says("b", "Very well.")
    traffic.answer(first, {"stopReason": "end_turn"})
    traffic.answer(second, {"stopReason": "cancelled"})
    return traffic


TOUR = {
    "a": [
        ("user", "list them"),
        ("assistant", "(I think so)", "Looking.", 'execute {"command": "ls"}'),
        ("tool", "one\ntwo"),
        ("assistant", "Two."),
    ],
    "b": [
        ("user", "remove them"),
        ("assistant", "At once.", 'delete {"title": "rm -r x"}'),
        ("system", "rm -r x: Reject", "gemini.permission"),
        ("tool", "! refused"),
        ("assistant", "Very well."),
    ],
}


def test_sessions_that_take_turns_are_conversations_of_their_own() -> None:
    turns, parser = read(b"".join(tour().lines))
    assert {session: plain(kept) for session, kept in turns.items()} == TOUR
    assert turns["b"][-1].meta["stop_reason"] == "cancelled"
    assert not parser.drift


@given(st.lists(st.integers(0, 1 << 16), max_size=12), st.booleans())
def test_cuts_and_new_parsers_change_nothing(cuts: list[int], resumed: bool) -> None:
    turns, _ = read(b"".join(tour().lines), tuple(cuts), resumed=resumed)
    assert {session: plain(kept) for session, kept in turns.items()} == TOUR


@given(st.data())
def test_nothing_that_stands_in_a_line_ends_it(data: st.DataObject) -> None:
    """Values of other types anywhere: the other lines are read."""
    lines = tour().lines
    values = st.sampled_from([None, 1, "x", [], {}, [{}], {"sessionId": 1}, -1.5, True])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(lines) - 1))
        row = json.loads(lines[place])
        holder, depth = row, data.draw(st.integers(0, 4))
        for _ in range(depth):
            inner = [value for value in holder.values() if isinstance(value, dict) and value]
            if not inner:
                break
            holder = data.draw(st.sampled_from(inner))
        holder[data.draw(st.sampled_from(sorted(holder)))] = data.draw(values)
        lines[place] = json.dumps(row).encode() + b"\n"
    read(b"".join(lines), (300, 900), resumed=True)


def loaded() -> Traffic:
    """A session that is loaded: the agent tells again what was said."""
    traffic = Traffic()
    traffic.ask("session/load", sessionId="a", cwd="/w")
    traffic.says("a", "list ", "them", kind="user_message_chunk")
    traffic.says("a", "Looking.")
    traffic.says("a", "and again", kind="user_message_chunk")
    traffic.says("a", "Again.")
    traffic.answer(1, {})
    return traffic


def test_what_is_replayed_of_a_session_not_known_is_read_without_times() -> None:
    turns, _ = read(b"".join(loaded().lines))
    assert plain(turns["a"]) == [
        ("user", "list them"), ("assistant", "Looking."),
        ("user", "and again"), ("assistant", "Again."),
    ]  # fmt: skip
    assert {turn.at for turn in turns["a"]} == {None}


def test_what_is_replayed_of_a_session_that_is_here_says_nothing() -> None:
    traffic, again = tour(), loaded()
    again._id = traffic._id
    again.lines = []
    again.ask("session/load", sessionId="a", cwd="/w")
    again.says("a", "list them", kind="user_message_chunk")
    again.says("a", "Looking.", "Two.")
    again.answer(again._id, {})
    again.prompt("a", "more")
    again.says("a", "More.")
    turns, _ = read(b"".join(traffic.lines + again.lines), (1, 700, 2000), resumed=True)
    assert plain(turns["a"]) == [*TOUR["a"], ("user", "more"), ("assistant", "More.")]


def test_an_echo_of_the_prompt_is_no_second_prompt() -> None:
    traffic = Traffic()
    traffic.new("a")
    traffic.prompt("a", "list them")
    traffic.says("a", "list ", "them", kind="user_message_chunk")
    traffic.says("a", "Yes.")
    assert plain(read(b"".join(traffic.lines))[0]["a"]) == [
        ("user", "list them"), ("assistant", "Yes."),
    ]  # fmt: skip


def test_a_question_that_nobody_answers_stands_there() -> None:
    traffic = Traffic()
    traffic.new("a")
    traffic.prompt("a", "go")
    traffic.ask("session/request_permission", None, "out", sessionId="a", options=OPTIONS,
                toolCall={"toolCallId": "1", "title": "rm"})  # fmt: skip
    turns, _ = read(b"".join(traffic.lines), closed=False)
    assert plain(turns["a"])[-1] == ("system", "rm", "gemini.permission")


def test_a_gap_and_lines_that_are_none_cost_only_themselves() -> None:
    lines = tour().lines
    lines[3:3] = [
        b'{"at":1.0,"dir":"out","text":"debug: hello"}\n',
        b'{"at":1.0,"dir":"gap","lost":4096}\n',
        b'{"at":1.0,"dir":"out","bytes":"/w=="}\n',
        b"\xff\xfe not even ours\n",
    ]
    turns, parser = read(b"".join(lines))
    assert {session: plain(kept) for session, kept in turns.items()} == TOUR
    assert sum(parser.drift.values()) == 2


def test_an_error_of_a_prompt_and_a_sub_agent() -> None:
    traffic = Traffic()
    traffic.new("a")
    number = traffic.prompt("a", "go")
    meta = {"claudeCode": {"parentToolUseId": "t1"}}
    traffic.says("a", "I.")
    traffic.update("a", "agent_message_chunk", content={"type": "text", "text": "Sub."}, _meta=meta)
    traffic.add("out", {"id": number, "error": {"code": -32603, "message": "no tokens left"}})
    turns, _ = read(b"".join(traffic.lines))
    assert plain(turns["a"])[1:] == [
        ("assistant", "I."),
        ("system", "no tokens left", "gemini.error"),
    ]
    assert plain(turns["a/t1"]) == [("assistant", "Sub.")]


def test_the_editors_terminals_are_what_a_call_gave_back() -> None:
    traffic = Traffic()
    traffic.new("a")
    traffic.prompt("a", "go")
    content = [{"type": "terminal", "terminalId": "t"}]
    traffic.update("a", "tool_call", toolCallId="1", title="make", kind="execute", content=content)
    traffic.ask("terminal/output", {"output": "mo"}, "out", sessionId="a", terminalId="t")
    traffic.ask("terminal/output", {"output": "more"}, "out", sessionId="a", terminalId="t")
    traffic.update("a", "tool_call_update", toolCallId="1", status="completed")
    assert plain(read(b"".join(traffic.lines))[0]["a"])[-1] == ("tool", "more")


def test_memory_of_what_never_ends_is_bounded() -> None:
    traffic = Traffic()
    traffic.new("a")
    for number in range(5000):
        traffic.ask("session/new", cwd="/w")
        traffic.update("a", "tool_call", toolCallId=str(number), title="x")
    _, parser = read(b"".join(traffic.lines), closed=False)
    assert len(parser._requests) == len(parser._calls) == 4096


def test_roles_are_those_of_the_model() -> None:
    turns, _ = read(b"".join(tour().lines))
    assert {turn.role for turn in turns["b"]} == {*Role}


def test_version_2_ends_a_turn_by_a_state_and_holds_messages_whole() -> None:
    traffic = Traffic()
    info = {"protocolVersion": 2, "info": {"name": "pond", "version": "3.1"}}
    traffic.ask("initialize", info, protocolVersion=2, info={"name": "editor", "version": "1"})
    traffic.new("s")
    number = traffic.prompt("s", "Count the frogs.")
    traffic.answer(number, {"messageId": "m1"})
    text = {"type": "text", "text": "Count the frogs."}
    traffic.update("s", "user_message", messageId="m1", content=[text])
    traffic.update("s", "state_update", state="running")
    traffic.update(
        "s", "agent_message_chunk", messageId="m2", content={"type": "text", "text": "Now "}
    )
    traffic.update(
        "s", "agent_message_chunk", messageId="m2", content={"type": "text", "text": "look."}
    )
    whole = [{"type": "text", "text": "Now look."}]
    traffic.update("s", "agent_message", messageId="m2", content=whole)
    call = {"toolCallId": "c", "name": "bash", "title": "ls", "rawInput": {"command": "ls"}}
    traffic.update("s", "tool_call_update", **call, status="pending")
    traffic.update("s", "state_update", state="requires_action")
    subject = {"type": "tool_call", "toolCall": call}
    traffic.ask(
        "session/request_permission", {"outcome": {"outcome": "selected", "optionId": "y"}}, "out",
        sessionId="s", title="Run ls?", subject=subject, options=OPTIONS,
    )  # fmt: skip
    for piece in ("one\n", "two\n"):
        content = {"type": "content", "content": {"type": "text", "text": piece}}
        traffic.update("s", "tool_call_content_chunk", toolCallId="c", content=content)
    traffic.update("s", "tool_call_update", toolCallId="c", status="completed")
    thought = [{"type": "text", "text": "Two."}]
    traffic.update("s", "agent_thought", messageId="m3", content=thought)
    traffic.update(
        "s", "agent_message", messageId="m4", content=[{"type": "text", "text": "Two frogs."}]
    )
    traffic.update("s", "compaction_update", compactionId="k", status="in_progress")
    summary = [{"type": "text", "text": "We counted."}]
    traffic.update("s", "compaction_update", compactionId="k", status="completed", summary=summary)
    traffic.update("s", "notice", severity="info", message="still here")
    traffic.update("s", "state_update", state="idle", stopReason="end_turn")
    data = b"".join(traffic.lines)
    turns, parser = read(data)
    told = turns["s"]
    assert [turn.role for turn in told if turn.role is Role.USER] == [Role.USER]
    texts = [part.content for turn in told for part in turn.parts if isinstance(part, Text)]
    assert texts == [
        "Count the frogs.", "Now look.", "Run ls?: Allow", "Two frogs.", "We counted.",
    ]  # fmt: skip
    thoughts = [part for turn in told for part in turn.parts if isinstance(part, Reasoning)]
    assert thoughts == [Reasoning("Two.")]
    (result,) = [part for turn in told for part in turn.parts if isinstance(part, ToolCallResponse)]
    assert "one" in str(result.response)
    assert "two" in str(result.response)
    asked = [part for turn in told for part in turn.parts if isinstance(part, Extension)]
    assert [(one.data["question"], one.data["chosen"]) for one in asked] == [("Run ls?", "Allow")]
    assert any(turn.meta.get("compact_summary") for turn in told)
    assert not parser.drift
    for cuts in ((200,), (700, 1500), (900, 2100, 3000)):
        assert read(data, cuts, resumed=True)[0] == turns


def test_version_2_says_an_error_with_the_state() -> None:
    traffic = Traffic()
    traffic.new("s")
    traffic.answer(traffic.prompt("s", "Go."), {"messageId": "m1"})
    error = {"code": -32603, "message": "the pond is dry"}
    traffic.update("s", "state_update", state="idle", stopReason="error", error=error)
    (last,) = [turn for turn in read(b"".join(traffic.lines))[0]["s"] if turn.role is not Role.USER]
    assert "the pond is dry" in str(last.parts)
