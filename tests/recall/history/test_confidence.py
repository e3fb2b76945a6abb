"""The order of hits: meaning and words together, and words alone where they lead clearly."""

from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Role
from dejavu.recall import Kind, RecallHit
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
