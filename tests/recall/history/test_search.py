"""Ranked history: the right turn first, what was taken back not at all, else nothing."""

from pathlib import Path

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive
from dejavu.model import conversation_id
from dejavu.recall import Recall, RecallHit


def named(hits: list[RecallHit]) -> list[tuple[str, int]]:
    names = {
        conversation_id(agent, "local", name): name
        for name, agent in (
            ("retry", "claude"), ("retention-old", "claude"), ("retention-new", "codex"),
            ("other", "claude"),
        )
    }  # fmt: skip
    return [(names[hit.conversation], hit.seq) for hit in hits]


def test_the_turns_that_answer(told: Archive) -> None:
    hits = Recall(told).search("why is the retry budget dry?")
    assert set(named(hits)[:2]) == {("retry", 0), ("retry", 1)}
    assert {"conversation", "seq", "role", "score", "excerpt", "tiers"} <= set(hits[0]._fields)
    assert hits[0].score >= hits[-1].score > 0
    assert hits[0].tiers[0] == "lexical"


def test_names_and_files(told: Archive) -> None:
    (first, *_) = Recall(told).search("RetryBudget.tick")
    assert (named([first]), "entity" in first.tiers) == ([("retry", 1)], True)
    assert ("retry", 2) in named(Recall(told).search("what did we change in src/net/retry.py?"))


def test_a_typo_is_forgiven(told: Archive) -> None:
    (first, *_) = Recall(told).search("acrilic fence")
    assert named([first]) == [("other", 1)]


def test_the_later_decision_is_shown_alone(told: Archive) -> None:
    hits = named(Recall(told).search("what is the retention window of audit records?"))
    assert ("retention-new", 1) in hits
    assert ("retention-old", 1) not in hits


def test_unrelated_questions_are_not_answered(told: Archive) -> None:
    for query in ("how do I bake sourdough bread", "", "the of and", "?!", "xyzzy plugh"):
        assert Recall(told).search(query) == []


def test_workspace_limit_and_exclusions(told: Archive) -> None:
    recall = Recall(told)
    assert recall.search("acrylic paint", workspace="/w") == []
    assert named(recall.search("acrylic paint", workspace="/x"))[0] == ("other", 1)
    assert len(recall.search("retry budget", limit=1)) == 1
    assert recall.search("retry budget", limit=0) == []
    own = conversation_id("claude", "local", "retry")
    assert own not in {hit.conversation for hit in recall.search("retry budget", without=(own,))}
    assert all(hit.kind in ("user_prompt", "assistant_text")
               for hit in recall.search("zebra quagga okapi retry", spoken=True))  # fmt: skip
    assert recall.search("zebra quagga")[0].kind == "tool_result"


def test_a_pronoun_finds_what_was_meant(told: Archive) -> None:
    recall = Recall(told)
    assert recall.search("ok, let's do that") == []
    before = ["Shall I look at the retry_budget of the gateway?"]
    assert named(recall.search("ok, let's do that", before=before))[0][0] == "retry"


def test_what_is_gone_never_shows(told: Archive) -> None:
    recall = Recall(told)
    assert recall.search("acrylic paint")
    told.put(session("other", (USER, "never mind"), (ASSISTANT, "fine"), workspace="/x"))
    assert recall.search("acrylic paint", catch_up=False) == []


def test_tiers_may_be_chosen(told: Archive) -> None:
    Recall(told).catch_up()
    assert Recall(told, tiers=["entity"]).search("why is it dry", catch_up=False) == []
    hits = Recall(told, tiers=["entity"]).search("RetryBudget.tick")
    assert {tier for hit in hits for tier in hit.tiers} == {"entity"}


def test_the_workspace_of_a_folder(told: Archive) -> None:
    recall = Recall(told)
    assert recall.workspace_of("/w") is None  # no index yet
    recall.catch_up()
    assert recall.pending(10) == 0
    assert recall.workspace_of("/w/deep/er") == "/w"
    assert recall.workspace_of("/elsewhere") is None
    assert recall.embed_pending(0) >= 0


@settings(max_examples=25)
@given(query=st.text(max_size=60))
def test_any_text_is_a_question(query: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = Path(tmp_path_factory.getbasetemp()) / "any-question"
    with Archive.open(root) as archive:
        archive.put(session("a", (USER, "retry budget é \ud83d"), (ASSISTANT, "yes")))
        Recall(archive).search(query)


def test_two_answers_that_say_the_same_are_one(archive: Archive) -> None:
    for name in "abc":
        archive.put(session(name, (USER, "Please run the flaky integration tests again now")))
    assert len(Recall(archive).search("flaky integration tests")) == 1


def test_what_the_index_lacks_is_said(archive: Archive) -> None:
    """Another process writes the index: what came meanwhile is counted, not passed over."""
    recall = Recall(archive)
    archive.put(session("a", (USER, "why is the retry budget dry on Mondays?")))
    assert recall.ask("retry budget").behind == 0
    index = tantivy.Index.open(str(archive.root / "recall"))
    place = index.writer(15_000_000, 1)
    archive.put(session("b", (USER, "the socket leaks in the parser")))
    answer = recall.ask("socket leaks")
    assert (answer.hits, answer.behind) == ([], 1)
    del place
    assert recall.ask("socket leaks").behind == 0
