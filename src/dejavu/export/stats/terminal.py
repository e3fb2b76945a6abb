"""Usage for a terminal: totals, bars, and a year as a calendar of shades.

Lines are safe to show. Everything is said by shape and number; `paint` only adds to it.
O(groups + days shown).
"""

from collections.abc import Callable, Iterator
from datetime import date

from wcwidth import wcswidth

from dejavu.redact.sanitise import sanitise

from ..html.format import amount, counted, money
from .aggregate import Figures, Measure, UsageTotals, ranked
from .calendar import Day, months, weeks

_SHOWN = 12
"""Rows of a group; the rest is summed up in one."""
_BAR = 24
_COLUMNS = 74
"""Cells the full columns may take."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_SHADES = "·░▒▓█"
_WEEKDAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")
_MARGIN = 5

Paint = Callable[[str, str], str]


def as_lines(
    usage: UsageTotals, *, today: date, width: int, paint: Paint, measure: Measure = Measure.TURNS
) -> Iterator[str]:
    """The lines; `measure` says what bars and calendar show."""
    yield " · ".join(totals(usage.total))
    for title, groups in (
        ("Agents", usage.agents),
        ("Models", usage.models),
        ("Workspaces", usage.workspaces),
    ):
        if groups:
            yield ""
            yield paint(title, "1")
            yield from _bars(ranked(groups, measure), measure, width, paint)
    if usage.days:
        yield ""
        yield from _calendar(usage, today, width, paint, measure)


def totals(figures: Figures) -> list[str]:
    """The sums in words, those that say something."""
    facts = [counted(figures.conversations, "conversation"), counted(figures.turns, "turn")]
    if figures.input_tokens or figures.output_tokens:
        cached = figures.cached_tokens / figures.input_tokens if figures.input_tokens else 0
        share = f" ({cached:.0%} from the cache)" if cached else ""
        facts.append(f"{amount(figures.input_tokens)} tokens read{share}")
        facts.append(f"{amount(figures.output_tokens)} written")
    if figures.cost:
        facts.append(money(figures.cost))
    return facts


def worded(value: float, measure: Measure) -> str:
    """A value of `measure` in words."""
    if measure is Measure.COST:
        return money(value)
    if measure is Measure.TOKENS:
        return f"{amount(int(value))} tokens"
    return counted(int(value), measure[:-1])


def _bars(
    groups: list[tuple[str, Figures]], measure: Measure, width: int, paint: Paint
) -> Iterator[str]:
    most = max((group.value(measure) for _, group in groups), default=0) or 1
    shown = groups if len(groups) <= _SHOWN else groups[: _SHOWN - 1]
    names = [_cut(name or "-", max(12, width // 3)) for name, _ in shown]
    wide = max(map(wcswidth, names))
    facts = [[worded(group.value(measure), measure)] for _, group in shown]
    if width >= wide + _BAR + _COLUMNS:
        facts = [_columns(group) for _, group in shown]
    edges = [max(map(len, column)) for column in zip(*facts, strict=True)]
    for name, (_, group), cells in zip(names, shown, facts, strict=True):
        bar = paint(_bar(group.value(measure) / most), "36")
        row = "  ".join(cell.rjust(edge) for cell, edge in zip(cells, edges, strict=True))
        yield f"  {name}{' ' * (wide - wcswidth(name))}  {bar}  {row}".rstrip()
    if rest := groups[len(shown) :]:
        value = sum(group.value(measure) for _, group in rest)
        yield paint(f"  and {len(rest)} more, {worded(value, measure)}", "2")


def _columns(figures: Figures) -> list[str]:
    return [
        # `1 turn ` beside `12 turns`: the numbers stand under one another.
        counted(figures.conversations, "conversation ", "conversations"),
        counted(figures.turns, "turn ", "turns"),
        f"{amount(figures.input_tokens)} read" if figures.input_tokens else "",
        f"{amount(figures.output_tokens)} written" if figures.output_tokens else "",
        money(figures.cost) if figures.cost else "",
    ]


def _bar(share: float) -> str:
    eighths = max(1, round(share * _BAR * 8)) if share > 0 else 0
    full, part = divmod(eighths, 8)
    return ("█" * full + _EIGHTHS[part].strip()).ljust(_BAR)


def _cut(name: str, most: int) -> str:
    """The end of a long name: folders differ there."""
    safe = sanitise(name, newlines=False)
    while wcswidth(safe) > most:
        safe = "…" + safe[2:]
    return safe


def _calendar(
    usage: UsageTotals, today: date, width: int, paint: Paint, measure: Measure
) -> Iterator[str]:
    room = width - _MARGIN
    values = {day: group.value(measure) for day, group in usage.days.items()}
    first = min(values)
    wanted = min(53, max(4, (today - first).days // 7 + 2))
    cell = 2 if room >= wanted * 2 else 1
    columns = weeks(values, today, min(wanted, room // cell))
    busiest = max((day for week in columns for day in week), key=lambda day: day.value)
    yield paint(f"{str(measure).capitalize()} a day", "1")
    yield " " * _MARGIN + _months(columns, cell)
    for weekday, label in enumerate(_WEEKDAYS):
        cells = (_cell(week[weekday], cell, paint) for week in columns)
        yield f"{label:{_MARGIN}}{''.join(cells)}".rstrip()
    legend = " ".join(_SHADES)
    yield (
        " " * _MARGIN
        + f"less {legend} more"
        + (f"; most on {busiest.date}: {worded(busiest.value, measure)}" if busiest.value else "")
    )


def _months(columns: list[list[Day]], cell: int) -> str:
    line = ""
    for name, width in months(columns):
        room = width * cell
        line += (name if len(name) < room else "").ljust(room)
    return line.rstrip()


def _cell(day: Day, cell: int, paint: Paint) -> str:
    if day.level < 0:
        return " " * cell
    shade = _SHADES[day.level].ljust(cell)
    return paint(shade, "2" if day.level == 0 else "36")
