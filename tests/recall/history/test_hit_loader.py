"""Reading: turns are kept between questions, and let go of when they change."""

from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive
from dejavu.model import Role, Text, Turn
from dejavu.recall import Recall
from dejavu.recall.history.events import events
from dejavu.recall.history.hit_loader import TurnCache, around


def test_what_changed_is_let_go(told: Archive) -> None:
    recall = Recall(told)
    assert (
        recall.search("acrylic paint fence")[0].excerpt == "Acrylic paint dries quickly on a fence."
    )
    told.put(
        session("other", (USER, "Which paint dries?"), (ASSISTANT, "Oil paint, on a fence."),
                workspace="/x")
    )  # fmt: skip
    assert "Oil" in {hit.excerpt.split()[0] for hit in recall.search("paint on a fence")}


def test_kept_follows_the_log(told: Archive) -> None:
    kept = TurnCache()
    kept.turns[99, 0] = None
    kept.follow(told, 4)
    assert kept.turns == {(99, 0): None}
    told.put(session("one-more", (USER, "hello")))
    number = next(iter(told.log(4))).number
    kept.turns[number, 0] = None
    kept.follow(told, 0)
    assert kept.turns == {(99, 0): None}


def test_the_part_that_answers_is_shown() -> None:
    text = "begin " + "filler words here " * 200 + "the zebra crossing " + "more words " * 200
    (event,) = events(Turn(role=Role.USER, parts=(Text(text),)))
    assert "zebra" in around(event, {"zebra": 1.0})
    assert around(event, {}).startswith("begin")


def test_one_word_of_a_longer_prompt_is_found_and_not_sure(told: Archive) -> None:
    recall = Recall(told)
    recall.catch_up()
    assert recall.search("which paint dries quickly on a fence?")[0].sure
    found = recall.search("hang the paint brush calendar upside down")
    assert found
    assert not any(hit.sure for hit in found)
    assert recall.search("polish `RetryBudget` until sunrise tomorrow", floor=0.01)
