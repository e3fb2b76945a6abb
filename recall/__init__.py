"""Memory: what was decided comes back at the right prompt.

Takes the archive; gives curated memories (`Memory`), ranked history (`Recall`), and the fenced
block put before the next prompt (`inject`). Everything it derives can be made anew from the
archive's log; what a person taught it lives on a shelf of the archive. Never writes to an agent's
files, asks no network, and runs no model unless one is configured.
"""

from .classifier import Classifier
from .code_graph import Neo4j
from .events import Event, Kind, events
from .history import Aids, Answer, Recall
from .injection import Injection, inject
from .memory import Memory
from .rationale import reasons
from .reader import RecallHit
from .remembered import Recalled, RecallEntry, Remembered
from .rerank import Reranker

__all__ = [
    "Aids",
    "Answer",
    "Classifier",
    "Event",
    "Injection",
    "Kind",
    "Memory",
    "Neo4j",
    "Recall",
    "RecallEntry",
    "RecallHit",
    "Recalled",
    "Remembered",
    "Reranker",
    "events",
    "inject",
    "reasons",
]
