"""Prompts: what asks, what quotes an error, and what wants work done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.history.query import PromptKind, begins_question, is_question, kind_of


@pytest.mark.parametrize(
    "prompt",
    ["what did we decide about logs?", "remind me of the port", "why does it rain", "so, which one",
     "tell me how retries work", "was it slow", "since when do we pin node", "on what day do we release",
     "budget.py, what changed there", "can you tell me the port", "port of the panel",
     "did the board decide?"],
)  # fmt: skip
def test_a_question(prompt: str) -> None:
    assert kind_of(prompt) is PromptKind.QUESTION
    assert is_question(prompt)


@pytest.mark.parametrize(
    "prompt",
    ["TypeError: Cannot read properties of undefined (reading 'bbox')",
     "thread 'main' panicked at src/a.rs:14:3", "django.db.utils.OperationalError: deadlock detected",
     "fatal: not a git repository", "could not connect to server"],
)  # fmt: skip
def test_an_error_that_was_pasted(prompt: str) -> None:
    assert kind_of(prompt) is PromptKind.ERROR
    assert is_question(prompt)


@pytest.mark.parametrize(
    "prompt",
    ["write a poem", "add a test for the parser", "make it quick", "Refactor what is in a.py",
     "could you add a cache?", "please rename the crate", "the panel should have a dark theme",
     "ok, now fix the TypeError in budget.py", "let users draw a polygon when they click"],
)  # fmt: skip
def test_an_order(prompt: str) -> None:
    assert kind_of(prompt) is PromptKind.ORDER
    assert not is_question(prompt)


@given(st.text(max_size=300))
def test_any_text_has_a_kind(prompt: str) -> None:
    assert kind_of(prompt) in PromptKind


def test_a_part_of_a_prompt_begins_a_question_or_not() -> None:
    assert begins_question("so how are branches named")
    assert not begins_question("rotate the logs of how it went")
