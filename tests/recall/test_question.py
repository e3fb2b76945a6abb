"""Questions: a prompt by itself, or with what was said before it."""

from dejavu.recall.question import question


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
