"""Questions: a prompt by itself, or with what was said before it."""

import pytest

from dejavu.recall.history.query import is_question, parse_query


def test_a_prompt_that_says_something_stands_alone() -> None:
    asked = parse_query("why does retry_budget in src/net/retry.py run dry", before=["zebra talk"])
    assert not asked.uses_context
    assert "zebra" not in asked.weights
    assert asked.names["retry_budget"] == 2.0
    assert asked.files == ("src/net/retry.py", "retry.py")


def test_a_pronoun_leans_on_what_was_said() -> None:
    before = ["old line of walrus", "Shall I move `TokenCache` to Redis?"]
    asked = parse_query("ok, let's do that", before=before)
    assert asked.uses_context
    assert asked.weights["redi"] > asked.weights["walrus"]
    assert asked.names == {"tokencache": 1.0}
    assert parse_query("ok, let's do that").weights == {}


@pytest.mark.parametrize(
    "prompt",
    ["what did we decide about logs?", "remind me of the port", "why does it rain", "so, which one",
     "tell me how retries work", "was it slow"],
)  # fmt: skip
def test_a_question(prompt: str) -> None:
    assert is_question(prompt)


@pytest.mark.parametrize(
    "prompt",
    ["write a poem", "add a test for the parser", "make it quick", "Refactor what is in a.py"],
)
def test_an_order(prompt: str) -> None:
    assert not is_question(prompt)


def test_what_another_found_in_it_is_added() -> None:
    asked = parse_query("the connection layer").with_hints(
        ["RetryBudget"], ["src/Net/a.py"], ["src/net"]
    )
    assert asked.names == {"retrybudget": 2.0}
    assert asked.files == ("src/net/a.py", "src/net/")
