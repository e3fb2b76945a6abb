from datetime import date

import pytest
from wcwidth import wcswidth

from dejavu.export.stats.aggregate import UsageTotals
from dejavu.export.stats.figures import Figures, Measure
from dejavu.export.stats.terminal import as_lines, as_table, totals, worded

TODAY = date(2026, 11, 21)


def _figures(turns: int) -> Figures:
    return Figures(
        conversations=1, turns=turns, input_tokens=turns * 1000, output_tokens=5, cost=0.5
    )


TALLY = UsageTotals(
    total=Figures(
        conversations=3, turns=120, input_tokens=1000, cached_tokens=500, output_tokens=7, cost=2.0
    ),
    agents={"claude": _figures(100), "amp": _figures(20)},
    projects={f"/home/ada/{'深' * 20}{n}": _figures(n) for n in range(30)},
    models={"evil\x1b[31m\u202emodel": _figures(3)},
    days={date(2026, 11, 20): _figures(4), date(2026, 3, 2): _figures(400)},
)


def _lines(usage: UsageTotals, width: int = 80, measure: Measure = Measure.TURNS) -> list[str]:
    return list(
        as_lines(usage, today=TODAY, width=width, paint=lambda text, _: text, measure=measure)
    )


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_lines_fit_and_nothing_hidden_is_printed(width: int) -> None:
    lines = _lines(TALLY, width)[1:]
    assert max(map(wcswidth, lines)) <= max(width, 76)
    assert not any("\x1b" in line or "\u202e" in line for line in lines)


def test_bars_are_as_long_as_their_share() -> None:
    lines = _lines(TALLY)
    claude, amp = (next(line for line in lines if name in line) for name in ("claude", "amp "))
    assert claude.count("█") == 24
    assert amp.count("█") == 4
    assert "▊" in amp  # 20 of 100 in 24 cells: 4.8


def test_long_groups_are_summed_up() -> None:
    lines = _lines(TALLY)
    assert any(line.startswith("  and 19 more, 171 turns") for line in lines)
    assert sum("深" in line for line in lines) == 11


def test_the_calendar_shows_the_busy_days() -> None:
    lines = _lines(TALLY)
    start = lines.index("Turns a day")
    friday, monday = (
        next(line for line in lines[start:] if line.startswith(day)) for day in ("Fri", "Mon")
    )
    assert friday.rstrip()[-1] == "░"
    assert "█" in monday or "▒" in monday
    assert lines[-1].endswith("most on 2026-03-02: 400 turns")


def test_what_is_measured_is_named() -> None:
    lines = _lines(TALLY, measure=Measure.COST)
    assert "Cost a day" in lines
    assert any("claude" in line and "$0.50" in line for line in lines)


def test_nothing_captured() -> None:
    assert _lines(UsageTotals()) == ["0 conversations · 0 turns"]


def test_totals_leave_out_what_nobody_said() -> None:
    assert totals(Figures(conversations=1, turns=2)) == ["1 conversation", "2 turns"]
    assert totals(TALLY.total)[2] == "1.0k tokens read (50% from the cache)"


def test_values_are_worded() -> None:
    assert worded(1, Measure.TURNS) == "1 turn"
    assert worded(2, Measure.CONVERSATIONS) == "2 conversations"
    assert worded(1500, Measure.TOKENS) == "1.5k tokens"
    assert worded(1.5, Measure.COST) == "$1.50"


def test_the_rows_of_models_add_up_to_the_total() -> None:
    lines = list(as_table(TALLY, "model", width=100, paint=lambda text, _: text))
    turns = [(line.rsplit(maxsplit=6)[0].strip(), int(line.split()[-6])) for line in lines[1:]]
    assert [count for _, count in turns] == [3, 117, 120]
    assert [name for name, _ in turns][1:] == ["no model", "total"]
