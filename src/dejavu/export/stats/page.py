"""Usage as a page in the style of the conversation pages: tiles, tables with bars, a calendar.

No script, nothing fetched. O(groups + days).
"""

from collections.abc import Iterator
from datetime import date

from markupsafe import Markup

from dejavu.model.plural import counted

from ..html import document, join, line, tag
from ..html.format import amount
from .aggregate import UsageTotals
from .calendar import Day, months, weeks
from .figures import Figures, Measure, ranked
from .terminal import cost_text, notes, worded

_SHOWN = 40
_WEEKS = 53
_COLUMNS = ("Turns", "Conversations", "Read", "Written", "Cost")


def as_page(usage: UsageTotals, *, today: date, measure: Measure = Measure.TURNS) -> Iterator[str]:
    """The page; `measure` says what bars and calendar show."""
    yield from document("Figures", _body(usage, today, measure))


def _body(usage: UsageTotals, today: date, measure: Measure) -> Iterator[Markup]:
    yield tag("header", tag("h1", "Figures"), tag("p", span(usage), class_="facts"))
    yield Markup('<main id="main">\n')
    yield from sections(usage, today, measure)
    yield Markup("</main>\n")
    yield tag("footer", tag("p", "Tokens as the agents reported them. Kept by Déjà Vu."))


def span(usage: UsageTotals) -> str:
    """The first and the last day that anything was captured of."""
    days = sorted(usage.days)
    return f"{days[0]} to {days[-1]}" if days else "Nothing was captured yet."


def sections(usage: UsageTotals, today: date, measure: Measure) -> Iterator[Markup]:
    """What the page shows, for any page whose policy forbids its own styles."""
    yield _tiles(usage.total)
    if usage.days:
        yield _calendar(usage, today, measure)
    for title, column, groups in (
        ("Agents", "Agent", usage.agents),
        ("Models", "Model", usage.models),
        ("Projects", "Project", usage.projects),
        ("Months", "Month", usage.months),
    ):
        if groups:
            rows = sorted(groups.items(), reverse=True) if column == "Month" else None
            yield _table(title, column, rows or ranked(groups, measure), measure)
    for note in notes(usage):
        yield tag("p", note, class_="facts")


def _tiles(total: Figures) -> Markup:
    facts = [
        ("Conversations", f"{total.conversations:,}"),
        ("Turns", f"{total.turns:,}"),
        ("Prompts", f"{total.prompts:,}"),
        ("Tokens read", amount(total.input_tokens)),
        ("Tokens written", amount(total.output_tokens)),
        ("Cost", cost_text(total) or "not said"),
    ]
    return tag(
        "dl", join(tag("div", tag("dt", name), tag("dd", value)) for name, value in facts),
        class_="tiles",
    )  # fmt: skip


def _table(title: str, column: str, rows: list[tuple[str, Figures]], measure: Measure) -> Markup:
    most = max((figures.value(measure) for _, figures in rows), default=0) or 1
    shown = rows[:_SHOWN]
    hidden = len(rows) - len(shown)
    titles = join(tag("th", name, scope="col", class_="num") for name in _COLUMNS)
    return tag(
        "section",
        tag("h2", title),
        tag(
            "div",
            tag(
                "table",
                tag(
                    "thead",
                    tag(
                        "tr",
                        tag("th", column, scope="col"),
                        tag("th", tag("span", f"By {measure}", class_="sr"), scope="col"),
                        titles,
                    ),
                ),
                tag("tbody", join(_row(name, figures, measure, most) for name, figures in shown)),
            ),
            class_="scroll",
            tabindex="0",
            role="group",
            aria_label=title,
        ),
        tag("p", f"and {counted(hidden, 'more', 'more')}") if hidden else None,
        class_="figures",
        aria_label=title,
    )


def _row(name: str, figures: Figures, measure: Measure, most: float) -> Markup:
    share = 100 * figures.value(measure) / most
    cells = (
        f"{figures.turns:,}",
        f"{figures.conversations:,}",
        amount(figures.input_tokens) if figures.input_tokens else "–",
        amount(figures.output_tokens) if figures.output_tokens else "–",
        cost_text(figures) or "–",
    )
    return tag(
        "tr",
        tag("th", line(name, 120) or "–", scope="row"),
        tag(
            "td",
            tag(
                "svg",
                tag("rect", width=f"{share:.1f}%", height="100%"),
                class_="bar",
                aria_hidden="true",
            ),
        ),
        join(tag("td", cell, class_="num") for cell in cells),
    )


def _calendar(usage: UsageTotals, today: date, measure: Measure) -> Markup:
    values = {day: figures.value(measure) for day, figures in usage.days.items()}
    columns = weeks(values, today, _WEEKS)
    active = [day for week in columns for day in week if day.value > 0 and day.level > 0]
    sentence = f"{str(measure).capitalize()} a day in the year up to {today}: "
    if active:
        busiest = max(active, key=lambda day: day.value)
        sentence += f"{counted(len(active), 'active day')}, the busiest {busiest.date} with "
        sentence += worded(busiest.value, measure)
    else:
        sentence += "none"
    names = join(
        tag("span", name if width > 1 else "", class_=f"w{width}")
        for name, width in months(columns)
    )
    cells = join(_cell(day, measure) for week in columns for day in week)
    return tag(
        "section",
        tag("h2", f"{str(measure).capitalize()} a day"),
        tag(
            "div",
            tag("div", names, cells, class_="year", role="img", aria_label=sentence),
            class_="scroll calendar",
            tabindex="0",
            role="group",
            aria_label="Calendar",
        ),
        tag("p", sentence + ".", class_="facts"),
        class_="figures",
        aria_label="Calendar",
    )


def _cell(day: Day, measure: Measure) -> Markup:
    if day.level < 0:
        return tag("i", class_="later")
    title = f"{day.date}: {worded(day.value, measure)}"
    return tag("i", class_=f"h{day.level}" if day.level else None, title=title)
