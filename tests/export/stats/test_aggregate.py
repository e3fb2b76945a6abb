import json
from datetime import UTC, date, timedelta, timezone, tzinfo

from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.stats.aggregate import UsageTotals, aggregate
from dejavu.export.stats.figures import Figures, Measure, ranked, sums_of
from dejavu.model import Conversation, Role, Text, Turn, Usage

DAY = 86_400.0
NOON = 20_000.5 * DAY  # 2024-10-04 12:00 UTC


def _turn(role: Role, at: float | None, **more: object) -> Turn:
    return Turn(role=role, at=at, parts=(Text("x"),), **more)  # type: ignore[arg-type]


def _usage(tokens: int) -> Usage:
    return Usage(
        input_tokens=tokens, output_tokens=2, cache_read_input_tokens=3, cost=tokens / 1000
    )


def _tally(said: list[tuple[Conversation, list[Turn]]], zone: tzinfo) -> UsageTotals:
    return aggregate(((summary, sums_of(turns)) for summary, turns in said), zone=zone)


def _some() -> UsageTotals:
    one = Conversation(id="1", agent="claude", workspace="/a", started_at=NOON)
    two = Conversation(id="2", agent="amp", workspace="/b", started_at=NOON + DAY)
    return _tally(
        [
            (
                one,
                [
                    _turn(Role.USER, NOON),
                    _turn(Role.ASSISTANT, NOON + 5, model="m", usage=_usage(10)),
                    _turn(Role.ASSISTANT, NOON + DAY, model="n", usage=_usage(20)),
                    _turn(Role.TOOL, None),
                ],
            ),
            (two, [_turn(Role.USER, NOON + DAY)]),
        ],
        zone=UTC,
    )


def test_everything_is_counted_once() -> None:
    counted = _some()
    assert counted.total == Figures(
        conversations=2,
        turns=5,
        prompts=2,
        input_tokens=30,
        cached_tokens=6,
        output_tokens=4,
        cost=0.03,
    )
    assert counted.agents["claude"].turns == 4
    assert counted.workspaces["/b"].conversations == 1
    assert counted.models["m"].input_tokens == 10


def test_a_conversation_counts_in_every_day_and_model_it_touches() -> None:
    counted = _some()
    first, second = date(2024, 10, 4), date(2024, 10, 5)
    assert {day: (f.conversations, f.turns) for day, f in counted.days.items()} == {
        first: (1, 3),  # the turn without a time is of the conversation's first day
        second: (2, 2),
    }
    assert counted.months["2024-10"].conversations == 2
    assert counted.models["n"].conversations == 1


def test_days_are_those_of_the_zone() -> None:
    summary = Conversation(id="1", agent="a", started_at=NOON)
    late = _tally(
        [(summary, [_turn(Role.USER, NOON + 11 * 3600)])], zone=timezone(timedelta(hours=2))
    )
    assert list(late.days) == [date(2024, 10, 5)]


def test_json_has_the_largest_first_and_days_in_order() -> None:
    plain = json.loads(json.dumps(_some().to_dict()))
    assert plain["total"]["turns"] == 5
    assert [group["agent"] for group in plain["agents"]] == ["claude", "amp"]
    assert [group["day"] for group in plain["days"]] == ["2024-10-04", "2024-10-05"]
    assert plain["models"][0]["model"] in ("m", "n")
    assert plain["months"][0]["month"] == "2024-10"


def test_groups_are_ranked_by_what_is_asked() -> None:
    groups = {
        "a": Figures(turns=1, cost=5),
        "b": Figures(turns=2, output_tokens=1),
        "c": Figures(turns=2),
    }
    assert [name for name, _ in ranked(groups)] == ["b", "c", "a"]
    assert [name for name, _ in ranked(groups, Measure.COST)] == ["a", "b", "c"]
    assert [name for name, _ in ranked(groups, Measure.TOKENS)] == ["b", "a", "c"]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.lists(st.floats(0, 1e9) | st.none(), max_size=8)),
        max_size=6,
    )
)
def test_groups_add_up_to_the_total(given: list[tuple[int, list[float | None]]]) -> None:
    counted = _tally(
        [
            (Conversation(id=str(n), agent=f"a{agent}"), [_turn(Role.USER, at) for at in moments])
            for n, (agent, moments) in enumerate(given)
        ],
        zone=UTC,
    )
    for groups in (counted.agents, counted.workspaces):
        assert sum(group.turns for group in groups.values()) == counted.total.turns
    dated = sum(at is not None for _, moments in given for at in moments)
    for groups in (counted.days, counted.months):
        assert sum(group.turns for group in groups.values()) == dated
    assert counted.total.conversations == sum(bool(moments) for _, moments in given)
