"""Usage: conversations, turns, tokens and cost, by agent, project, workspace, model, month and day.

`UsageCache` keeps sums in a derived file, so that only what changed is counted; `aggregate` groups
them and `figures_of` gives those of one conversation, each with what `load_prices` says they cost
where the agent does not. Shown as lines for a terminal, as JSON values or as a page. No clock is
read.
"""

from .aggregate import UsageTotals, aggregate, figures_of
from .cache import UsageCache
from .figures import Figures, Measure
from .page import as_page
from .prices import PriceList, load_prices
from .terminal import as_lines, as_table, cost_text, notes
from .told import told

__all__ = [
    "Figures",
    "Measure",
    "PriceList",
    "UsageCache",
    "UsageTotals",
    "aggregate",
    "as_lines",
    "as_page",
    "as_table",
    "cost_text",
    "figures_of",
    "load_prices",
    "notes",
    "told",
]
