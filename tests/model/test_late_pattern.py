import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model.late_pattern import late_pattern, split_case


def test_a_pattern_is_made_when_it_is_first_tried() -> None:
    made: list[str] = []

    def source() -> str:
        made.append("x")
        return "a(?P<n>[0-9])"

    pattern = late_pattern(source, re.IGNORECASE)
    assert made == []
    match = pattern.match("A1")
    assert match is not None
    assert match["n"] == "1"
    assert pattern.sub("b", "a2 a3") == "b b"
    assert pattern.pattern == "a(?P<n>[0-9])"
    assert pattern.flags & re.IGNORECASE


def test_an_error_comes_with_the_first_use() -> None:
    pattern = late_pattern("(")
    with pytest.raises(re.error):
        pattern.match("x")


# The rule in other words than the code has it.
_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@given(st.text("aZ9_ é→Ā\ud83d", max_size=40) | st.text(max_size=40))
def test_identifiers_are_cut_where_their_case_turns(text: str) -> None:
    assert split_case(text) == _SEAM.sub(" ", text)
