"""Threads: updates join, whatever is settled, replaced or cut off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Conversation, Role, Text, Turn
from dejavu.providers.conversation_builder import ConversationBuilder

HEAD = Conversation(id="c", agent="claude")


def turn(words: str, role: Role = Role.USER, at: float | None = None) -> Turn:
    return Turn(role=role, parts=(Text(words),), at=at)


def test_gives_what_changed_once() -> None:
    thread = ConversationBuilder(HEAD)
    thread.append(turn("Hello\nthere", at=5.0))
    thread.append(turn("Hi", Role.ASSISTANT, at=7.0))
    update = thread.take()
    assert update is not None
    assert (update.start, [t.seq for t in update.turns]) == (0, [0, 1])
    head = update.conversation
    assert (head.title, head.turn_count, head.started_at, head.ended_at) == ("Hello", 2, 5.0, 7.0)
    assert thread.take() is None
    thread.replace(1, turn("Hi!", Role.ASSISTANT))
    update = thread.take()
    assert update is not None
    assert (update.start, [t.text for t in update.turns]) == (1, ["Hi!"])


def test_forgets_what_is_settled_but_not_before_it_was_told() -> None:
    thread = ConversationBuilder(HEAD)
    for words in "abc":
        thread.append(turn(words))
    thread.freeze_before(2)
    assert thread.get(0) is not None
    thread.take()
    assert thread.get(1) is None
    assert thread.get(2) is not None
    with pytest.raises(IndexError):
        thread.replace(1, turn("x"))
    assert len(thread) == 3


def test_a_title_follows_its_prompt_until_the_agent_gives_one() -> None:
    thread = ConversationBuilder(HEAD)
    thread.append(turn("x" * 300))
    first = thread.take()
    assert first is not None
    assert first.conversation.title == "x" * 199 + "…"
    thread.replace(0, turn("better"))
    thread = _resumed(thread)
    second = thread.take()
    assert second is None or second.conversation.title == "better"
    thread.set_summary(Conversation(id="c", agent="claude", title="Given"))
    thread.append(turn("another"))
    third = thread.take()
    assert third is not None
    assert third.conversation.title == "Given"


def _resumed(thread: ConversationBuilder) -> ConversationBuilder:
    thread.take()
    return ConversationBuilder(*thread.dump())


def test_says_nothing_of_a_conversation_in_which_nothing_was_said() -> None:
    thread = ConversationBuilder(HEAD)
    thread.set_summary(Conversation(id="c", agent="claude", workspace="/work"))
    assert thread.take() is None
    thread.append(turn("now"))
    update = thread.take()
    assert update is not None
    assert update.conversation.workspace == "/work"


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.text(max_size=3)),
        st.tuples(st.just("replace"), st.integers(0, 9)),
        st.tuples(st.just("truncate"), st.integers(0, 9)),
        st.tuples(st.just("settle"), st.integers(0, 9)),
        st.tuples(st.just("take"), st.none()),
        st.tuples(st.just("resume"), st.none()),
    )
)


@given(STEPS)
def test_updates_always_add_up_to_the_turns(steps: list[tuple[str, object]]) -> None:
    thread, told, model = ConversationBuilder(HEAD), [], []

    def take() -> None:
        if (update := thread.take()) is not None:
            assert update.start <= len(told)
            told[update.start :] = [t.text for t in update.turns]

    for name, value in steps:
        if name == "append":
            thread.append(turn(str(value)))
            model.append(str(value))
        elif name == "replace" and thread.get(int(str(value))) is not None:
            thread.replace(int(str(value)), turn("new"))
            model[int(str(value))] = "new"
        elif name == "truncate" and int(str(value)) <= len(thread):
            thread.truncate(int(str(value)))
            del model[int(str(value)) :]
        elif name == "settle":
            thread.freeze_before(min(int(str(value)), len(thread)))
        elif name in ("take", "resume"):
            take()
            thread = ConversationBuilder(*thread.dump()) if name == "resume" else thread
    take()
    assert told == model
