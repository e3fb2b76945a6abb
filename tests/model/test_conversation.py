from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Conversation, Role, Text, Turn, Usage, Vector, conversation_id
from dejavu.model.conversation import usage_delta, usage_max

COUNT = st.none() | st.integers(0, 99)
USAGE = st.builds(Usage, input_tokens=COUNT, output_tokens=COUNT)


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_id_is_stable_short_and_safe(agent: str, instance: str, native: str) -> None:
    identity = conversation_id(agent, instance, native)
    assert identity == conversation_id(agent, instance, native)
    assert len(identity) == 16
    assert identity.isalnum()
    assert identity == identity.lower()


def test_same_native_id_in_two_instances_is_two_conversations() -> None:
    assert conversation_id("claude", "a", "x") != conversation_id("claude", "b", "x")
    assert conversation_id("a", "b", "x") != conversation_id("ab", "", "x")


def _turn(
    text: str, at: float | None, vector: Vector = Vector.NATIVE, role: Role = Role.USER
) -> Turn:
    return Turn(role=role, parts=(Text(text),), at=at, vector=vector)


def test_with_turns_derives_what_follows() -> None:
    base = Conversation(id="x", agent="claude")
    whole = base.with_turns(
        (
            _turn("system text", 1.0, role=Role.SYSTEM),
            _turn("first line\nsecond", 2.0),
            _turn("answer", 9.0, Vector.SCREEN, Role.ASSISTANT),
        )
    )
    assert [turn.seq for turn in whole.turns] == [0, 1, 2]
    assert whole.turn_count == 3
    assert whole.vectors == (Vector.NATIVE, Vector.SCREEN)
    assert (whole.started_at, whole.ended_at) == (1.0, 9.0)
    assert whole.title == "first line"


def test_long_titles_are_cut_with_an_ellipsis() -> None:
    whole = Conversation(id="x", agent="a").with_turns((_turn("w" * 300, None),))
    assert len(whole.title) == 200
    assert whole.title.endswith("…")


def test_known_title_and_wider_moments_stay() -> None:
    base = Conversation(id="x", agent="a", title="mine", started_at=0.5, ended_at=99.0)
    whole = base.with_turns((_turn("t", 5.0),))
    assert (whole.title, whole.started_at, whole.ended_at) == ("mine", 0.5, 99.0)


@given(USAGE, USAGE)
def test_the_parts_of_a_growing_count_add_up_to_the_greatest(one: Usage, other: Usage) -> None:
    total = usage_max(one, other)
    rest = usage_delta(total, one)
    assert total is not None
    assert rest is not None
    for name in ("input_tokens", "output_tokens"):
        a, b, whole = getattr(one, name), getattr(rest, name), getattr(total, name)
        assert (whole or 0) == max(a or 0, getattr(other, name) or 0)
        assert b is None or b == (whole or 0) - (a or 0)


def test_no_count_is_no_count() -> None:
    assert usage_max(None, None) is None
    assert usage_max(Usage(), Usage(cost=0.1)) == Usage(cost=0.1)
    assert usage_max(None, Usage(input_tokens=1)) == Usage(input_tokens=1)
    assert usage_delta(None, None) is None
