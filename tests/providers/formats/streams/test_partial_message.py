"""A turn in progress."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Reasoning, Span, Text, ToolCall, Usage
from dejavu.providers.formats.streams.partial_message import (
    Answer,
    begun,
    joined,
    reached,
)

WORDS = st.text(alphabet="ab ", min_size=1, max_size=4)


def answer():
    return begun(Span(0, 1))


def test_pieces_come_after_whole_parts_and_give_way_to_them():
    one = answer()
    one.piece(0, "reasoning", "I ")
    one.piece(0, "reasoning", "think")
    one.piece(1, "text", "He")
    assert one.built().parts == (Reasoning("I think"), Text("He"))
    one.drop(1)
    one.add(Reasoning("I think so"))
    assert one.built().parts == (Reasoning("I think so"), Text("He"))


def test_a_call_in_pieces_has_its_arguments_once_they_are_whole():
    one = answer()
    one.piece(0, "tool_call", '{"a"', id="c1", name="Bash")
    assert one.built().parts == (ToolCall("c1", "Bash", '{"a"'),)
    one.piece(0, "tool_call", ":1}")
    assert one.built().parts == (ToolCall("c1", "Bash", {"a": 1}),)


def test_a_call_given_again_is_one_call():
    parts = joined((ToolCall("c1", "Bash", None), Text("x")), ToolCall("c1", "Bash", {"a": 1}))
    assert parts == (ToolCall("c1", "Bash", {"a": 1}), Text("x"))
    assert joined(parts, ToolCall("c1", "Bash", None)) == parts
    assert len(joined(parts, ToolCall(None, "Bash", {"a": 1}))) == 3


@given(st.lists(WORDS, min_size=1))
def test_a_text_that_grows_is_one_part(words):
    parts = ()
    for count in range(1, len(words) + 1):
        parts = joined(parts, Text("".join(words[:count])))
    assert parts == (Text("".join(words)),)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1))
def test_spans_cover_every_line_in_order(steps):
    spans, lines, offset = (), [], 0
    for gap, length in steps:
        offset += gap
        lines.append(Span(offset, length))
        spans = reached(spans, lines[-1])
        offset += length
    for line in lines:
        assert any(
            s.offset <= line.offset and line.offset + line.length <= s.offset + s.length
            for s in spans
        )
    assert list(spans) == sorted(spans, key=lambda span: span.offset)


def test_tokens_of_one_response_grow():
    one = answer()
    one.spend(Usage(input_tokens=10, output_tokens=1))
    one.spend(Usage(output_tokens=15))
    one.spend(None)
    assert one.turn.usage == Usage(input_tokens=10, output_tokens=15)


def test_it_survives_a_round_trip():
    one = answer()
    one.add(Text("x"))
    one.piece("p", "text", "y")
    again = msgspec.convert(msgspec.to_builtins(one), Answer)
    assert again.built() == one.built()
