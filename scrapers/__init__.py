"""Status and turns, read from an agent's screen by dated rules.

`read` classifies one snapshot. `SessionReader` follows a session's bytes and their times and yields
status changes and turns of vector `screen`; every verdict lists the rules that were tried. Rules
are data (`agents/*.toml`): no module here names an agent. No files beyond the package's own
resources, no clocks, no processes.
"""

from .choice_cues import seems_to_ask
from .dialogs import describe, key_hints
from .packs import Packs, default_packs, load_packs
from .pending import pending_on_screen
from .reading import Reading, Signals, classify, read
from .reports import Report, report_of
from .segment import Layout, Region, RuleTrace, segment
from .session import SessionReader
from .state import Blocked, Confidence, Pending, Situation, State, StatusChange
from .status import StatusTracker
from .transcript import Gap, Transcript

__all__ = [
    "Blocked",
    "Confidence",
    "Gap",
    "Layout",
    "Packs",
    "Pending",
    "Reading",
    "Region",
    "Report",
    "RuleTrace",
    "SessionReader",
    "Signals",
    "Situation",
    "State",
    "StatusChange",
    "StatusTracker",
    "Transcript",
    "classify",
    "default_packs",
    "describe",
    "key_hints",
    "load_packs",
    "pending_on_screen",
    "read",
    "report_of",
    "seems_to_ask",
    "segment",
]
