"""Memory: what was decided comes back at the right prompt.

`Memory` holds curated memories, `Recall` ranks history, `inject` makes the fenced block put before
the next prompt. Everything it derives can be rebuilt from the archive's log; what a person
taught it lives in a namespace of the archive. Never writes to an agent's files, asks no network, and
runs no model unless one is configured.
"""

from dejavu import names_on_first_use

TYPE_CHECKING = False  # as typing has it, which need not be loaded
if TYPE_CHECKING:
    from .folder import create_memory, open_folder
    from .history.classifier import Classifier
    from .history.code_graph import Neo4j
    from .history.events import Event, Kind, events
    from .history.hit_loader import RecallHit
    from .history.rerank import Reranker
    from .history.score_fusion import Merging
    from .history.search import Answer, Recall, SearchHelpers
    from .injection import inject
    from .injection_log import Injection
    from .memory.memory import Memory
    from .memory.memory_records import MemoryRecord, RecallEntry, RecallResult
    from .rationale import rationales

_MODULES = {
    "Answer": ".history.search",
    "Classifier": ".history.classifier",
    "Event": ".history.events",
    "Injection": ".injection_log",
    "Kind": ".history.events",
    "Memory": ".memory.memory",
    "MemoryRecord": ".memory.memory_records",
    "Merging": ".history.score_fusion",
    "Neo4j": ".history.code_graph",
    "Recall": ".history.search",
    "RecallEntry": ".memory.memory_records",
    "RecallHit": ".history.hit_loader",
    "RecallResult": ".memory.memory_records",
    "Reranker": ".history.rerank",
    "SearchHelpers": ".history.search",
    "create_memory": ".folder",
    "events": ".history.events",
    "inject": ".injection",
    "open_folder": ".folder",
    "rationales": ".rationale",
}

__all__ = [
    "Answer",
    "Classifier",
    "Event",
    "Injection",
    "Kind",
    "Memory",
    "MemoryRecord",
    "Merging",
    "Neo4j",
    "Recall",
    "RecallEntry",
    "RecallHit",
    "RecallResult",
    "Reranker",
    "SearchHelpers",
    "create_memory",
    "events",
    "inject",
    "open_folder",
    "rationales",
]


# On first use: `dejavu show --oneline` asks for rationales alone and must not load the index.
__getattr__ = names_on_first_use(__name__, _MODULES)
