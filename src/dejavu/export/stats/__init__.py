"""Usage: conversations, turns, tokens and cost, by agent, workspace, model, month and day.

`UsageCache` keeps sums in a derived file, so that only what changed is counted; `aggregate` groups
them, and the result is shown as lines for a terminal, as JSON values or as a page. No clock is read.
"""

from .aggregate import Figures, Measure, UsageTotals, aggregate
from .cache import UsageCache
from .page import as_page
from .terminal import as_lines

__all__ = ["Figures", "Measure", "UsageCache", "UsageTotals", "aggregate", "as_lines", "as_page"]
