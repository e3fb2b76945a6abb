from dejavu.archive.search.filters import Hit, SearchFilter
from dejavu.model import Role


def test_a_hit_says_where_and_what() -> None:
    hit = Hit("id", 3, Role.USER, 1.5, "the words", None, "claude")
    assert hit.marks == ()
    assert hit._asdict()["excerpt"] == "the words"


def test_nothing_wanted_is_anything() -> None:
    assert set(SearchFilter()) == {None}
