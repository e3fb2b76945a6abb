import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from dejavu.export.stats.aggregate import UsageTotals
from dejavu.export.stats.figures import Figures, Measure
from dejavu.export.stats.page import as_page

TODAY = date(2026, 11, 21)


def _figures(turns: int) -> Figures:
    return Figures(conversations=2, turns=turns, input_tokens=turns * 1000, cost=turns / 10)


TALLY = UsageTotals(
    total=_figures(1204),
    agents={"claude": _figures(1000), "<b>amp": _figures(204)},
    projects={f"/w/{n}\u202e": _figures(n) for n in range(50)},
    models={"m": _figures(9)},
    months={"2026-10": _figures(1), "2026-11": _figures(2)},
    days={TODAY - timedelta(days=n): _figures(n + 1) for n in range(300)},
)


def _page(usage: UsageTotals, measure: Measure = Measure.TURNS) -> str:
    return "".join(as_page(usage, today=TODAY, measure=measure))


def test_totals_tables_and_calendar_are_there() -> None:
    page = _page(TALLY)
    assert "<dd>1,204</dd>" in page
    assert "&lt;b&gt;amp" in page
    assert "\u202e" not in page
    assert "and 10 more" in page
    assert "300 active days, the busiest 2026-01-26 with 300 turns" in page
    assert len(re.findall(r'<i class="h[1-4]" title', page)) == 300
    assert re.findall(r'<th scope="row">(2026-\d\d)', page) == ["2026-11", "2026-10"]


def test_bars_show_the_measure() -> None:
    assert re.findall(r'<rect width="([\d.]+)%', _page(TALLY))[:2] == ["100.0", "20.4"]
    assert "By cost" in _page(TALLY, Measure.COST)


def test_nothing_captured_is_said() -> None:
    page = _page(UsageTotals())
    assert "Nothing was captured yet." in page
    assert "<table" not in page


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_in_a_browser(
    width: int, dark: bool, browser: Any, axe: str, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(_page(TALLY))
    browser.open(path, width=width, dark=dark, scripts=True)
    assert browser.complaints() == []
    assert browser.requests() == []
    assert browser.value("document.documentElement.scrollWidth") == width
    found = axe + ";axe.run().then(r => r.violations.map(v => v.id + v.nodes[0].html).join())"
    assert browser.value(found) == ""


def test_the_calendar_shows_its_newest_weeks_and_months_above(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(_page(TALLY))
    browser.open(path, width=390, height=844)
    right = "document.querySelector('.year > i:last-child').getBoundingClientRect().right"
    assert 300 < browser.value(right) <= 390
    rows = "new Set([...document.querySelectorAll('.year > i')].map(e => e.offsetTop)).size"
    assert browser.value(rows) == 7
    above = (
        "Math.max(...[...document.querySelectorAll('.year > span')].map(e => e.offsetTop))"
        " < Math.min(...[...document.querySelectorAll('.year > i')].map(e => e.offsetTop))"
    )
    assert browser.value(above) is True
