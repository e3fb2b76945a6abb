"""Values of unknown shape."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers.formats.json_coerce import integer, items, mapping, rows, text

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(ANY)
def test_each_gives_its_shape_whatever_comes(value: Any) -> None:
    assert isinstance(mapping(value), dict)
    assert isinstance(items(value), list)
    assert all(isinstance(row, dict) for row in rows(value))
    assert isinstance(text(value), str)
    number = integer(value)
    assert number is None or (isinstance(number, int) and abs(number) < 1 << 62)


def test_what_fits_is_given_as_it_is() -> None:
    assert mapping({"a": 1}) == {"a": 1}
    assert rows([{"a": 1}, 2, {"b": 3}]) == [{"a": 1}, {"b": 3}]
    assert (text("x"), text(None)) == ("x", "")
    assert (integer(3), integer(3.0), integer(True), integer("3")) == (3, 3, None, None)
