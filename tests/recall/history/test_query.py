"""Questions: a prompt by itself, or with what was said before it."""

import pytest

from dejavu.recall.history.query import question


def test_a_prompt_that_says_something_stands_alone() -> None:
    asked = question("why does retry_budget in src/net/retry.py run dry", before=["zebra talk"])
    assert not asked.leaning
    assert "zebra" not in asked.weights
    assert asked.names["retry_budget"] == 2.0
    assert asked.files == ("src/net/retry.py", "retry.py")


def test_a_pronoun_leans_on_what_was_said() -> None:
    before = ["old line of walrus", "Shall I move `TokenCache` to Redis?"]
    asked = question("ok, let's do that", before=before)
    assert asked.leaning
    assert asked.weights["redi"] > asked.weights["walrus"]
    assert asked.names == {"tokencache": 1.0}
    assert question("ok, let's do that").weights == {}


@pytest.mark.parametrize(
    "prompt",
    ["what did we decide about logs?", "remind me of the port", "as before, please", "we chose X"],
)
def test_asking_for_what_was_said(prompt: str) -> None:
    assert question(prompt).past


@pytest.mark.parametrize(
    "prompt", ["write a poem", "why does it rain?", "add a test for the parser", "make it quick"]
)
def test_an_order_asks_for_nothing_of_the_past(prompt: str) -> None:
    assert not question(prompt).past


def test_what_another_found_in_it_is_added() -> None:
    asked = question("the connection layer").about(["RetryBudget"], ["src/Net/a.py"], ["src/net"])
    assert asked.names == {"retrybudget": 2.0}
    assert asked.files == ("src/net/a.py", "src/net/")
