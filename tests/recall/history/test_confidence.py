"""The order of hits: meaning and words together, and words alone where they lead clearly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive
from dejavu.model import Role
from dejavu.recall import Kind, Recall, RecallHit
from dejavu.recall.history.confidence import SURE, judged, order
from dejavu.recall.history.evidence import Evidence
from dejavu.recall.history.query import PromptKind

SHARES = st.floats(0.0, 1.0)


def hit(name: str, share: float, nearness: float | None = None) -> RecallHit:
    margin = None if nearness is None else nearness / 2
    evidence = Evidence(share, margin=margin, nearness=nearness)
    return RecallHit(
        name, 0, Role.ASSISTANT, 0.0, "", ("lexical",), 1.0, "claude", "/w", Kind.TEXT, share,
        evidence=evidence,
    )  # fmt: skip


def names(*hits: RecallHit) -> list[str]:
    return [one.conversation for one in judged(hits, PromptKind.QUESTION)]


def test_meaning_decides_between_hits_whose_words_are_near_each_other() -> None:
    assert names(hit("words", 0.5, 0.2), hit("meaning", 0.4, 1.0)) == ["meaning", "words"]


def test_a_clear_lead_in_words_outranks_meaning() -> None:
    held, near = hit("words", 0.8, 0.0), hit("meaning", 0.4, 1.0)
    assert order(held.evidence) < order(near.evidence)
    assert names(near, held, hit("third", 0.1, 0.1)) == ["words", "meaning", "third"]


@given(st.lists(st.tuples(SHARES, st.none() | SHARES), max_size=8))
def test_all_stay_best_first_with_a_probability(pairs: list[tuple[float, float | None]]) -> None:
    found = judged([hit(str(n), *pair) for n, pair in enumerate(pairs)], PromptKind.QUESTION)
    assert sorted(one.conversation for one in found) == [str(n) for n in range(len(pairs))]
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= one.confidence <= 1.0 for one in found)
    assert all(one.sure for one in found if one.confidence > SURE)


@given(st.lists(st.tuples(SHARES, SHARES), max_size=14), SHARES)
def test_a_missing_vector_costs_no_confidence(
    pairs: list[tuple[float, float]], share: float
) -> None:
    others = [hit(str(n), *pair) for n, pair in enumerate(pairs)]
    without = [hit(str(n), held) for n, (held, _) in enumerate(pairs)]
    sure = {
        one.confidence
        for rest in (others, without)
        for one in judged([hit("new", share), *rest], PromptKind.QUESTION)
        if one.conversation == "new"
    }
    assert len(sure) == 1


def test_nothing_found_is_nothing_judged() -> None:
    assert judged([], PromptKind.ORDER) == []


@pytest.mark.parametrize(
    ("question", "sure"),
    [("Which colour has the grid in the light theme?", False),
     ("Which colour has the grid in the dark theme?", True),
     ("Which queue does the heron importer use?", False),
     ("Which queue does the gannet importer use?", True),
     ("Which queue does the importer for gannets employ?", True),
     ("Which bucket does production write to?", False),
     ("Which bucket does staging write to?", True)],
)  # fmt: skip
def test_another_thing_of_the_kind_asked_for_is_not_sure(
    question: str, sure: bool, archive: Archive
) -> None:
    for name, asked, told in (
        ("a", "add a dark theme", "Dark theme added: the colour of the grid is #22303c."),
        ("b", "Which queue does the gannet importer use?", "The gannet importer uses slow-lane."),
        ("c", "where does staging write?", "Staging writes to the bucket reeds-two."),
        ("d", "sort the product list", "The product list is sorted by name in production code."),
        *((f"n{day}", f"tidy shelf {day}", f"Shelf {day} is tidy.") for day in range(12)),
    ):
        archive.put(session(name, (USER, asked), (ASSISTANT, told)))
    hits = Recall(archive).search(question, workspace="/w")
    assert any(one.sure for one in hits) is sure


def test_both_things_of_a_kind_in_one_answer_are_what_was_asked_for(archive: Archive) -> None:
    told = "The light theme has a white grid, the dark theme a grey one."
    archive.put(session("a", (USER, "add themes for the grid"), (ASSISTANT, told)))
    for theme in ("light", "dark"):
        question = f"which colour has the grid in the {theme} theme?"
        assert not Recall(archive).search(question, workspace="/w")[0].evidence.another
