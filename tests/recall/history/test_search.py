"""Ranked history: the right exchange first, the newest decision before what it replaces."""

import sys
from pathlib import Path

import msgspec
import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive
from dejavu.model import conversation_id
from dejavu.recall import Recall, RecallHit, inject
from dejavu.recall.history.retrievers import RETRIEVERS
from dejavu.recall.history.score_fusion import STRATEGIES, Merging
from dejavu.recall.rationale import explain

ALL = [retriever.name for retriever in RETRIEVERS]


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
    assert named(hits)[0] == ("retry", 0)
    assert hits[0].question == "Why does the retry_budget run dry in the gateway?"
    assert hits[0].answer.startswith("Because `RetryBudget.tick` is never called")
    assert (hits[0].start, hits[0].stop, hits[0].files) == (0, 4, ("src/net/retry.py",))
    assert hits[0].event == f"{hits[0].conversation}#1"
    assert {"conversation", "seq", "role", "score", "excerpt", "tiers"} <= set(hits[0]._fields)
    assert hits[0].score >= hits[-1].score > 0
    assert hits[0].tiers[0] == "lexical"


def test_names_and_files(told: Archive) -> None:
    recall = Recall(told, tiers=ALL)
    (first, *_) = recall.search("RetryBudget.tick")
    assert (named([first]), "entity" in first.tiers) == ([("retry", 1)], True)
    assert ("retry", 2) in named(recall.search("what did we change in src/net/retry.py?"))


def test_a_typo_is_forgiven(told: Archive) -> None:
    (first, *_) = Recall(told).search("acrilic")
    assert named([first]) == [("other", 1)]
    assert Recall(told, without=("trigram",)).search("acrilic") == []


def test_the_later_decision_stands_first(told: Archive) -> None:
    hits = Recall(told).search("what is the retention window of audit records?")
    assert named(hits) == [("retention-new", 1), ("retention-old", 1)]
    assert hits[0].replaces == (hits[1].event,)


@pytest.mark.parametrize("question", ["retry budget", "the tests of part 3", "walnut"])
def test_asking_for_more_changes_nothing_before(archive: Archive, question: str) -> None:
    for number in range(60):
        told = f"the retry budget of part {number % 7} is walnut {number}"
        answer = (ASSISTANT, f"now {number} a day, the tests pass" if number % 3 else "done")
        archive.put(session(f"s{number}", (USER, told), answer, at=1e9 + number * 1e5))
    recall = Recall(archive)
    whole = recall.search(question, 60, floor=0.0)
    for limit in (1, 3, 10, 20, 25, 40):
        assert recall.search(question, limit, floor=0.0) == whole[:limit]


def test_a_later_part_of_a_long_answer(archive: Archive) -> None:
    """The word stands far in an answer; the prompt's words stand only at its beginning."""
    filler = "some words about nothing in particular. " * 400
    answer = f"{filler} The marmot valve needs a quarter turn. {filler}"
    archive.put(session("long", (USER, "explain the boiler to me"), (ASSISTANT, answer)))
    (hit,) = Recall(archive).search("boiler marmot valve")
    assert "quarter turn" in hit.answer


def test_the_last_of_many_short_turns(archive: Archive) -> None:
    steps = [(ASSISTANT, f"sprocket {number} is turned") for number in range(300)]
    said = ((USER, "build the walrus"), *steps, (ASSISTANT, "at last the marmot"))
    archive.put(session("long", *said))
    hits = Recall(archive).search("marmot walrus")
    assert "at last the marmot" in {hit.answer for hit in hits}


def test_a_question_that_needs_the_one_before(archive: Archive) -> None:
    archive.put(
        session(
            "a", (USER, "which licence have the recordings of the concert?"), (ASSISTANT, "CC BY."),
            (USER, "and we store them where"), (ASSISTANT, "On the disk of the society."),
        )
    )  # fmt: skip
    hits = Recall(archive).search("where are the concert recordings stored?")
    assert "On the disk of the society." in {hit.answer for hit in hits}


def test_what_is_appended_is_found_with_its_exchange(archive: Archive) -> None:
    recall = Recall(archive)
    said = [
        (USER, "does the turnstile jam?"),
        (ASSISTANT, "Looking."),
        (ASSISTANT, "Yes, by rust."),
    ]
    for number in range(1, 4):
        archive.put(session("live", *said[:number]))
        recall.catch_up()
    (hit,) = recall.search("turnstile rust")
    assert (hit.answer, hit.start, hit.stop) == ("Yes, by rust.", 0, 2)
    archive.put(session("live", *said, (USER, "which oil?"), (ASSISTANT, "Graphite, not oil.")))
    assert recall.search("graphite")[0].start == 3


def test_strategies(told: Archive) -> None:
    recall = Recall(told, tiers=ALL)
    found = {
        strategy: {hit.event for hit in recall.search("RetryBudget.tick paint", strategy=strategy)}
        for strategy in STRATEGIES
    }
    assert found["intersection"] < found["weighted"] == found["union"]
    assert found["short_circuit"] <= found["union"]
    with pytest.raises(ValueError, match=r"unknown strategy 'best' \(weighted, union"):
        recall.search("x", strategy="best")  # type: ignore[arg-type]


