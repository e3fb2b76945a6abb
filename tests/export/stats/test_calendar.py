from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.stats.calendar import months, weeks

LAST = date(2026, 11, 21)  # a Saturday


def test_weeks_begin_on_monday_and_end_with_the_last_day() -> None:
    columns = weeks({}, LAST, 3)
    assert [len(week) for week in columns] == [7, 7, 7]
    assert columns[0][0].date == date(2026, 11, 2)
    assert [day.level for day in columns[-1]] == [0, 0, 0, 0, 0, 0, -1]


def test_levels_are_quarters_of_the_active_days() -> None:
    values = {LAST - timedelta(days=n): value for n, value in enumerate([1.0, 2.0, 3.0, 1000.0])}
    levels = {day.value: day.level for week in weeks(values, LAST, 2) for day in week}
    assert levels == {0.0: levels[0.0], 1.0: 1, 2.0: 2, 3.0: 3, 1000.0: 4}


def test_days_all_alike_are_all_pale() -> None:
    values = {LAST - timedelta(days=n): 5.0 for n in range(5)}
    assert {day.level for week in weeks(values, LAST, 1) for day in week if day.value} == {1}


def test_months_cover_the_columns() -> None:
    columns = weeks({}, LAST, 53)
    named = months(columns)
    assert sum(width for _, width in named) == 53
    assert named[0] == ("Nov", 2)
    assert [name for name, _ in named[1:4]] == ["Dec", "Jan", "Feb"]


@given(
    st.dictionaries(st.dates(date(2025, 1, 1), date(2027, 1, 1)), st.floats(0, 1e9)),
    st.integers(1, 60),
)
def test_every_day_stands_once_with_its_value(values: dict[date, float], count: int) -> None:
    shown = [day for week in weeks(values, LAST, count) for day in week]
    assert [day.date for day in shown] == [shown[0].date + timedelta(n) for n in range(7 * count)]
    for day in shown:
        assert day.value == values.get(day.date, 0.0)
        assert (day.level == -1) == (day.date > LAST)
        assert -1 <= day.level <= 4
        if day.level > 0:
            assert day.value > 0
