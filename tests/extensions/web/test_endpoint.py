import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.web.endpoint import (
    BadRequestError,
    Endpoint,
    Parameter,
    from_body,
    from_query,
)

_ALL = (
    Parameter("text", "A text.", required=True),
    Parameter("n", "A number.", "integer", 5, least=1, most=9),
    Parameter("on", "A switch.", "boolean", False),
)


def test_values_by_type_and_defaults() -> None:
    assert from_query(_ALL, {"text": ["x"], "n": ["3"], "on": ["TRUE"]}) == {
        "text": "x", "n": 3, "on": True,
    }  # fmt: skip
    assert from_body(_ALL, b'{"text": ""}') == {"text": "", "n": 5, "on": False}


@pytest.mark.parametrize(
    ("query", "told"),
    [({}, "text: missing"), ({"text": ["a", "b"]}, "2 times"), ({"text": ["a"], "n": ["x"]}, "n:"),
     ({"text": ["a"], "n": ["0"]}, "must be 1 to 9"), ({"text": ["a"], "n": ["10"]}, "must be 1 to 9"),
     ({"text": ["a"], "n": ["-1"]}, "must be 1 to 9"),
     ({"text": ["a"], "on": ["maybe"]}, "true or false"), ({"text": ["a"], "nope": ["1"]}, "nope")],
)  # fmt: skip
def test_a_bad_query_is_named(query: dict[str, list[str]], told: str) -> None:
    with pytest.raises(BadRequestError, match=told):
        from_query(_ALL, query)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"text": 1}', b'{"text": "a", "n": true}', b'{"text":"a","on":1}',
             b'{"text": "a", "n": 1.5}', b'{"text": "a", "more": 1}', b"\xff",
             b"[" * 100_000]
)  # fmt: skip
def test_a_bad_body_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequestError):
        from_body(_ALL, body)


@given(st.binary(max_size=80))
def test_any_bytes_are_values_or_a_sentence(body: bytes) -> None:
    try:
        values = from_body(_ALL, body)
    except BadRequestError:
        return
    assert isinstance(json.loads(body)["text"], str)
    assert set(values) == {"text", "n", "on"}


def test_what_stands_in_the_path() -> None:
    endpoint = Endpoint("GET", "/a/{one}/b/{two}", "", lambda: None, "x")
    assert endpoint.in_path == ("one", "two")
