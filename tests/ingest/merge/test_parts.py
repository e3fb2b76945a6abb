from collections import Counter
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.ingest.merge.merge_turns import by_rank, merge_turns, normalise
from dejavu.ingest.merge.parts import part_keys
from dejavu.model import (
    Extension,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    Vector,
)

LONG = "a sentence with more letters than a chance would have"


def ask(text: str = "why?", vector: Vector = Vector.NATIVE, at: float | None = None) -> Turn:
    return Turn(role=Role.USER, parts=(Text(text),), vector=vector, at=at)


def say(*parts: Part, vector: Vector = Vector.NATIVE) -> Turn:
    return Turn(role=Role.ASSISTANT, parts=parts, vector=vector)


def wire(*parts: Part) -> Turn:
    return say(*parts, vector=Vector.WIRE)


def asked(vector: Vector = Vector.WIRE) -> Turn:
    return ask(vector=vector)


def fused(ours: list[Turn], seen: list[Turn]) -> tuple[list[Turn], Counter[str]]:
    tally: Counter[str] = Counter()
    return list(merge_turns(ours, seen, counts=tally)[0]), tally


def test_a_thought_that_only_the_wire_has_stands_before_the_answer_it_led_to() -> None:
    thought = wire(Reasoning("hm"), Text("because"))
    whole, tally = fused([ask(), say(Text("because"))], [asked(), thought])
    assert [turn.parts for turn in whole] == [
        (Text("why?"),), (Reasoning("hm"),), (Text("because"),)
    ]  # fmt: skip
    assert [turn.vector for turn in whole] == [Vector.NATIVE, Vector.WIRE, Vector.NATIVE]
    assert tally == {"lacked reasoning": 1}


def test_what_a_part_cost_is_counted_once() -> None:
    spent = msgspec.structs.replace(wire(Reasoning("hm"), Text("b")), usage=Usage(output_tokens=9))
    whole, _ = fused([ask(), say(Text("b"))], [asked(), spent])
    assert [turn.usage for turn in whole] == [None, None, None]


def test_a_result_that_the_trace_lost_follows_its_call() -> None:
    call, done = (
        ToolCall("toolu_1", "Bash", {"command": "ls"}),
        ToolCallResponse("toolu_1", "a.txt"),
    )
    result = Turn(role=Role.TOOL, parts=(done,), vector=Vector.HOOK)
    seen = [asked(Vector.HOOK), say(call, vector=Vector.HOOK), result]
    whole, _ = fused([ask(), say(call), say(Text("one file"))], seen)
    assert [turn.parts[0] for turn in whole] == [Text("why?"), call, done, Text("one file")]


def test_a_call_is_known_by_its_id_and_another_id_is_another_call() -> None:
    first, second = (ToolCall(f"toolu_{n}", "Bash", {"command": "ls"}) for n in (1, 2))
    whole, _ = fused([ask(), say(first)], [asked(), wire(first), wire(second)])
    assert [turn.parts[0] for turn in whole[1:]] == [first, second]


def test_ids_of_another_kind_say_nothing() -> None:
    ours, theirs = ToolCall("call_7", "exec", {"cmd": "ls"}), ToolCall("item_1", "shell", "ls")
    whole, tally = fused([ask(), say(ours)], [asked(), wire(theirs)])
    assert (whole, tally) == ([ask(), say(ours)], Counter())


def test_one_text_and_the_same_in_two_are_the_same() -> None:
    apart = [asked(), wire(Text("First.")), wire(Text("Then."))]
    assert fused([ask(), say(Text("First. Then."))], apart)[0] == [ask(), say(Text("First. Then."))]
    two = [ask(), say(Text("First.")), say(Text("Then."))]
    assert fused(two, [asked(), wire(Text("First.\n\nThen."))]) == (two, Counter())


def test_the_same_words_twice_are_two() -> None:
    whole, _ = fused(
        [ask(), say(Text("Done."))], [asked(), wire(Text("Done.")), wire(Text("Done."))]
    )
    assert [turn.text for turn in whole] == ["why?", "Done.", "Done."]


