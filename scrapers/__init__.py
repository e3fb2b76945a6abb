"""Status and turns, read from an agent's screen by dated rules.

Takes snapshots (and, in `SessionReader`, the agent's own bytes) with the time; gives readings,
status changes, turns of vector `screen`, and an explanation of every verdict. Rules are data
(`agents/*.toml`); no module here names an agent. Never touches files beyond the package's own
resources, nor clocks or processes.
"""

from .packs import Packs, default_packs, load_packs
from .reading import Reading, Signals, read, verdict
from .segment import Layout, Region, Tried, segment
from .session import SessionReader
from .state import Confidence, State, StatusChange
from .status import StatusTracker
from .transcript import Gap, Transcript

__all__ = [
    "Confidence",
    "Gap",
    "Layout",
    "Packs",
    "Reading",
    "Region",
    "SessionReader",
    "Signals",
    "State",
    "StatusChange",
    "StatusTracker",
    "Transcript",
    "Tried",
    "default_packs",
    "load_packs",
    "read",
    "segment",
    "verdict",
]
