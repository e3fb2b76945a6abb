import re

import pytest

from dejavu.model.late_pattern import late_pattern


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
