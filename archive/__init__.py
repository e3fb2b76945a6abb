"""The archive: takes records and raw bytes, gives them back byte for byte, and finds them.

Writes nothing outside its own folder, knows no agent and no screen, asks no network.
"""

from typing import TYPE_CHECKING

from .batch import Batch, RawAppend, Receipt, TurnUpdate
from .care import Collected
from .counts import Counts
from .hit import Hit
from .log import Change, LogEntry
from .shelf import Shelf, ShelfTxn
from .store import Archive

if TYPE_CHECKING:
    from .prune import Pruned
    from .verify import Report

__all__ = [
    "Archive",
    "Batch",
    "Change",
    "Collected",
    "Counts",
    "Hit",
    "LogEntry",
    "Pruned",
    "RawAppend",
    "Receipt",
    "Report",
    "Shelf",
    "ShelfTxn",
    "TurnUpdate",
]


def __getattr__(name: str) -> object:
    """What `prune` and `verify` give; they are loaded when somebody asks."""
    if name == "Pruned":
        from .prune import Pruned

        return Pruned
    if name == "Report":
        from .verify import Report

        return Report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
