"""Figures of what was captured: conversations, turns, tokens and cost, by agent, place and day.

Takes an archive and a place for a derived file (`Ledger`), so that only what changed is counted;
gives a `Tally`, and the tally as lines for a terminal, as JSON values and as a page. Never asks the
time.
"""

from .cache import Ledger
from .page import as_page
from .tally import Figures, Measure, Tally, tally
from .terminal import as_lines

__all__ = ["Figures", "Ledger", "Measure", "Tally", "as_lines", "as_page", "tally"]
