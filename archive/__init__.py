"""The archive: takes records and raw bytes, gives them back byte for byte, and finds them.

Writes nothing outside its own folder, knows no agent and no screen, asks no network.
"""

from .batch import Batch, RawAppend, Receipt, TurnUpdate
from .care import Collected
from .counts import Counts
from .hit import Hit
from .log import Change, LogEntry
from .prune import Pruned
from .shelf import Shelf, ShelfTxn
from .store import Archive
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
