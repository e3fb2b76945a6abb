"""Figures of what was captured: conversations, turns, tokens and cost, by agent, place and day.

Takes conversations with their turns; gives a `Tally`, and the tally as lines for a terminal, as
JSON values and as a page. Never reads the archive itself, never asks the time.
"""

from .page import as_page
from .tally import Figures, Measure, Tally, tally
from .terminal import as_lines

__all__ = ["Figures", "Measure", "Tally", "as_lines", "as_page", "tally"]
