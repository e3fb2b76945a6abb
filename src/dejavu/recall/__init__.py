"""Memory: what was decided comes back at the right prompt.

`Memory` holds curated memories, `Recall` ranks history, `inject` makes the fenced block put before
the next prompt. Everything it derives can be made anew from the archive's log; what a person
taught it lives in a namespace of the archive. Never writes to an agent's files, asks no network, and
runs no model unless one is configured.
"""

from .history.classifier import Classifier
from .history.code_graph import Neo4j
from .history.events import Event, Kind, events
from .history.hit_loader import RecallHit
from .history.rerank import Reranker
from .history.search import Answer, Recall, SearchHelpers
from .injection import Injection, inject
from .memory.memory import Memory
from .memory.memory_records import MemoryRecord, RecallEntry, RecallResult
from .rationale import rationales

__all__ = [
    "Answer",
    "Classifier",
    "Event",
    "Injection",
    "Kind",
    "Memory",
    "MemoryRecord",
    "Neo4j",
    "Recall",
    "RecallEntry",
    "RecallHit",
    "RecallResult",
    "Reranker",
    "SearchHelpers",
    "events",
    "inject",
    "rationales",
]
