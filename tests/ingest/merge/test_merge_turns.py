import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from dejavu.ingest.merge.merge_turns import merge_turns, normalise
from dejavu.model import Role, Text, ToolCall, Turn, Vector
from dejavu.model.conversation import exchanges


def say(role: Role, text: str, vector: Vector = Vector.NATIVE) -> Turn:
    return Turn(role=role, parts=(Text(text),), vector=vector)


def talk(*pairs: tuple[str, str | None], vector: Vector = Vector.NATIVE) -> list[Turn]:
    turns: list[Turn] = []
    for prompt, answer in pairs:
        turns.append(say(Role.USER, prompt, vector))
        if answer is not None:
            turns.append(say(Role.ASSISTANT, answer, vector))
    return turns


def screen(*pairs: tuple[str, str | None]) -> list[Turn]:
    return talk(*pairs, vector=Vector.SCREEN)


def texts(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.text for turn in turns]


def test_a_complete_trace_is_left_as_it_is() -> None:
    native = talk(("one?", "1"), ("two?", "2"))
    assert merge_turns(native, screen(("one?", "1 as drawn"), ("two?", "2"))) == (tuple(native), 0)


def test_what_the_trace_lacks_comes_from_the_screen() -> None:
    fused, added = merge_turns(
        talk(("one?", "1")), screen(("one?", "1"), ("two?", "2"), ("three?", "3"))
    )
    assert texts(fused) == ["one?", "1", "two?", "2", "three?", "3"]
    assert [turn.vector for turn in fused[2:]] == [Vector.SCREEN] * 4
    assert added == 4


def test_a_missing_answer_is_filled_in_once() -> None:
    fused, added = merge_turns(talk(("one?", None)), screen(("one?", "1")))
    assert (texts(fused), added) == (["one?", "1"], 1)
    assert merge_turns(fused, screen(("one?", "1"))) == (fused, 0)


def test_a_prompt_in_the_middle_keeps_its_place() -> None:
    fused, _ = merge_turns(
        talk(("one?", "1"), ("three?", "3")), screen(("one?", "x"), ("two?", "2"), ("three?", "y"))
    )
    assert texts(fused) == ["one?", "1", "two?", "2", "three?", "3"]


def test_identical_prompts_are_matched_in_order() -> None:
    fused, added = merge_turns(talk(("go on", "1")), screen(("go on", "1"), ("go on", "2")))
    assert (texts(fused), added) == (["go on", "1", "go on", "2"], 2)


def test_a_prompt_cut_short_on_the_screen_is_the_same_prompt() -> None:
    long = "please look at the retry budget and tell me why it is never refilled on Mondays"
    assert merge_turns(talk((long, "1")), screen((long[:50], "1")))[1] == 0


def test_a_tool_call_alone_is_no_answer() -> None:
    native = [say(Role.USER, "do it"), Turn(role=Role.ASSISTANT, parts=(ToolCall("1", "Bash"),))]
    fused, added = merge_turns(native, screen(("do it", "done")))
    assert added == 1
    assert fused[-1].text == "done"


def test_an_answer_taken_while_it_streamed_is_completed_once() -> None:
    native, seen = talk(("count", "one, two, th")), screen(("count", "one, two, three."))
    fused, added = merge_turns(native, seen)
    assert (texts(fused), added) == (["count", "one, two, three."], 1)
    assert merge_turns(fused, seen) == (fused, 0)


def test_a_richer_trace_is_not_replaced_by_its_rendering() -> None:
    native = talk(("why", "## Because\n\n**yes**"))
    assert merge_turns(native, screen(("why", "Because\n\nyes"))) == (tuple(native), 0)


def test_letters_ignore_what_rendering_changes() -> None:
    assert normalise("**Hello**,\n  Wörld_1!") == normalise("hello wörld 1")


_pairs = st.lists(
    st.tuples(st.text("abc", min_size=1, max_size=4), st.text("xyz", min_size=1, max_size=3)),
    max_size=5,
)


@given(_pairs)
def test_fusing_with_itself_changes_nothing(pairs: list[tuple[str, str]]) -> None:
    native = talk(*pairs)
    assert merge_turns(native, screen(*pairs)) == (tuple(native), 0)


@example([("a", "x"), ("a", "x")], [("a", "xx")])
@given(_pairs, _pairs)
@pytest.mark.fault("1.20")
def test_nothing_of_the_trace_is_lost_and_fusing_is_idempotent(
    ours: list[tuple[str, str]], theirs: list[tuple[str, str]]
) -> None:
    # Numbered, or two turns of equal words could not be told apart below.
    native = [replace(turn, meta={"number": n}) for n, turn in enumerate(talk(*ours))]
    fused, _ = merge_turns(native, screen(*theirs))
    kept = [turn for turn in fused if turn.vector is Vector.NATIVE]
    lost = [turn for turn in native if turn not in kept]
    assert [turn for turn in native if turn in kept] == kept
    # At most the answer that was still streaming, and that only for a longer one.
    assert lost in ([], native[-1:])
    assert all(any(turn.text.startswith(cut.text) for turn in fused) for cut in lost)
    assert merge_turns(fused, screen(*theirs)) == (fused, 0)


def test_exchanges_begin_at_prompts() -> None:
    turns = [say(Role.SYSTEM, "s"), *talk(("a", "b"), ("c", None))]
    assert [[turn.text for turn in exchange] for exchange in exchanges(turns)] == [
        ["s"],
        ["a", "b"],
        ["c"],
    ]
