"""Any text is a query; what is no syntax is words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive.search.query import Word, parse
from dejavu.model import ConversationFilter


def test_words_phrases_prefixes_and_negatives() -> None:
    query = parse('retry_budget "ring buffer" buf* -java -"old way"')
    assert query.words == [
        Word(("retry", "budget")),
        Word(("ring", "buffer"), phrase=True),
        Word(("buf",), prefix=True),
        Word(("java",), negative=True),
        Word(("old", "way"), phrase=True, negative=True),
    ]
    assert query.marked == ("retry", "budget", "ring", "buffer", "buf")


def test_a_misspelt_field_is_noted() -> None:
    assert parse("agnet:claude foo").notes == [
        "agnet: is not a field, so its words were searched for; try agent:"
    ]
    assert parse("retry from:2026-11-24").notes[0].endswith("try after:")
    assert parse("title:environment").notes[0].endswith("`dejavu list WORD` looks in titles")
    for field in ("model", "branch", "id", "type"):
        (note,) = parse(f"{field}:x").notes
        assert note.startswith(f"{field}: is not a field")
    assert parse("error:foo http://x.y note: see").notes == []
    assert parse("machine:box").wanted == parse("instance:box").wanted


def test_fields() -> None:
    query = parse('role:User tool:Bash agent:claude workspace:"/my work" file:src/a.py x')
    assert query.wanted == ConversationFilter(
        role="user", tool="bash", agent="claude", workspace="/my work"
    )
    assert query.paths == [("src", "a", "py")]
    assert query.words == [Word(("x",))]


def test_moments() -> None:
    query = parse("since:2026-01-02 before:2026-01-03")
    assert (query.wanted.since, query.wanted.until) == (1767312000.0, 1767312000.0 + 2 * 86_400)
    assert parse("until:2026-01-02T00:00:00Z").wanted.until == 1767312000.0


@pytest.mark.parametrize(
    "text", ["http://x.y", "foo:bar", "since:whenever", "role:", "path:///", "-role:user"]
)
def test_what_is_no_field_is_words(text: str) -> None:
    query = parse(text)
    assert query.words
    assert (query.wanted, query.paths) == (ConversationFilter(), [])


@pytest.mark.parametrize("text", ["(((", "-", "*", '"', "x" * 300, "\ud800"])
def test_what_no_index_can_hold_is_said(text: str) -> None:
    assert parse(text).unanswerable


@pytest.mark.parametrize("text", ["", "   ", "role:user", "AND"])
def test_asking_nothing_is_no_fault(text: str) -> None:
    assert not parse(text).unanswerable


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_never_raises(text: str) -> None:
    assert len(parse(text).words) <= 64


def test_a_path_needs_no_note() -> None:
    for text in ("/usr/bin/env", "/usr/bin/", "src/*.py", "retr*", '"re" budget'):
        assert parse(text).notes == [], text