def test_other_words_for_the_same_are_counted_and_not_doubled() -> None:
    ours = [ask(), say(Text("It is so."))]
    assert fused(ours, [asked(), wire(Text("It was so."))]) == (
        ours,
        Counter({"differs answer": 1}),
    )


def test_what_is_not_word_for_word_never_stands_beside_what_is() -> None:
    ours = [ask(), say(Text("One.")), say(Text("Two."))]
    blurred = msgspec.structs.replace(wire(Text("OneTwo One Two")), meta={"verbatim": False})
    extra = [asked(), wire(Text("One.")), wire(Text("Two.")), blurred]
    assert fused(ours, extra)[0] == ours


@pytest.mark.fault("1.12")
def test_what_is_not_word_for_word_never_goes_on_what_is() -> None:
    """1.12: Gemini's hook tells an answer with pieces of it repeated behind."""
    garbled = say(Text(LONG + ". e after the fa ilure."), vector=Vector.HOOK)
    garbled = msgspec.structs.replace(garbled, meta={"verbatim": False})
    ours = [ask(), say(Text(LONG))]
    assert fused(ours, [asked(Vector.HOOK), garbled])[0] == ours


def test_an_error_is_told_once_however_it_is_wrapped() -> None:
    def failed(vector: Vector, message: str) -> Turn:
        told = Extension(f"{vector}.error", {"message": message})
        return Turn(role=Role.SYSTEM, parts=(Text(message), told), vector=vector)

    ours = [ask(), failed(Vector.NATIVE, "API Error: 400 refused by RIG")]
    seen = [asked(), failed(Vector.WIRE, "refused by RIG")]
    assert fused(ours, seen)[0] == ours
    assert len(fused([ask()], seen)[0]) == 2


def test_an_answer_that_broke_off_is_replaced_by_the_longer_one() -> None:
    ours = [ask(), say(Reasoning("hm"), Text("one, tw"))]
    whole, _ = fused(ours, [asked(), wire(Text("one, two, three"))])
    assert [turn.parts for turn in whole[1:]] == [(Reasoning("hm"), Text("one, two, three"))]
    assert whole[1].meta == {"mended_by": "wire"}
    assert fused(whole, [asked(), wire(Text("one, two, three"))])[0] == whole


def test_a_text_that_lost_joiners_is_mended_by_what_was_sent() -> None:
    ours = [ask(), say(Reasoning("the sq uare root"), Text("x y"))]
    whole, tally = fused(ours, [asked(), wire(Reasoning("the square root"), Text("x\u200dy"))])
    assert whole[1].parts == (Reasoning("the square root"), Text("x\u200dy"))
    assert (len(whole), tally) == (2, {"mended answer": 1, "mended reasoning": 1})
    drawn = say(Text("x - y"), vector=Vector.HOOK)
    assert fused(ours, [asked(Vector.HOOK), drawn])[0] == ours, "a hook may tell it otherwise"


@pytest.mark.parametrize("text", ["", "?!", "…"])
def test_prompts_without_letters_are_prompts(text: str) -> None:
    ours = [ask(text), say(Text("yes"))]
    assert len(fused(ours, [ask(text, Vector.HOOK)])[0]) == 2


# -- properties ------------------------------------------------------------------------------------

VECTORS = (Vector.NATIVE, Vector.STREAM, Vector.HOOK, Vector.OTLP, Vector.WIRE)
KINDS = ("answer", "reasoning", "call", "response", "error")

