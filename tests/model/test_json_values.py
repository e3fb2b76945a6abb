"""Walks over JSON values: every string in order, and the value with its strings changed."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dejavu.model.json_values import is_json_array, is_json_object, map_strings, strings_in

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=30,
)


def test_strings_come_in_order_without_keys() -> None:
    value = {"a": ["1", {"b": "2"}], "c": 3, "d": ("4", None, [["5"]])}
    assert list(strings_in(value)) == ["1", "2", "4", "5"]
    assert list(strings_in("alone")) == ["alone"]


def test_depth_is_no_limit_of_the_strings() -> None:
    value: Any = "deep"
    for _ in range(5_000):
        value = [value]
    assert list(strings_in(value)) == ["deep"]


@given(VALUES)
def test_a_value_is_changed_in_the_order_in_which_it_is_read(value: Any) -> None:
    seen: list[str] = []

    def note(text: str) -> str:
        seen.append(text)
        return text

    assert map_strings(value, note) == value
    assert seen == list(strings_in(value))


@given(VALUES)
def test_keys_are_changed_only_where_that_is_asked(value: Any) -> None:
    changed = map_strings(value, lambda _: "x")
    assert set(strings_in(changed)) <= {"x"}
    assert len(list(strings_in(changed))) == len(list(strings_in(value)))
    whole = json.loads(json.dumps(value))
    assert map_strings(whole, lambda text: text + "!", keys=True) == _marked(value)


def _marked(value: Any) -> Any:
    if is_json_object(value):
        return {key + "!": _marked(item) for key, item in value.items()}
    if is_json_array(value):
        return [_marked(item) for item in value]
    return value + "!" if isinstance(value, str) else value
