"""Agreement of a screen's reading with a trace of the same session."""

from collections.abc import Sequence

import pytest

from dejavu.model import Part, Role, Text, ToolCall, ToolCallResponse, Turn, Vector
from dejavu.model.conversation import exchanges
from dejavu.scrapers import State
from dejavu.scrapers.self_check import (
    Agreement,
    SelfCheck,
    busy_intervals,
    of_signals,
)

_PROMPT = "Why does the build of the parser fail here?"
_ANSWER = "Because **one** import of the `parser` module is missing:\n\n```py\nimport ast\n```"
_DRAWN = "Because one import of the parser module is missing:\n\nimport ast"


def _turn(role: Role, text: str, at: float = 0.0, seq: int = 0, *more: Part) -> Turn:
    return Turn(seq=seq, role=role, at=at, parts=(Text(text), *more), vector=Vector.NATIVE)


def _exchange(prompt: str = _PROMPT, answer: str = _ANSWER, seq: int = 0) -> list[Turn]:
    return [_turn(Role.USER, prompt, 10.0, seq), _turn(Role.ASSISTANT, answer, 20.0, seq + 1)]


def test_markdown_and_wrapping_do_not_count() -> None:
    agreement, shown = SelfCheck().compare(_exchange(), _exchange(answer=_DRAWN), ())
    assert (agreement.turns, agreement.of_text) == (2, 1.0)
    assert shown is not None


def test_a_prompt_that_was_not_read_costs_half_and_its_answer_counts() -> None:
    drawn = [_turn(Role.ASSISTANT, f"{_PROMPT}\n{_DRAWN}")]
    agreement, shown = SelfCheck().compare(_exchange(), drawn, ())
    assert (agreement.turns, agreement.of_text, shown) == (2, 0.5, None)


def test_an_answer_that_was_lost_counts() -> None:
    agreement, _ = SelfCheck().compare(_exchange(), [_turn(Role.USER, _PROMPT)], ())
    assert agreement.of_text == 0.5


def test_a_command_that_is_not_drawn_as_a_prompt_does_not_count() -> None:
    agreement, _ = SelfCheck().compare([_turn(Role.USER, "/model opus")], [], ())
    assert agreement.of_text is None


def test_equal_prompts_are_told_apart_by_their_order() -> None:
    check, drawn = SelfCheck(), []
    for number in range(3):
        drawn += _exchange("go on", f"It is part {number} of the long story", seq=2 * number)
    for number in range(3):
        wanted = _exchange("go on", f"It is part {number} of the long story")
        agreement, _ = check.compare(wanted, drawn, ())
        assert agreement.of_text == 1.0


def test_settled_turns_count_and_their_number_is_bounded() -> None:
    check = SelfCheck()
    for number in range(500):
        check.settle(_exchange(f"prompt of number {number}", seq=2 * number))
    assert len(check._settled) <= 400  # pyright: ignore[reportPrivateUsage]
    agreement, _ = check.compare(_exchange("prompt of number 499"), (), ())
    assert agreement.of_text == 1.0


@pytest.mark.parametrize(
    ("readings", "share"),
    [
        ([(0.0, State.IDLE), (10.5, State.WORKING)], 1.0),
        ([(0.0, State.IDLE)], 0.0),
        ([(0.0, State.UNKNOWN)], 0.0),
        ([(0.0, State.WORKING), (15.25, State.IDLE)], 0.5),
        ([(0.0, State.BLOCKED)], 1.0),
        ([(0.0, State.WORKING), (12.0, State.IDLE), (12.15, State.WORKING)], 1.0),
        ([(0.0, State.BLOCKED), (12.0, State.UNKNOWN), (13.2, State.BLOCKED)], 1.0),
        ([(0.0, State.BLOCKED), (12.0, State.IDLE), (12.9, State.WORKING)], 1.0),
    ],
)
def test_idle_while_the_trace_goes_on_is_wrong(
    readings: Sequence[tuple[float, State]], share: float
) -> None:
    agreement, _ = SelfCheck().compare(_exchange(), (), readings, with_text=False)
    assert agreement.of_states == pytest.approx(share)
    assert agreement.of_text is None


def test_after_its_last_word_an_agent_may_be_idle() -> None:
    call = ToolCall("1", "sleep")
    later = [
        *_exchange(),
        _turn(Role.ASSISTANT, "The shell has ended.", 60.0, 2, call),
        Turn(role=Role.TOOL, at=70.0, parts=(ToolCallResponse("1", "ok"),)),
    ]
    assert busy_intervals(later) == [(11.0, 19.5), (61.0, 69.5)]


def test_states_that_were_said_count_the_same_however_long_they_lasted() -> None:
    agreement = of_signals(
        {
            ("program-status", State.WORKING, State.WORKING): 900,
            ("program-status", State.BLOCKED, State.IDLE): 100,
            ("title", State.WORKING, State.IDLE): 5000,
        }
    )
    assert agreement.of_states == 0.5


def test_the_score_is_the_lower_one_and_wants_enough_to_judge_by() -> None:
    agreement = Agreement(10, 9.5, {"trace": (10, 4.0), "hook:idle": (2, 0.0)})
    assert agreement.score == pytest.approx(0.2)
    assert agreement.sufficient.score == pytest.approx(0.4)
    assert Agreement(5, 0.0, {"program-status:idle": (39, 0.0)}).sufficient.score is None


def test_older_sums_fade() -> None:
    agreement = Agreement(1000, 0.0, {"trace": (1000, 0.0)}).faded(100)
    agreement.add(Agreement(100, 100.0, {"trace": (100, 100.0)}))
    assert agreement.score == pytest.approx(0.5)


def test_exchanges_begin_at_prompts() -> None:
    assert [len(one) for one in exchanges([_turn(Role.SYSTEM, ""), *_exchange()])] == [1, 2]
