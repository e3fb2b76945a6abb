"""Exports taken apart."""

import base64
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers.formats.otlp import body_of, events, line
from dejavu.providers.formats.otlp.export import value_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
)
NAMES = st.sampled_from(
    re.findall(
        r"\w+",
        "resourceLogs scopeLogs logRecords attributes resourceSpans scopeSpans spans events key "
        "value stringValue intValue arrayValue values timeUnixNano",
    )
)
NESTED = st.recursive(
    JSON, lambda inner: st.dictionaries(NAMES, st.lists(inner, max_size=2) | inner, max_size=3)
)


def test_json_stays_json_and_protobuf_stays_bytes():
    told = json.loads(line("/v1/logs", b'{\n "resourceLogs": []\n}', "application/json", 2.0))
    assert told == {"t": 2.0, "path": "/v1/logs", "body": {"resourceLogs": []}}
    told = json.loads(line("/v1/logs", b"\n\x00", "application/x-protobuf", 2.0))
    assert base64.b64decode(told["b64"]) == b"\n\x00"
    assert line("/v1/logs", b"{}", "application/json; charset=utf-8", 1.0).count(b"\n") == 1


def test_json_that_is_none_is_refused_with_the_cure():
    with pytest.raises(ValueError, match=r"/v1/logs: the body is no JSON"):
        line("/v1/logs", b"{", "application/json", 1.0)


def test_bodies():
    assert body_of({"body": {"a": 1}}) == {"a": 1}
    assert body_of({"b64": "CgA=", "path": "/v1/logs"}) == {"resourceLogs": [{}]}
    assert body_of({"b64": "//8=", "path": "/v1/logs"}) is None
    assert body_of({"b64": "CgA=", "path": "/v1/metrics"}) == {}
    assert body_of({}) is None


def test_values():
    assert value_of({"intValue": "12"}) == 12
    assert value_of({"intValue": 12}) == 12
    assert value_of({"intValue": "x"}) is None
    assert value_of({"arrayValue": {"values": [{"stringValue": "a"}, {}]}}) == ["a", None]
    assert value_of({"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": False}}]}}) == {
        "k": False
    }
    assert value_of(7) is None


def test_moments_in_nanoseconds_however_written():
    for moment, at in (
        ("1795293936920000000", 1795293936.92),
        (0, None),
        ("x", None),
        (10**30, None),
    ):
        record = {"timeUnixNano": moment, "attributes": []}
        (event,) = events({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})
        assert event.at == at


@given(NESTED)
def test_no_body_raises(body):
    if isinstance(body, dict):
        list(events(body))
