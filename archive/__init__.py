"""The archive: stores records and raw bytes, returns them byte for byte, and searches them.

Writes nothing outside its own folder, knows no agent and no screen, asks no network.
"""

from typing import TYPE_CHECKING

from dejavu import names_on_first_use
from dejavu.model import Batch, RawDelta, Receipt, TurnUpdate

from .counts import Counts
from .derived import Lag, Position
from .log import Change, LogEntry
from .maintenance.maintenance import GcResult
from .namespace import Namespace, NamespaceTxn
from .search.snippet import Hit, SearchResult
from .store import Archive

if TYPE_CHECKING:
    from .maintenance.prune import Pruned
    from .maintenance.verify import Report

__all__ = [
    "Archive",
    "Batch",
    "Change",
    "Counts",
    "GcResult",
    "Hit",
    "Lag",
    "LogEntry",
    "Namespace",
    "NamespaceTxn",
    "Position",
    "Pruned",
    "RawDelta",
    "Receipt",
    "Report",
    "SearchResult",
    "TurnUpdate",
]


# Loaded on first use.
__getattr__ = names_on_first_use(
    __name__, {"Pruned": ".maintenance.prune", "Report": ".maintenance.verify"}
)
