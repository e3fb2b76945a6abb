import json
import math

from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.otel.encode import (
    any_value,
    attributes,
    clean,
    identity,
    json_string,
    nanoseconds,
)


def test_ids_have_their_size_and_depend_on_every_part() -> None:
    assert len(identity(16, "a", 1)) == 32
    assert len(identity(8, "a", 1)) == 16
    assert identity(8, "a", 1) == identity(8, "a", 1)
    assert (
        len({identity(8, "a", 1), identity(8, "a1"), identity(8, "a", 2), identity(8, "b", 1)}) == 4
    )
    assert identity(8, "\udc80")


@given(st.floats())
def test_moments_fit_into_64_bits(at: float) -> None:
    assert 0 <= nanoseconds(at) < 2**64


def test_moments_keep_their_microseconds() -> None:
    assert nanoseconds(1_795_000_000.123456) == 1_795_000_000_123_456_000


def test_each_kind_of_value() -> None:
    assert any_value("x") == {"stringValue": "x"}
    assert any_value(True) == {"boolValue": True}
    assert any_value(7) == {"intValue": "7"}
    assert any_value(0.5) == {"doubleValue": 0.5}
    assert any_value(["a"]) == {"arrayValue": {"values": [{"stringValue": "a"}]}}
    assert any_value(math.nan) == {"stringValue": "nan"}


def test_what_is_not_known_is_left_out() -> None:
    assert attributes({"a": None, "b": "", "c": 0, "d": False}) == [
        {"key": "c", "value": {"intValue": "0"}},
        {"key": "d", "value": {"boolValue": False}},
    ]


def test_json_strings_are_compact_and_exact() -> None:
    assert json_string({"é": [1, "x"]}) == '{"é":[1,"x"]}'
    assert json_string(None) is None
    assert json_string("x") == '"x"'


@given(st.text(st.characters(codec=None)))
def test_a_cleaned_text_is_utf_8_and_otherwise_the_same(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned
    assert len(cleaned) == len(text)
    assert json.loads(json.dumps(cleaned)) == cleaned
