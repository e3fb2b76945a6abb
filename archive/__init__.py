"""The archive: takes records and raw bytes, gives them back byte for byte, and finds them.

Writes nothing outside its own folder, knows no agent and no screen, asks no network.
"""

from .batch import Batch, RawAppend, Receipt, TurnUpdate
from .counts import Counts
from .log import Change, LogEntry
from .search import Hit
from .shelf import Shelf, ShelfTxn
from .store import Archive

__all__ = [
    "Archive",
    "Batch",
    "Change",
    "Counts",
    "Hit",
    "LogEntry",
    "RawAppend",
    "Receipt",
    "Shelf",
    "ShelfTxn",
    "TurnUpdate",
]
