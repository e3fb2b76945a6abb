from dejavu.interfaces.recall_answer import fold
from dejavu.model import Role
from dejavu.recall.history.events import Kind
from dejavu.recall.history.hit_loader import RecallHit


def _hit(conversation: str, seq: int, text: str, *replaces: str) -> RecallHit:
    return RecallHit(
        conversation, seq, Role.USER, 0.5, text, (), None, "claude", "/w", Kind.PROMPT, 1.0,
        question=text, replaces=replaces,
    )  # fmt: skip


def test_an_equal_or_replaced_exchange_is_not_shown() -> None:
    hits = [
        _hit("a", 4, "the budget is 12", "a#4", "b#2"),
        _hit("a", 3, "the budget is 10"),
        _hit("b", 1, "The budget was 8."),
        _hit("c", 0, "the budget is 12!"),
        _hit("d", 0, "another answer"),
    ]
    shown = fold(hits, 5)
    assert [one.hit.event for one in shown] == ["a#5", "d#1"]
    assert [one.more for one in shown] == [1, 0]


def test_a_conversation_shows_three_and_the_others_have_their_place() -> None:
    hits = [_hit("a", seq, f"step {seq}") for seq in range(9)] + [_hit("b", 0, "why")]
    shown = fold(hits, 5)
    assert [one.hit.event for one in shown] == ["a#1", "a#2", "a#3", "b#1"]
    assert [one.more for one in shown] == [0, 0, 6, 0]
    assert [one.hit.event for one in fold(hits, 2)] == ["a#1", "a#2"]
