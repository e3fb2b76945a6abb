"""A question that is made already is answered as the arguments of the public calls are."""

import re

from dejavu.archive import Archive
from dejavu.recall import Recall, inject
from dejavu.recall.injection import FLOOR, LIMIT, context_for
from dejavu.recall.question import Question

PROMPT = "why does the retry budget of the gateway run dry?"


def test_the_ranking_takes_it_whole(told: Archive) -> None:
    recall = Recall(told, clock=lambda: 2_000_000_000.0)
    for workspace, limit, spoken in (("/w", 2, False), (None, 10, True)):
        asked = Question(PROMPT, limit, workspace, spoken=spoken, floor=0.1)
        hits = recall.search(PROMPT, limit, workspace, spoken=spoken, floor=0.1)
        assert hits
        assert (
            recall.answer(asked).hits
            == hits
            == recall.ask(*asked[:3], spoken=spoken, floor=0.1).hits
        )


def _without_nonce(block: str) -> str:
    return re.sub(r"\b[0-9a-f]{32}\b", "", block)


def test_the_block_is_that_of_inject(told: Archive) -> None:
    asked = Question(PROMPT, LIMIT, "/w", spoken=True, floor=FLOOR)
    made, plain = context_for(told, asked), inject(told, PROMPT, workspace="/w")
    assert "RetryBudget.tick" in made
    assert _without_nonce(made) == _without_nonce(plain)


def test_a_session_is_given_a_record_once(told: Archive) -> None:
    asked = Question(PROMPT, LIMIT, "/w", spoken=True, floor=FLOOR, session="s")
    assert "RetryBudget.tick" in context_for(told, asked)
    assert "RetryBudget.tick" not in context_for(told, asked)
    assert "RetryBudget.tick" in context_for(told, asked._replace(session="t"))
