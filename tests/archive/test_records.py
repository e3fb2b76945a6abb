"""Values are msgpack anybody can read; texts round-trip, whatever the characters."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive.records import (
    Block,
    Meta,
    SummaryRecord,
    from_text,
    pack,
    packed_texts,
    spans_of,
    to_text,
    unpack,
    unpack_texts,
)
from dejavu.model import CorruptArchiveError, Role, Span, Text, ToolCall, Turn

any_text = st.text(st.characters(exclude_categories=()))  # lone surrogates too


@given(any_text, any_text)
def test_turns_round_trip_with_any_character(content: str, name: str) -> None:
    turn = Turn(role=Role.USER, parts=(Text(content), ToolCall(None, name, {name: [content]})))
    assert from_text(to_text(turn), Turn) == turn


def test_numbers_beyond_64_bits_survive() -> None:
    turn = Turn(role=Role.TOOL, parts=(ToolCall("1", "x", {"big": 2**90, "small": -(2**70)}),))
    assert from_text(to_text(turn), Turn) == turn


def test_spans_are_read_alone() -> None:
    turn = Turn(role=Role.USER, spans=(Span(3, 4), Span(9, 1)))
    assert spans_of(to_text(turn)) == turn.spans
    assert spans_of(b"{broken") == ()


def test_values_are_plain_msgpack() -> None:
    meta = msgpack.unpackb(pack(Meta(archive_id=b"x" * 16, created_at=1.5)))
    assert meta["format"] == 2
    assert meta["archive_id"] == b"x" * 16
    assert msgpack.unpackb(pack(Block(1, 2, 0, 0, [(1, 2)], b"f"))) == [1, 2, 0, 0, [[1, 2]], b"f"]
    assert unpack_texts(msgpack.packb([b"a", b"b"])) == [b"a", b"b"]


def test_fields_of_a_later_writer_are_passed_over() -> None:
    value = msgpack.packb({"number": 7, "conversation": b"{}", "colour": "blue"})
    assert unpack(value, SummaryRecord).number == 7


@pytest.mark.parametrize("value", [b"", b"\xc1", b"\x81\xa6number\xa1x"])
def test_what_is_no_record_is_corrupt(value: bytes) -> None:
    with pytest.raises(CorruptArchiveError, match="summary"):
        unpack(value, SummaryRecord)
    with pytest.raises(CorruptArchiveError, match="turn"):
        from_text(value, Turn)


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_texts_packed_in_parts_are_read_as_the_whole(texts: list[bytes]) -> None:
    assert unpack_texts(b"".join(packed_texts(texts))) == texts
