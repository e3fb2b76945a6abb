"""Likeness: the same said again, and what only looks so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.memory.similarity import SAME, similarity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Check wrangler.toml first", "check  wrangler.toml first!"),
        ("The tests are run with pytest", "the test is run with pytest"),
    ],
)
def test_the_same(one: str, other: str) -> None:
    assert similarity(one, other) >= SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use tabs, not spaces", "use spaces, not tabs"),
        ("the port is 8080", "the port is 8081"),
        ("never push on fridays", "push on fridays"),
        ("see src/a.py", "see src/b.py"),
        ("it is v1.2", "it is v12"),
        ("don't squash commits", "squash commits"),
    ],
)
def test_not_the_same(one: str, other: str) -> None:
    assert similarity(one, other) < SAME


@given(st.text(max_size=60), st.text(max_size=60))
def test_symmetric_and_bounded(one: str, other: str) -> None:
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, other) == pytest.approx(similarity(other, one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs in Go files", "In Go files, use tabs"),
        ("Before a release we run the smoke tests", "We run the smoke tests before a release"),
        (
            "The payment service is written in Kotlin",
            "Kotlin is what the payment service is written in",
        ),
        ("Secrets are stored in Vault", "Vault is where secrets are stored"),
        ("On Fridays nothing is deployed", "Nothing is deployed on Fridays"),
        (
            "For local development start Postgres with compose",
            "Start Postgres with compose for local development",
        ),
        ("Run the linter before you commit", "Before you commit, run the linter"),
        ("In the tests we use a fixed clock", "We use a fixed clock in the tests"),
        ("The search index is written in Rust", "Rust is what the search index is written in"),
        ("Diagrams are drawn in Mermaid", "Mermaid is what diagrams are drawn in"),
        ("At night the GPU nodes are switched off", "The GPU nodes are switched off at night"),
        ("For hotfixes branch from the last tag", "Branch from the last tag for hotfixes"),
    ],
)
def test_a_sentence_turned_round_is_the_same(one: str, other: str) -> None:
    assert similarity(one, other) >= SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("merge main into dev", "merge dev into main"),
        ("copy from staging to production", "copy to staging from production"),
        ("lint before the tests run", "tests run before lint"),
        ("the client calls the server", "the server calls the client"),
        ("prefer tabs over spaces", "prefer spaces over tabs"),
        ("code first, tests second", "tests first, code second"),
    ],
)
def test_words_that_change_places_say_something_else(one: str, other: str) -> None:
    assert similarity(one, other) < SAME


@given(
    st.lists(st.sampled_from(["use", "tabs", "go", "files", "lint", "run", "before"]), min_size=3),
    st.data(),
)
def test_every_turn_of_a_sentence_is_the_same(words: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(words) - 1))
    assert similarity(" ".join(words), " ".join(words[at:] + words[:at])) >= SAME
