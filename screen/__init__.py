"""Turns terminal bytes into what a person saw.

`Terminal.feed` returns what the bytes changed: rows, lines that scrolled off, events; snapshots are
immutable. Never touches files, clocks or signals, and never raises on any input.
"""

from .attributes import Color, Style
from .changes import (
    AgentStatus,
    Bell,
    Changes,
    Cleared,
    Event,
    Notification,
    Progress,
    PromptMark,
    Title,
)
from .grid import Grid
from .history import History
from .line import Line, unwrap
from .program_status import ProgramStatus
from .row import Run
from .snapshot import Snapshot
from .terminal import Terminal

__all__ = [
    "AgentStatus",
    "Bell",
    "Changes",
    "Cleared",
    "Color",
    "Event",
    "Grid",
    "History",
    "Line",
    "Notification",
    "ProgramStatus",
    "Progress",
    "PromptMark",
    "Run",
    "Snapshot",
    "Style",
    "Terminal",
    "Title",
    "unwrap",
]