# Short enough that the same answer twice may be chance.
_word = st.text("abcd .", min_size=1, max_size=7)
_answers = st.lists(
    st.tuples(st.booleans(), st.booleans(), _word, st.booleans()), min_size=0, max_size=3
)
_truth = st.lists(st.tuples(st.sampled_from(["go on", "why?", LONG, "?"]), _answers), max_size=4)
_views = st.lists(
    st.tuples(
        st.sampled_from(VECTORS),
        st.sets(st.sampled_from(KINDS)),
        st.sets(st.integers(0, 3)),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda view: view[0],
)


def view(
    truth: list[tuple[str, list[tuple[bool, bool, str, bool]]]],
    vector: Vector,
    kinds: set[str],
    missed: set[int],
) -> list[Turn]:
    """What a vector sees that misses whole exchanges, and all but some kinds of piece."""
    turns: list[Turn] = []
    for number, (prompt, answers) in enumerate(truth):
        if number in missed:
            continue
        at = 10_000.0 * number
        turns.append(ask(prompt, vector, at + vector.rank))
        for place, (thinks, calls, text, fails) in enumerate(answers):
            name = f"toolu_{number}_{place}"
            said: list[Part] = []
            if thinks and "reasoning" in kinds:
                said.append(Reasoning(f"thought {number} {place}"))
            if "answer" in kinds:
                said.append(Text(text))
            if calls and "call" in kinds:
                said.append(ToolCall(name, "Bash", {"command": text}))
            if said:
                turns.append(say(*said, vector=vector))
            if calls and "response" in kinds:
                done = (ToolCallResponse(name, text),)
                turns.append(Turn(role=Role.TOOL, parts=done, vector=vector))
            if fails and "error" in kinds:
                error = (Extension("x.error", {"message": f"failed {number} {place}"}),)
                turns.append(Turn(role=Role.SYSTEM, parts=error, vector=vector))
    return turns


def merge_all(views: list[list[Turn]]) -> tuple[Turn, ...]:
    """The turns of several vectors as one conversation: the best one's decide."""
    merged: tuple[Turn, ...] = ()
    for turns in by_rank(views):
        merged = merge_turns(merged, turns)[0] if merged else tuple(turns)
    return merged


def told(turns: list[Turn] | tuple[Turn, ...]) -> Counter[tuple[str, str]]:
    found = Counter((piece.kind, piece.text) for piece in part_keys(turns, normalise))
    found.update(("prompt", turn.text) for turn in turns if turn.role is Role.USER)
    return found


@settings(max_examples=150, deadline=None)
@given(_truth, _views)
def test_everything_any_vector_saw_is_there_once(
    truth: list[tuple[str, list[tuple[bool, bool, str, bool]]]],
    views: list[tuple[Vector, set[str], set[int]]],
) -> None:
    seen = [view(truth, *one) for one in views]
    whole = merge_all(seen)
    visible = [number for number in range(len(truth)) if any(number not in m for _, _, m in views)]
    assert told(whole) == told_by(truth, views, visible)
    prompts = [turn.text for turn in whole if turn.role is Role.USER]
    assert prompts == [truth[number][0] for number in visible]


def told_by(
    truth: list[tuple[str, list[tuple[bool, bool, str, bool]]]],
    views: list[tuple[Vector, set[str], set[int]]],
    visible: list[int],
) -> Counter[tuple[str, str]]:
    """What all views together saw: of each exchange and kind, what one that saw it saw."""
    whole: Counter[tuple[str, str]] = Counter()
    others = {*range(len(truth))}
    for number in visible:
        best: Counter[tuple[str, str]] = Counter()
        for vector, kinds, missed in views:
            best |= told(view(truth, vector, kinds, missed | (others - {number})))
        whole += best
    return whole


@settings(max_examples=100, deadline=None)
@given(_truth, _views, st.randoms())
def test_the_order_in_which_vectors_arrive_does_not_matter(
    truth: list[tuple[str, list[tuple[bool, bool, str, bool]]]],
    views: list[tuple[Vector, set[str], set[int]]],
    chance: Random,
) -> None:
    seen = [view(truth, *one) for one in views]
    whole = merge_all(seen)
    chance.shuffle(seen)
    assert merge_all(seen) == whole
    for one in seen:
        assert merge_turns(whole, one) == (whole, 0)


@settings(max_examples=100, deadline=None)
@given(_truth, _views)
def test_the_better_vectors_turns_stay_as_they_are(
    truth: list[tuple[str, list[tuple[bool, bool, str, bool]]]],
    views: list[tuple[Vector, set[str], set[int]]],
) -> None:
    seen = [turns for one in views if (turns := view(truth, *one))]
    best = min(seen, key=lambda turns: turns[0].vector.rank, default=[])
    vector = best[0].vector if best else None
    assert [turn for turn in merge_all(seen) if turn.vector is vector] == best
