"""Questions: a prompt by itself, or with what was said before it."""

from dejavu.recall.history.query import parse_query


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


def test_what_another_found_in_it_is_added() -> None:
    asked = parse_query("the connection layer").with_hints(
        ["RetryBudget"], ["src/Net/a.py"], ["src/net"]
    )
    assert asked.names == {"retrybudget": 2.0}
    assert asked.files == ("src/net/a.py", "src/net/")
