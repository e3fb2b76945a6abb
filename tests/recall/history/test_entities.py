"""Entities: names that prose does not have, and no capitalised words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.terms import as_written, entities, files, path_suffixes, without_folders


def test_shapes_of_names() -> None:
    text = (
        "Rationale does `load config` call RetryBudget.tick in src/net/retry.py with --dry-run, "
        'MAX_SIZE and "too many open files" after ERR-4012? See parse_header, std::vec and #123.'
    )
    assert set(entities(text)) >= {
        "load config", "retrybudget.tick", "tick", "src/net/retry.py", "retry.py", "--dry-run",
        "max_size", "too many open files", "err-4012", "parse_header", "std::vec", "#123",
    }  # fmt: skip


def test_prose_names_nothing() -> None:
    assert entities("Yesterday Alice told Bob that Paris is lovely. Ok, let's do that!") == []


def test_files_of_tools_and_their_places() -> None:
    assert files({"file_path": "src/a.py", "content": "long text", "n": [1, "b/c.md"]}) == [
        "src/a.py",
        "b/c.md",
    ]
    assert path_suffixes("/src/net/retry.py") == (
        "src/net/retry.py", "net/retry.py", "retry.py", "src/", "net/",
    )  # fmt: skip


@given(st.text(max_size=200))
def test_never_raises_and_is_bounded(text: str) -> None:
    assert len(entities(text)) <= 64


@pytest.mark.parametrize("word", ["a" * 80 + ".run", f"{'a' * 90}.b.{'c' * 90}", "x." * 60 + "y"])
def test_names_longer_than_any_are_passed_over(word: str) -> None:
    assert all(len(name) <= 80 for name in entities(f"see {word} again"))


@given(st.text(max_size=200))
def test_a_name_is_found_in_its_text_as_written(text: str) -> None:
    for name in entities(f"{text} RetryBudget.tick"):
        written = as_written(name, f"{text} RetryBudget.tick")
        assert written.lower() == name or name not in f"{text} RetryBudget.tick".lower()
    assert as_written("retrybudget.tick", f"{text} RetryBudget.tick").endswith("ick")


def test_folders_of_a_path_are_no_words_whatever_its_length() -> None:
    shown = without_folders("look at src/net/retry.py and either/or")
    assert shown.startswith("look at retry.py p")
    assert shown.endswith("and either/or")
    assert without_folders("x" * 200_000 + " /") == "x" * 200_000 + " /"  # linear in the text
