"""Records out of bytes in any state."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers.formats.json_lines import (
    coerce,
    decode_lenient,
    decode_struct,
    is_object,
    key_paths,
    lines,
    repair_truncated,
)


class Inner(msgspec.Struct):
    word: str | None = None


class Outer(msgspec.Struct, rename="camel"):
    a_name: str | None = None
    inner: Inner | None = None
    many: str | list[Inner] | None = None
    number: int | None = None


DECODER = msgspec.json.Decoder(Outer)


@given(st.lists(st.binary(max_size=20).filter(lambda b: b"\n" not in b)))
def test_lines_cover_the_data(rows: list[bytes]) -> None:
    data = b"\n".join(rows)
    for view, offset, length in lines(data, 100):
        assert bytes(view) == data[offset - 100 : offset - 100 + length]
    found = [bytes(view) for view, _, _ in lines(data)]
    assert found == [row for row in rows if row.strip() or len(row) > 2]


def test_plain_reads_leniently() -> None:
    assert decode_lenient(b'{"a": "\xff"}') == {"a": "�"}
    assert decode_lenient(rb'{"a": "\ud800x"}')["a"].endswith("x")
    assert decode_lenient(b'{"a": NaN}')["a"] != 0
    assert decode_lenient(b'{"a": ') is None
    assert decode_lenient(b"[" * 100_000) is None


def test_what_plain_gives_can_be_written() -> None:
    for line in (rb'{"\ud800": ["\udfff", {"b": "\ud83d"}]}', b'{"a": "\xed\xa0\x80"}'):
        assert msgspec.msgpack.encode(decode_lenient(line))


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (b'{"aName": "x", "number": 3, "other": [1]}', Outer(a_name="x", number=3)),
        (b'{"aName": 7, "number": 3}', Outer(number=3)),
        (b'{"aName": "x", "inner": "oops", "number": "many"}', Outer(a_name="x")),
        (b'{"inner": {"word": 3}, "aName": "x"}', Outer(a_name="x", inner=Inner())),
        (b'{"many": [{"word": "a"}, 3, {"word": 4}]}', Outer(many=[Inner("a"), Inner()])),
        (b'{"many": "text"}', Outer(many="text")),
        (b'{"aName": "\xff"}', Outer(a_name="�")),
    ],
)
def test_typed_keeps_the_fields_that_fit(line: bytes, record: Outer) -> None:
    assert decode_struct(line, DECODER) == record


@pytest.mark.parametrize("line", [b"", b"3", b'"a"', b"[]", b"{", b"null"])
def test_typed_gives_none_for_what_is_no_object(line: bytes) -> None:
    assert decode_struct(line, DECODER) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(["aName", "inner", "many", "number", "x"]), JSON))
def test_fitted_never_raises(value: dict[str, Any]) -> None:
    assert isinstance(coerce(value, Outer), Outer)


@given(st.binary())
def test_nothing_raises(line: bytes) -> None:
    decode_lenient(line)
    decode_struct(line, DECODER)
    is_object(line)
    if (whole := repair_truncated(line)) is not None:
        decode_lenient(whole)


def test_key_paths_go_three_deep_and_into_first_items() -> None:
    value = {"a": {"b": {"c": {"d": 1}}}, "l": [{"m": 1}, {"n": 2}]}
    assert sorted(key_paths(value)) == ["a", "a.b", "a.b.c", "l", "l.[].m"]


@given(st.dictionaries(st.text(max_size=4), JSON, min_size=1), st.data())
def test_a_cut_document_is_closed_after_its_last_whole_object(
    value: dict[str, Any], data: st.DataObject
) -> None:
    whole = json.dumps({"messages": [value, value, value]}).encode()
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    first = len(json.dumps({"messages": [value]})) - 2
    found = repair_truncated(cut)
    if len(cut) >= first:
        assert found is not None
        messages = json.loads(found)["messages"]
        assert messages[0] == value
        assert all(one == value for one in messages[:-1])
