"""Answers gathered over records, and two lanes fused into one."""

from pathlib import Path

import pytest

from dejavu.model import Reasoning, Role, Span, Text, ToolCall, ToolCallResponse, Turn, Usage
from dejavu.providers import PROVIDERS, Home, Kind, Source
from dejavu.providers.conversation_builder import ConversationBuilder
from dejavu.providers.message_assembler import MessageAssembler, Piece

SOURCE = Source("codex", Path("/x/s.jsonl"), "one", Kind.APPEND, "s", None)


class Scribe(MessageAssembler):
    """Driven by the tests themselves."""

    def record(self, line: memoryview, span: Span) -> None:
        """No records here."""


def piece(place: int) -> Piece:
    return Piece({}, Span(place, 1), float(place))


def start() -> tuple[Scribe, ConversationBuilder]:
    parser = Scribe(SOURCE, {})
    thread = parser.threads[""] = ConversationBuilder(parser.head("s"))
    return parser, thread


def roles(parser: Scribe) -> list[tuple[str, int]]:
    return [(turn.role, len(turn.parts)) for update in parser.take() for turn in update.turns]


def test_what_is_said_until_a_result_comes_is_one_turn() -> None:
    parser, thread = start()
    parser.add(thread, Role.USER, [Text("count")], piece(0))
    parser.append_assistant(thread, [Reasoning("hm")], piece(1))
    parser.append_assistant(thread, [Text("counting"), ToolCall("c", "ls")], piece(2), model="m")
    parser.add(thread, Role.TOOL, [ToolCallResponse("c", "7")], piece(3))
    parser.set_usage(thread, Usage(input_tokens=5))
    parser.append_assistant(thread, [Text("seven")], piece(4))
    (update,) = parser.take()
    assert [t.role for t in update.turns] == ["user", "assistant", "tool", "assistant"]
    answer = update.turns[1]
    assert (answer.model, answer.at, answer.usage) == ("m", 1.0, Usage(input_tokens=5))
    assert answer.spans == (Span(1, 1), Span(2, 1))


def test_the_harness_does_not_end_an_answer() -> None:
    parser, thread = start()
    parser.append_assistant(thread, [Text("a")], piece(0))
    parser.append_error(thread, "overloaded", piece(1), {"status": 529})
    parser.append_assistant(thread, [Text("b")], piece(2))
    assert roles(parser) == [("assistant", 2), ("system", 2)]


def test_goes_on_after_a_resume_and_starts_anew_after_an_end() -> None:
    parser, thread = start()
    parser.append_assistant(thread, [Text("a")], piece(0))
    assert roles(parser) == [("assistant", 1)]
    resumed = Scribe(SOURCE, {})
    resumed.resume(parser.state())
    thread = resumed.threads[""]
    resumed.append_assistant(thread, [Text("b")], piece(1))
    assert roles(resumed) == [("assistant", 2)]
    resumed.end(thread)
    resumed.append_assistant(thread, [Text("c")], piece(2))
    assert roles(resumed) == [("assistant", 1)]


def test_an_answer_far_behind_is_taken_for_finished() -> None:
    parser, thread = start()
    parser.append_assistant(thread, [Text("a")], piece(0))
    for place in range(100):
        parser.add(thread, Role.SYSTEM, [Text("noise")], piece(place))
    parser.take()
    assert len(thread.dump()[2]) < 80


def test_the_same_words_of_two_lanes_are_heard_once() -> None:
    parser, _ = start()
    assert not parser.is_duplicate("model", "answer", "Seven.")
    assert parser.is_duplicate("shown", "answer", "Seven.\n")
    assert not parser.is_duplicate("shown", "answer", "Seven."), (
        "said again: both lanes will bring it"
    )
    assert parser.is_duplicate("model", "answer", "Seven.")


def test_one_lane_may_say_the_same_words_twice() -> None:
    parser, _ = start()
    assert not parser.is_duplicate("model", "answer", "Yes.")
    assert not parser.is_duplicate("model", "answer", "Yes.")
    assert parser.is_duplicate("shown", "answer", "Yes.")
    assert parser.is_duplicate("shown", "answer", "Yes.")
    assert not parser.is_duplicate("shown", "answer", "Yes.")


def test_a_prompt_is_known_within_what_the_harness_put_around_it() -> None:
    parser, _ = start()
    assert not parser.is_duplicate("model", "prompt", "<context/>\nCount the frogs.")
    assert parser.is_duplicate("shown", "prompt", "Count the frogs.")
    assert not parser.is_duplicate("model", "answer", "Count the frogs, then the newts.")
    assert not parser.is_duplicate("shown", "answer", "Count the frogs")
    parser.clear_duplicates()
    assert not parser.is_duplicate("shown", "prompt", "Count the frogs, then the newts.")


@pytest.mark.parametrize("agent", ["copilot", "droid", "kimi", "pi", "qwen"])
def test_a_record_that_is_repeated_is_one_turn(agent: str, data: Path) -> None:
    """Also where the repetition comes with a later feed, or repeats all of the log."""
    (source, *_) = PROVIDERS[agent].discover(Home(data / agent, {}))
    log = source.path.read_bytes()
    lines = log.splitlines(keepends=True)
    alone = parsed(agent, source, [log])
    assert alone
    dated = [line for line in lines if b'"time' in line]  # of others nobody can tell
    assert dated
    assert (
        parsed(agent, source, [b"".join(line * (1 + (line in dated)) for line in lines)]) == alone
    )
    assert parsed(agent, source, [log, b"".join(dated)]) == alone
    assert parsed(agent, source, [*lines, *dated[-3:]]) == alone


@pytest.mark.parametrize("agent", ["copilot", "droid", "pi", "qwen"])
def test_a_repeated_record_is_known_whatever_else_of_it_is_damaged(agent: str, data: Path) -> None:
    (source, *_) = PROVIDERS[agent].discover(Home(data / agent, {}))
    log = source.path.read_bytes()
    kinds = (b'"message"', b'"assistant"', b'"user"', b'"user.message"', b'"assistant.message"')
    dated = [
        line
        for line in log.splitlines(keepends=True)
        if b'"timestamp": "2' in line and any(b'"type": ' + kind in line for kind in kinds)
    ]
    damaged = [line.replace(b'"timestamp": "2', b'"timestamp": "x2') for line in dated]
    assert len(dated) > 1
    alone = parsed(agent, source, [log])
    assert parsed(agent, source, [log, b"".join(damaged)]) == alone


def parsed(agent: str, source: Source, pieces: list[bytes]) -> list[tuple[str, str]]:
    """(role, text) of each turn, of pieces that are each read by a parser of its own."""
    state: bytes | None = None
    offset = 0
    turns: dict[str, list[Turn]] = {}
    for piece in pieces:
        parser = PROVIDERS[agent].parser(source, state)
        parser.feed(piece, offset)
        for update in parser.take():
            stored = turns.setdefault(update.conversation.id, [])
            stored[update.start :] = update.turns
        state, offset = parser.state(), offset + len(piece)
    return [(turn.role, turn.text) for stored in turns.values() for turn in stored]
