"""Usage for a terminal: totals, bars, and a year as a calendar of shades.

Lines are safe to show. Everything is said by shape and number; `paint` only adds to it.
O(groups + days shown).
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any

import msgspec
from wcwidth import wcswidth

from dejavu.model.plural import counted
from dejavu.redact.sanitise import sanitise

from ..html.format import amount, money
from .aggregate import UsageTotals
from .calendar import Day, months, weeks
from .figures import Figures, Measure, ranked

_SHOWN = 12
"""Rows of a group; the rest is summed up in one."""
_BAR = 24
_COLUMNS = 74
"""Cells the full columns may take."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_SHADES = "·░▒▓█"
_WEEKDAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")
_MARGIN = 5
_PLACES = ("project", "workspace")

Paint = Callable[[str, str], str]
Place = Callable[[str], str]
"""How a project or folder is shown; as it is by default."""


def as_lines(
    usage: UsageTotals,
    *,
    today: date,
    width: int,
    paint: Paint,
    measure: Measure = Measure.TURNS,
    place: Place = str,
) -> Iterator[str]:
    """The lines; `measure` says what bars and calendar show."""
    yield " · ".join(totals(usage.total))
    for title, groups in (
        ("Agents", usage.agents),
        ("Models", usage.models),
        ("Projects", usage.projects),
    ):
        if groups:
            rows = ranked(groups, measure)
            if title == "Projects":
                rows = [(place(name), figures) for name, figures in rows]
            yield ""
            yield paint(title, "1")
            yield from _bars(rows, measure, width, paint)
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
    if cost := cost_text(figures):
        facts.append("cost not known" if cost == "?" else cost)
    return facts


def cost_text(figures: Figures) -> str:
    """`$1.20`; with `~` where some of it is estimated, with `+` where some has no price.

    `?` where nothing has one, and empty where there were no tokens to pay for.
    """
    cost = figures.value(Measure.COST)
    if figures.unpriced_tokens and not cost:
        return "?"
    if not cost:
        return ""
    sign = "~" if figures.estimated_cost else ""
    return f"{sign}{money(cost)}{'+' if figures.unpriced_tokens else ''}"


def notes(usage: UsageTotals) -> Iterator[str]:
    """What the marks of a cost mean, for those there are, and how old the prices are."""
    if usage.total.estimated_cost:
        checked = min((source.checked for source in usage.sources), default=None)
        newest = max((source.checked for source in usage.sources), default=None)
        days = f" read {checked} to {newest}" if checked else ""
        yield f"~ tokens at the vendors' list prices{days}; a subscription costs something else"
    if usage.total.unpriced_tokens:
        named = ", ".join(sanitise(name, newlines=False) for name in usage.unpriced)
        of = f" of {named}" if named else " of an unnamed model"
        yield f"+ and {amount(usage.total.unpriced_tokens)} tokens{of} without a known price"


def worded(value: float, measure: Measure) -> str:
    """A value of `measure` in words."""
    if measure is Measure.COST:
        return money(value)
    if measure is Measure.TOKENS:
        return f"{amount(int(value))} tokens"
    return counted(int(value), measure[:-1])


def _worded(figures: Figures, measure: Measure) -> str:
    if measure is Measure.COST:
        return cost_text(figures) or money(0)
    return worded(figures.value(measure), measure)


def _bars(
    groups: list[tuple[str, Figures]], measure: Measure, width: int, paint: Paint
) -> Iterator[str]:
    most = max((group.value(measure) for _, group in groups), default=0) or 1
    shown = groups if len(groups) <= _SHOWN else groups[: _SHOWN - 1]
    names = [_cut(name or "-", max(12, width // 3)) for name, _ in shown]
    wide = max(map(wcswidth, names))
    facts = [[_worded(group, measure)] for _, group in shown]
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
        # `1 turn ` next to `12 turns`: the numbers line up under one another.
        counted(figures.conversations, "conversation ", "conversations"),
        counted(figures.turns, "turn ", "turns"),
        f"{amount(figures.input_tokens)} read" if figures.input_tokens else "",
        f"{amount(figures.output_tokens)} written" if figures.output_tokens else "",
        cost_text(figures),
    ]


def as_table(
    usage: UsageTotals, by: str, *, width: int, paint: Paint, place: Place = str
) -> Iterator[str]:
    """One group as a table: a row each and the total; `by` as in `UsageTotals.rows`."""
    names = ("turns", "input", "cache write", "cache read", "output", "cost")
    rows = [(_name(row, by), msgspec.convert(row, Figures)) for row in usage.rows(by)]
    if by == "model" and (rest := usage.total.turns - sum(figures.turns for _, figures in rows)):
        rows.append(("no model", Figures(turns=rest)))
    cells = [_cells(figures) for _, figures in (*rows, ("", usage.total))]
    edges = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    room = max(12, width - sum(edges) - 2 * len(edges))
    if by in _PLACES:
        rows = [(place(name), figures) for name, figures in rows]
    none = "no model" if by == "model" else "-"
    titles = [_cut(name or none, room, end=by in _PLACES) for name, _ in rows]
    wide = max((wcswidth(title) for title in (*titles, by, "total")), default=0)

    def line(title: str, values: Sequence[str]) -> str:
        row = "  ".join(value.rjust(edge) for value, edge in zip(values, edges, strict=True))
        return f"{title}{' ' * (wide - wcswidth(title))}  {row}"

    yield paint(line(by, names), "1")
    for title, values in zip(titles, cells, strict=False):
        yield line(title, values)
    yield paint(line("total", cells[-1]), "1")


def _cells(figures: Figures) -> list[str]:
    return [
        f"{figures.turns:,}",
        amount(figures.input_tokens - figures.cached_tokens - figures.cache_write_tokens),
        amount(figures.cache_write_tokens),
        amount(figures.cached_tokens),
        amount(figures.output_tokens),
        cost_text(figures) or "-",
    ]


def _name(row: dict[str, Any], by: str) -> str:
    if by == "conversation":
        return f"{row[by]}  {row['title']}".rstrip()
    if by == "block":
        start = datetime.fromisoformat(row[by]).astimezone()
        return f"{start:%Y-%m-%d %H:%M}"
    return str(row[by])


def _bar(share: float) -> str:
    eighths = max(1, round(share * _BAR * 8)) if share > 0 else 0
    full, part = divmod(eighths, 8)
    return ("█" * full + _EIGHTHS[part].strip()).ljust(_BAR)


def _cut(name: str, most: int, *, end: bool = True) -> str:
    """The end of a long name (folders differ there), or its beginning."""
    safe = sanitise(name, newlines=False)
    while wcswidth(safe) > most:
        safe = "…" + safe[2:] if end else safe[:-2] + "…"
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
