"""A year of days in columns of weeks, Monday first, each day with a level from 0 to 4.

Levels are quarters of the days on which anything happened, so that one busy day does not pale the
others. O(days shown).
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple


class Day(NamedTuple):
    """A day, its value and its level; days after the last one shown have level -1."""

    date: date
    value: float
    level: int


def weeks(values: Mapping[date, float], last: date, count: int) -> list[list[Day]]:
    """The last `count` weeks up to the one with `last` in it."""
    monday = last - timedelta(days=last.weekday(), weeks=count - 1)
    days = [monday + timedelta(days=number) for number in range(7 * count)]
    edges = _quarters([values[day] for day in days if values.get(day, 0) > 0 and day <= last])
    shown = [
        Day(day, value, -1 if day > last else _level(value, edges))
        for day in days
        for value in (values.get(day, 0.0),)
    ]
    return [shown[start : start + 7] for start in range(0, len(shown), 7)]


def months(columns: Sequence[Sequence[Day]]) -> list[tuple[str, int]]:
    """The name of each month and how many columns it takes."""
    named: list[tuple[str, int]] = []
    before: tuple[int, int] | None = None
    for week in columns:
        day = week[0].date
        month = (day.year, day.month)
        if month == before:
            name, width = named.pop()
            named.append((name, width + 1))
        else:
            named.append((f"{day:%b}", 1))
        before = month
    return named


def _quarters(values: list[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered[(len(ordered) - 1) * quarter // 4] for quarter in (1, 2, 3)] if ordered else []


def _level(value: float, edges: list[float]) -> int:
    return 0 if value <= 0 else 1 + sum(value > edge for edge in edges)
