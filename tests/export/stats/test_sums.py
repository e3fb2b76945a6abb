from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.stats.figures import QUARTER, Sum, sums_of, within
from dejavu.model import Role, Text, Turn, Usage


def _turn(at: float | None, model: str | None = None, tokens: int = 0) -> Turn:
    usage = Usage(input_tokens=tokens, output_tokens=1) if tokens else None
    return Turn(role=Role.USER, at=at, model=model, parts=(Text("x"),), usage=usage)


def test_turns_of_a_quarter_and_a_model_are_one_sum() -> None:
    turns = [_turn(0.0), _turn(899.9), _turn(900.0, "m", 5), _turn(901.0, "m", 6), _turn(None)]
    assert sums_of(turns) == [
        Sum(0, "", turns=2, prompts=2),
        Sum(1, "m", turns=2, prompts=2, input_tokens=11, output_tokens=2),
        Sum(None, "", turns=1, prompts=1),
    ]


def test_a_moment_no_calendar_has_is_none() -> None:
    moments = [float("inf"), float("-inf"), float("nan"), 1e300]
    assert [counted.quarter for counted in sums_of(map(_turn, moments))] == [None]


@given(
    st.lists(st.floats(0, 5 * QUARTER) | st.none(), max_size=20),
    st.floats(0, 5 * QUARTER) | st.none(),
    st.floats(0, 5 * QUARTER) | st.none(),
)
def test_what_lies_within_is_neither_lost_nor_added(
    moments: list[float | None], since: float | None, until: float | None
) -> None:
    def inside(at: float | None) -> bool:
        return at is None or ((since is None or at >= since) and (until is None or at <= until))

    touched = list(within(sums_of(map(_turn, moments)), since, until))
    counted = sum(inside(at) for at in moments)
    assert sum(one.turns for one, whole in touched if whole) <= counted
    assert sum(one.turns for one, _ in touched) >= counted
