"""An excerpt holds the match, marks whole words, and stays short."""

from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive.search.snippet import WIDTH, excerpt, matches


def marked(text: str, *tokens: str, prefixes: tuple[str, ...] = ()) -> list[str]:
    shown = excerpt(text, tokens, prefixes)
    return [shown.text[a:b] for a, b in shown.marks]


def test_whole_words_and_words_within_identifiers() -> None:
    assert marked("start the ART of HTTPServer and RetryBudget", "art", "server", "budget") == [
        "ART", "Server", "Budget",
    ]  # fmt: skip
    assert marked("starting artful art2", "art") == []
    assert marked("buffers buffered", prefixes=("buf",)) == ["buf", "buf"]
    assert marked("retry_budget日本語", "budget", "本") == ["budget", "本"]


def test_the_window_with_most_matches_wins() -> None:
    text = "ring " + "word " * 300 + "the ring buffer is here " + "word " * 300
    shown = excerpt(text, ("ring", "buffer"))
    assert "ring buffer" in shown.text
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")


def test_without_a_match_it_is_the_beginning() -> None:
    assert excerpt("one\ntwo", ("three",)) == ("one two", ())
    assert excerpt("", ()) == ("", ())


@given(st.text(max_size=2_000), st.lists(st.text(min_size=1, max_size=4), max_size=4))
def test_marks_lie_within_and_are_what_was_asked(text: str, tokens: list[str]) -> None:
    shown = excerpt(text, tokens)
    assert len(shown.text) <= WIDTH + 2
    fold_entries = {token.casefold() for token in tokens}
    for start, end in shown.marks:
        assert 0 <= start < end <= len(shown.text)
        marked = shown.text[start:end].casefold()
        bare = "".join(normalize("NFD", character)[0] for character in marked)
        assert {marked, bare} & {f.replace("\n", " ") for f in fold_entries}
    assert len(matches("a " * 9_000, ("a",))) == 2_000
