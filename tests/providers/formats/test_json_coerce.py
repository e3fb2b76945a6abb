"""Values of unknown shape."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers.formats.json_lines import as_dict, as_dicts, as_int, as_list, as_str

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(ANY)
def test_each_gives_its_shape_whatever_comes(value: Any) -> None:
    assert isinstance(as_dict(value), dict)
    assert isinstance(as_list(value), list)
    assert all(isinstance(row, dict) for row in as_dicts(value))
    assert isinstance(as_str(value), str)
    number = as_int(value)
    assert number is None or (isinstance(number, int) and abs(number) < 1 << 62)


def test_what_fits_is_given_as_it_is() -> None:
    assert as_dict({"a": 1}) == {"a": 1}
    assert as_dicts([{"a": 1}, 2, {"b": 3}]) == [{"a": 1}, {"b": 3}]
    assert (as_str("x"), as_str(None)) == ("x", "")
    assert (as_int(3), as_int(3.0), as_int(True), as_int("3")) == (3, 3, None, None)
