"""Terms: stems, seams, trigrams."""

from dejavu.recall.terms import (
    content_stems,
    jaccard,
    listed,
    misspelt,
    normalise,
    pairs,
    seams,
    stems,
    trigrams,
)


def test_stems_cut_identifiers_at_their_seams() -> None:
    assert stems("RetryBudget.tick retry_budgets HTTPServer") == [
        "retri", "budget", "tick", "retri", "budget", "http", "server",
    ]  # fmt: skip
    assert stems("half \ud83d a character") == ["half", "a", "charact"]


def test_an_identifier_is_cut_wherever_its_case_turns() -> None:
    for text, spaced in (
        ("parseHTTPHeader", "parse HTTP Header"), ("aB", "a B"), ("AB Ab", "AB Ab"), ("", ""),
        ("naïveCase → xY", "naïve Case → x Y"), ("\ud83dAb9C", "?Ab9 C"),
    ):  # fmt: skip
        assert seams(text) == spaced


def test_content_drops_what_carries_nothing() -> None:
    assert content_stems("what is the retention of it?") == ["retent"]


def test_trigrams_meet_over_a_typo() -> None:
    assert jaccard(trigrams("retention"), trigrams("retentoin")) > 0.4
    assert jaccard(trigrams("retention"), trigrams("banana")) == 0.0
    assert jaccard(frozenset(), frozenset()) == 0.0


def test_plain_and_pairs() -> None:
    assert normalise("Hello,  World_x!") == "hello world x"
    assert pairs(listed("a b")) == [("", "a"), ("a", "b"), ("b", "")]


def test_misspelt_words_and_others() -> None:
    for word, known in (("acril", "acryl"), ("retentoin", "retent"), ("gatewya", "gateway")):
        assert misspelt(word, known), word
    for word, known in (("traffic", "traced"), ("backtrack", "backend"), ("port", "post")):
        assert not misspelt(word, known), word
