"""What was used: the figures of `dejavu stats`, with its filters. Costs what that command costs.

Tested in: tests/extensions/web/test_views.py
"""

from collections.abc import Mapping

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.export.html import join, tag
from dejavu.export.stats import Measure, UsageTotals
from dejavu.export.stats.page import sections, span
from dejavu.interfaces.filters import check_names
from dejavu.interfaces.usage import last_day, usage
from dejavu.model import DejavuError

from .endpoint import ARCHIVE
from .forms import filter_form, filters, problem
from .frame import frame


def stats(query: Mapping[str, str], base: str) -> str:
    """The page of the figures; `measure` says what its bars and its calendar count."""
    measure = Measure.TURNS
    if query.get("measure") in list(Measure):
        measure = Measure(query["measure"])
    totals, until, fault = UsageTotals(), None, None
    with ARCHIVE:
        try:
            with open_archive() as archive:
                chosen = filters(archive, query)
                until = chosen.until
                totals = usage(archive, chosen, each=False, blocks=False)
                if not totals.total.conversations:
                    check_names(archive, agent=chosen.agent, instance=chosen.instance)
        except NoArchiveError:
            pass  # nothing was captured yet, and the page says so
        except DejavuError as error:
            fault = problem(str(error))
    options = join(
        tag("option", str(one), value=str(one), selected=one is measure) for one in Measure
    )
    counts = tag("label", "Bars and calendar", tag("select", options, name="measure"))
    main = tag(
        "main",
        filter_form(query, f"{base}/stats", counts),
        fault or join(sections(totals, last_day(until), measure)),
        tag("p", "Tokens and cost as the agents reported them.", class_="link"),
        id="main",
    )
    header = tag(
        "header", tag("h1", "Stats"), None if fault else tag("p", span(totals), class_="facts")
    )
    return frame("Stats", header, main, base=base, here="stats", script="reading.js")