def test_short_circuit_asks_no_further_once_a_hit_holds_most_of_the_question(told: Archive) -> None:
    recall = Recall(told, tiers=("trigram", "lexical"), merging=Merging("short_circuit"))
    assert {hit.tiers for hit in recall.search("zebra")} == {("lexical",)}
    # One of three words is known: below .7, so what the misspelt ones are near to counts, too.
    tiers = {tier for hit in recall.search("zebra retrry crokodile") for tier in hit.tiers}
    assert tiers == {"lexical", "trigram"}


def test_weights_and_retrievers_are_the_callers(told: Archive) -> None:
    only = Recall(told, tiers=ALL, merging=Merging(weights={"lexical": 0.0, "entity": 1.0}))
    scores = {hit.tiers[0] for hit in only.search("RetryBudget.tick", strategy="union")}
    assert scores
    with pytest.raises(ValueError, match="unknown retriever 'words'"):
        Recall(told, merging=Merging(weights={"words": 1.0}))


def test_a_rationale_is_found_and_its_turn_with_it(told: Archive) -> None:
    recall = Recall(told)
    answer = "The quota lives in the gateway now, next to the limits of the tenants and their own."
    told.put(session("quota", (USER, "move the quota"), (ASSISTANT, f"{answer} All is green.")))
    recall.catch_up()
    assert recall.search("why porcupine governance") == []
    say = "import sys; sys.stdin.read(); print('It follows the porcupine governance.')"
    explain(told, command=[sys.executable, "-c", say], conversations=None)
    hits = recall.search("why porcupine governance")
    assert hits
    assert {(hit.kind, hit.answer) for hit in hits} == {
        ("turn_rationale", "It follows the porcupine governance.")
    }
    told.put(session("other", (USER, "never mind"), (ASSISTANT, "fine"), workspace="/x"))
    assert recall.search("porcupine governance", workspace="/w")


def test_what_we_injected_was_said_by_nobody(told: Archive) -> None:
    block = inject(told, "why does the retry budget run dry?", workspace="/w")
    assert "RetryBudget.tick" in block
    told.put(session("next", (USER, f"{block}\nplease add a raccoon"), (ASSISTANT, "added")))
    recall = Recall(told)
    (raccoon,) = recall.search("raccoon")
    assert raccoon.question == "please add a raccoon"
    assert raccoon.conversation not in {h.conversation for h in recall.search("RetryBudget tick")}


def test_unrelated_questions_are_not_answered(told: Archive) -> None:
    for query in ("how do I bake sourdough bread", "", "the of and", "?!", "xyzzy plugh"):
        assert Recall(told).search(query) == []


def test_what_is_near_and_not_sure_is_told_apart(told: Archive) -> None:
    recall = Recall(told)
    answer = recall.ask("the budget of the zoo's new aquarium building and its opening hours")
    assert answer.sure == []
    assert named(answer.uncertain)[0][0] == "retry"
    assert answer.hits == answer.uncertain
    found = recall.ask("why does the retry_budget run dry?", 3)
    assert named(found.sure)[0][0] == "retry"
    assert len(found.hits) <= 3
    assert {hit.event for hit in found.hits} == {
        hit.event for hit in (*found.sure, *found.uncertain)
    }
    assert all(0.0 < hit.confidence <= 1.0 for hit in found.hits)


def test_workspace_limit_and_exclusions(told: Archive) -> None:
    recall = Recall(told)
    assert recall.search("acrylic paint", workspace="/w") == []
    assert named(recall.search("acrylic paint", workspace="/x"))[0] == ("other", 1)
    assert len(recall.search("retry budget", limit=1)) == 1
    assert recall.search("retry budget", limit=0) == []
    own = conversation_id("claude", "local", "retry")
    assert own not in {hit.conversation for hit in recall.search("retry budget", without=(own,))}
    assert recall.search("zebra quagga okapi", spoken=True) == []
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


def test_history_is_that_of_all_folders_of_a_project(archive: Archive, tmp_path: Path) -> None:
    project = "github.com/acme/shop"
    for number, where in enumerate(("/clones/one", "/clones/two", "/elsewhere")):
        told = session(f"s{number}", (USER, f"why is zebra{number} dry"), (ASSISTANT, "Because."))
        named = msgspec.structs.replace(
            told, workspace=where, project=project if where != "/elsewhere" else ""
        )
        archive.put(named)
    recall = Recall(archive)
    found = {
        hit.workspace for hit in recall.search("zebra0 zebra1 zebra2", workspace="/clones/one")
    }
    assert found == {"/clones/one", "/clones/two"}
    assert recall.search("zebra0", workspace="/elsewhere") == []
    # A new worktree has no history of its own.
    fresh = Recall(archive, project_of=lambda _folder: f"{project}/packages/api")
    found = {hit.workspace for hit in fresh.search("zebra1", workspace=str(tmp_path))}
    assert found == {"/clones/two"}
