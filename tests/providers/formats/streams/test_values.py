"""Values in more than one form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers.formats.streams.values import arguments, clean, words
from dejavu.providers.formats.streams.values import without_none as facts

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a": ', '{"a": '),
        ("ls -1", "ls -1"),
        ("1", "1"),
        ({"a": 1}, {"a": 1}),
        (None, None),
    ],
)
def test_arguments(given, meant):
    assert arguments(given) == meant


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("no", "no"),
        ({"message": "no"}, "no"),
        ({"error": {"message": "no"}}, "no"),
        ({"name": "APIError", "data": {"message": "no"}}, "no"),
        ({"name": "APIError"}, "APIError"),
        (None, ""),
        ({"code": 4}, ""),
    ],
)
def test_words(error, text):
    assert words(error) == text


@given(JSON)
def test_nothing_raises(value):
    assert isinstance(words(value), str)
    arguments(value)


@given(st.text(st.characters(codec=None)))
def test_any_text_of_the_system_becomes_text(told):
    clean(told).encode("utf-8")
    assert clean("caf\udce9\ud800") == "caf??"
    assert clean("ü🧑‍💻") == "ü🧑‍💻"


def test_facts_that_say_nothing_are_left_out():
    assert facts(a=1, b=None, c="", d=False, e=0) == {"a": 1, "d": False, "e": 0}
