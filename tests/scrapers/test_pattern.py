import pytest

from dejavu.scrapers.pattern import Pattern, compile_all


def test_patterns_are_multiline():
    found = Pattern("^b$").search("a\nb\nc")
    assert found is not None
    assert found.start() == 2


def test_match_is_anchored_and_search_is_not():
    assert Pattern("b").match("ab") is None
    assert Pattern("b").search("ab") is not None


def test_a_broken_pattern_says_where():
    with pytest.raises(ValueError, match="position 2"):
        Pattern("a(")


def test_a_pattern_that_explodes_counts_as_no_match():
    assert Pattern(r"(a|aa|a?a)+(a|aa|a?a)+(a|aa|a?a)+$").search("a" * 400 + "b") is None


def test_named_groups_are_known():
    assert Pattern("(?P<text>x)").groups == {"text"}


def test_compile_all_keeps_order():
    assert [pattern.source for pattern in compile_all(["a", "b"])] == ["a", "b"]


def test_answers_about_rows_are_remembered_and_stay_right() -> None:
    pattern = Pattern(r"^\d+$")
    rows = [str(n) if n % 2 else f"{n} no" for n in range(900)]
    for _ in range(2):
        assert [pattern.fits(row) for row in rows] == [n % 2 == 1 for n in range(900)]
