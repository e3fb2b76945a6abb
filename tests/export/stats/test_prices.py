from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from dejavu.export.stats import aggregate, figures_of, load_prices
from dejavu.export.stats.figures import SIZES, sums_of
from dejavu.export.stats.prices import PriceList
from dejavu.export.stats.terminal import cost_text
from dejavu.model import Conversation, InvalidValueError, Role, Text, Turn, Usage


def _at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


NOV = _at("2026-11-20 12:00")


def _turn(at: float | None = NOV, model: str | None = "claude-opus-5-5", **usage: float) -> Turn:
    counts = Usage(**usage) if usage else None  # type: ignore[arg-type]
    return Turn(role=Role.ASSISTANT, at=at, model=model, parts=(Text("x"),), usage=counts)


def _list(tmp_path: Path, text: str = "") -> PriceList:
    path = tmp_path / "prices.toml"
    if text:
        path.write_text(text)
    return load_prices(path)


def _cost(prices: PriceList, *turns: Turn) -> str:
    return cost_text(figures_of(Conversation(id="1", agent="a"), sums_of(turns), prices))


def test_every_kind_of_token_has_its_price(tmp_path: Path) -> None:
    usage = Usage(
        input_tokens=1_000_000,
        cache_read_input_tokens=600_000,
        cache_creation_input_tokens=300_000,
        cache_creation_1h_input_tokens=200_000,
        output_tokens=10_000,
    )
    # By the vendor's page: 0.1 M at $4, 0.6 M at $0.20, 0.1 M at $5, 0.2 M at $8, 0.01 M at $20.
    by_hand = 0.1 * 4 + 0.6 * 0.2 + 0.1 * 5 + 0.2 * 8 + 0.01 * 20
    estimate = _list(tmp_path).estimate("claude-opus-5-5", usage, at=NOV)
    assert estimate == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("said", "listed"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("openrouter/anthropic/claude-sonnet-4.6", "claude-sonnet-4-6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("claude-opus-4-7[1m]", "claude-opus-4-7"),
        ("claude-sonnet-4@20250514", "claude-sonnet-4-0"),
        ("claude-sonnet-4", "claude-sonnet-4-0"),
        ("Claude Haiku 4.5", "claude-haiku-4-5"),
        ("claude-4.5-sonnet", "claude-sonnet-4-5"),
        ("claude-3.5-sonnet", "claude-3-5-sonnet"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("moonshotai/kimi-k2.6", "kimi-k2.6"),
    ],
)
def test_names_as_agents_write_them(tmp_path: Path, said: str, listed: str) -> None:
    prices = _list(tmp_path)
    assert prices.price(listed, NOV) is not None
    assert prices.price(said, NOV) is prices.price(listed, NOV)


@pytest.mark.parametrize(
    "model",
    ["", "gpt-5.5-fast", "gpt-99", "claude-opus-9", "claude", "sonnet", "rig-model", "[1m]"],
)
def test_what_is_not_listed_has_no_price(tmp_path: Path, model: str) -> None:
    prices = _list(tmp_path)
    assert prices.price(model, NOV) is None
    figures = figures_of(
        Conversation(id="1", agent="a"),
        sums_of([_turn(model=model, input_tokens=7, output_tokens=3)]),
        prices,
    )
    assert (figures.unpriced_tokens, figures.estimated_cost, cost_text(figures)) == (10, 0, "?")


def test_a_price_counts_from_its_day(tmp_path: Path) -> None:
    prices = _list(tmp_path)
    usage = Usage(input_tokens=1_000_000, cache_read_input_tokens=1_000_000)
    before, after = _at("2026-10-06 23:59"), _at("2026-10-07 00:00")
    assert prices.estimate("claude-sonnet-5-5", usage, at=before) == pytest.approx(0.2)
    assert prices.estimate("claude-sonnet-5-5", usage, at=after) == pytest.approx(0.1)
    assert prices.estimate("claude-sonnet-5-5", usage, at=None) == pytest.approx(0.1)


def test_long_requests_cost_more_each_and_not_together(tmp_path: Path) -> None:
    prices = _list(tmp_path)
    short = [_turn(model="gemini-2.5-pro", input_tokens=200_000) for _ in range(2)]
    assert _cost(prices, *short) == "~$0.50"  # 0.4 M at $1.25
    long = _turn(model="gemini-2.5-pro", input_tokens=200_001, output_tokens=100_000)
    assert _cost(prices, long) == "~$2.00"  # 0.2 M at $2.50, 0.1 M at $15
    run = Turn(
        role=Role.ASSISTANT, at=NOV, model="gemini-2.5-pro", parts=(Text("x"),),
        usage=Usage(input_tokens=400_000), meta={"usage_of": "run"},
    )  # fmt: skip
    assert _cost(prices, run) == "~$0.50"


def test_the_lists_tiers_begin_where_sums_are_cut(tmp_path: Path) -> None:
    rows = [row for rows in _list(tmp_path)._models.values() for row in rows]
    assert {tier.above for row in rows for tier in row.tiers} <= set(SIZES)
    assert all(row.cache_read is None or row.cache_read <= row.input for row in rows)


def test_what_agents_say_goes_before_the_list(tmp_path: Path) -> None:
    prices = _list(tmp_path)
    said = _turn(input_tokens=1_000_000, cost=0.25)
    assert _cost(prices, said) == "$0.25"
    assert _cost(prices, said, _turn(input_tokens=1_000_000)) == "~$4.25"
    free = _turn(input_tokens=1_000_000, cost=0.0)  # as under a subscription
    assert _cost(prices, free) == "~$4.00"
    assert _cost(prices, _turn(model="house", input_tokens=5, cost=0.0)) == ""
    assert _cost(prices, said, _turn(model="house", input_tokens=5)) == "$0.25+"


def test_the_users_prices_go_first(tmp_path: Path) -> None:
    prices = _list(
        tmp_path,
        '[models."House-Model"]\ninput = 1\noutput = 2\n'
        '[[models."claude-opus-5-5"]]\ninput = 40\noutput = 1\n',
    )
    assert _cost(prices, _turn(model="x/house-model", input_tokens=1_000_000)) == "~$1.00"
    assert _cost(prices, _turn(input_tokens=1_000_000)) == "~$40.00"
    assert prices.price("gpt-5", NOV) is not None


@pytest.mark.parametrize(
    "text", ['[models.x]\ninput = "1"\noutput = 2\n', "[models.x]\ninput = 1\n", "[[[", "a = 1\n"]
)
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidValueError, match=r"prices\.toml"):
        _list(tmp_path, text)


def test_blocks_are_five_hours_from_the_first_turns_whole_hour(tmp_path: Path) -> None:
    starts = [
        "2026-11-20 09:50", "2026-11-20 13:59", "2026-11-20 14:00", "2026-11-20 20:20",
    ]  # fmt: skip
    turns = [_turn(_at(start), input_tokens=1_000_000) for start in starts]
    counted = aggregate(
        [(Conversation(id="1", agent="a"), sums_of(turns))], zone=UTC, prices=_list(tmp_path)
    )
    rows = [(row["block"], row["turns"], row["estimated_cost"]) for row in counted.rows("block")]
    assert rows == [
        ("2026-11-20T09:00:00+00:00", 2, 8.0),
        ("2026-11-20T14:00:00+00:00", 1, 4.0),
        ("2026-11-20T20:00:00+00:00", 1, 4.0),
    ]
    assert counted.days[date(2026, 11, 20)].estimated_cost == 16.0
