from pathlib import Path

import msgspec
import pytest

from dejavu.archive import Batch
from dejavu.archive.access import open_archive
from dejavu.interfaces.recall_answer import (
    Recalled,
    RecalledMemory,
    fold,
    recall,
    workspace_in,
)
from dejavu.model import (
    AT_END,
    Conversation,
    ConversationFilter,
    NotFoundError,
    Role,
    TurnUpdate,
)
from dejavu.recall import Answer, Memory, RecallResult, inject
from dejavu.recall.history.events import Kind
from dejavu.recall.history.hit_loader import RecallHit


def _hit(conversation: str, seq: int, text: str, *replaces: str) -> RecallHit:
    return RecallHit(
        conversation, seq, Role.USER, 0.5, text, (), None, "claude", "/w", Kind.PROMPT, 1.0,
        question=text, replaces=replaces,
    )  # fmt: skip


def test_an_equal_exchange_is_not_shown_and_a_replaced_one_says_by_what() -> None:
    hits = [
        _hit("a", 4, "the budget is 12", "a#4", "b#2"),
        _hit("a", 3, "the budget is 10", "b#2"),
        _hit("b", 1, "The budget was 8."),
        _hit("c", 0, "the budget is 12!"),
        _hit("d", 0, "another answer"),
    ]
    shown = fold(hits, 5)
    assert [one.hit.event for one in shown] == ["a#5", "a#4", "b#2", "d#1"]
    assert [one.replaced_by for one in shown] == ["", "a#5", "a#5", ""]
    assert shown[0].changes == ["replaces a#4, b#2"]
    assert shown[1].changes == ["replaces b#2", "replaced by a#5"]
    many = _hit("a", 4, "now", "a#1", "a#2", "a\x1b[2J#3")
    assert fold([many], 1)[0].changes == ["replaces a#1, a#2 and 1 more"]


def test_a_conversation_shows_three_and_the_others_have_their_place() -> None:
    hits = [_hit("a", seq, f"step {seq}") for seq in range(9)] + [_hit("b", 0, "why")]
    shown = fold(hits, 5)
    assert [one.hit.event for one in shown] == ["a#1", "a#2", "a#3", "b#1"]
    assert [one.more for one in shown] == [0, 0, 6, 0]
    assert [one.hit.event for one in fold(hits, 2)] == ["a#1", "a#2"]


def test_what_is_said_of_an_answer() -> None:
    sure, unsure = _hit("a", 1, "yes")._replace(sure=True), _hit("b", 1, "perhaps")

    def found(*hits: RecallHit, behind: int = 0, notes: tuple[str, ...] = ()) -> Recalled:
        return Recalled("why\x1b[2J?", [], Answer([*hits], notes, behind), fold(hits, 5))

    assert found(sure, unsure).remarks == []
    assert (found(sure, unsure).counts, found().counts) == ("2 exchanges, 1 sure", "")
    assert [one.word for one in found(sure, unsure).shown] == ["sure", "unsure"]
    assert found(unsure).remarks == ["no certain answer to 'why?'; the closest matches:"]
    assert found().remarks == ["nothing recalled for 'why?'"]
    [behind, common] = found(behind=2, notes=("the",)).remarks
    assert behind.startswith("2 conversations are not in the recall index yet")
    assert common == "'the' occurs too often here to search by"


def test_a_replaced_answer_is_not_counted_as_sure() -> None:
    older = _hit("a", 1, "it was 8")._replace(sure=True)
    newer = _hit("b", 1, "it is 9", older.event)._replace(sure=True)
    found = Recalled("how many?", [], Answer([newer, older]), fold([newer, older], 5))
    assert found.counts == "2 exchanges, 1 sure"
    assert [one.word for one in found.shown] == ["sure", "unsure"]
    document = found.document()
    assert [hit["replaced_by"] for hit in document["hits"]] == ["", newer.event]
    assert [hit["conversation"] for hit in document["uncertain"]] == ["a"]


def test_a_memory_is_sure_where_it_would_be_put_before_the_prompt(home: Path) -> None:
    with open_archive(write=True) as archive:
        Memory(archive).remember("Carol reports to Ann since May")
        near = recall(archive, "who reports to Ann?", 5, None)
        far = recall(archive, "what does Ann's report on whales say about Norway?", 5, None)
        for found in (near, far):
            block = inject(archive, found.question)
            assert bool(block) is found.memories[0].sure
    assert (near.counts, near.doubt) == ("1 memory, 1 sure", "")
    assert near.document()["memories"][0]["sure"] is True
    assert far.counts == "1 memory, 0 sure"
    assert far.doubt.startswith("no certain answer to ")


def test_one_sure_memory_is_a_certain_answer() -> None:
    known = RecallResult(
        id="1", text="yes", score=0.8, relevance=0.8, confidence=0.5, created_at=1.0
    )
    unsure = [_hit("b", 1, "perhaps")]

    def doubt(*, sure: bool) -> str:
        return Recalled(
            "why?", [RecalledMemory(known, sure)], Answer(unsure), fold(unsure, 5)
        ).doubt

    assert doubt(sure=True) == ""
    assert doubt(sure=False) == "no certain answer to 'why?'; the closest matches:"


def test_asking_logs_what_was_shown_and_no_more(archived: list[Conversation]) -> None:
    with open_archive() as archive:
        found = recall(archive, "why does the retry_budget run dry?", 1, None)
        assert [one.hit.conversation for one in found.shown] == [archived[1].id]
        [entry] = Memory(archive).recall_log()
        assert [hit.id for hit in entry.hits] == [found.shown[0].hit.event]
        assert found.logged
        every = recall(archive, "why does the retry_budget run dry?", 9, None, flat=True)
        assert [hit.id for hit in Memory(archive).recall_log()[0].hits] == [
            hit.event for hit in every.answer.hits
        ]


def test_a_project_is_asked_by_a_folder_of_it(archived: list[Conversation]) -> None:
    with open_archive(write=True) as archive:
        assert workspace_in(archive, ConversationFilter()) is None
        assert workspace_in(archive, ConversationFilter(workspace="/w")) == "/w"
        named = msgspec.structs.replace(archive.summary(archived[1].id), project="h/acme/shop")
        archive.commit(Batch(updates=[TurnUpdate(named, AT_END, ())]))
        assert workspace_in(archive, ConversationFilter(project="acme/shop")) == "/work/retry"
        with pytest.raises(NotFoundError, match="acme/none"):
            workspace_in(archive, ConversationFilter(project="acme/none"))
