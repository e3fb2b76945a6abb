"""Memories: what people and agents taught, kept in a namespace of the archive.

Every call is one transaction: durable when it returns, seen by the next call of any process, or it
has not happened. What is forgotten is gone; the journal keeps its id alone.

Costs with n memories: opening O(n) once, then O(what changed since); `remember` and `recall`
O(memories that share a word), with an embedding O(n); the others O(1) but `list` and `forget`, O(n).
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dejavu.archive import Archive
from dejavu.config.projects import project_of
from dejavu.model import ArchiveError, NotFoundError

from ..history.embedder import Embed
from .memory_cache import MemoryCache, MemoryEmbedding
from .memory_records import (
    CONFIRMED,
    NAMESPACE,
    REJECTED,
    MemoryRecord,
    Operation,
    RecallResult,
    ShownHit,
)
from .recall_log import RecallLog
from .similarity import SAME

_RELEVANCE, _CONFIDENCE = 0.7, 0.3
_LONGEST = 20_000  # characters of one memory

# `Memory.list` would shadow the built-in in the class's own annotations.
Memories = list[MemoryRecord]
Answers = list[RecallResult]
Named = str | MemoryRecord | RecallResult


class Memory(RecallLog):
    """The memories of one archive. Safe to use from several threads and processes."""

    def __init__(
        self,
        archive: Archive,
        *,
        embed: Embed | None = None,
        space: str = "custom",
        same: float = SAME,
        project_of: Callable[[str], str] = project_of,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """The memories of `archive`.

        embed: a function from text to vector, used instead of words for relevance and doubles;
        `space` names it, so that vectors of another one are not compared with its own.
        same: likeness from which a memory is taken for one that is already there. project_of: the
        project of a folder; what is remembered in one holds in all folders of its project.
        """
        self._namespace = archive.namespace(NAMESPACE)
        self._clock = clock
        self._file = archive.root / "data.mdb"
        self._same = same
        self._project_of = project_of
        self._guard = threading.RLock()
        self._cache = MemoryCache()
        self._embedding = MemoryEmbedding(self._cache, embed, space)
        self._readonly = not archive.writable
        self.unlogged = False
        """Whether the last recall is missing in the log."""
        self.may_replace: tuple[tuple[str, float], ...] = ()
        """What the last memory stored may replace: ids of memories that were left as they are, and the
        probability of each."""

    def remember(
        self,
        text: str,
        *,
        source: str = "",
        workspace: str = "",
        tags: tuple[str, ...] = (),
        identity: str = "",
    ) -> MemoryRecord:
        """Store a memory; return it, or the one that already says the same.

        identity: the id it was given while it waited (see `carry_notes`); empty: a new one.

        What it surely contradicts is superseded: kept, linked, its confidence cut to 30 %, and no longer
        recalled unless asked for. What it may contradict stays, and is in `may_replace`. Scopes are
        apart: a memory of one project supersedes none of another.

        Raises:
            ValueError: the text is empty or longer than 20,000 characters.
        """
        from .conflicts import read_rivals
        from .memory_changes import store_memory  # a prompt only reads

        # A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()
        if not text:
            raise ValueError("a memory cannot be empty")
        if len(text) > _LONGEST:
            raise ValueError(f"a memory holds at most {_LONGEST} characters, not {len(text)}")
        with self._guard:
            self._cache.follow(self._namespace)
        vector, now = self._embedding.vector(text), self._clock()
        fresh = MemoryRecord(
            id=identity or f"{int(now * 1000):011x}{os.urandom(4).hex()}",
            text=text,
            created_at=now,
            updated_at=now,
            source=source,
            workspace=workspace,
            project=self._project_of(workspace) if workspace else "",
            tags=tuple(tags),
        )
        fresh = self._embedding.attach(fresh, vector)
        with self._guard:
            read_rivals(self._cache, fresh, vector)
            stored = self._namespace.change(
                lambda txn: store_memory(txn, self._cache, fresh, vector, self._same)
            )
            self.may_replace = stored.may_replace
            self._cache.follow(self._namespace)
            return stored.memory

    learn = remember

    def recall(
        self,
        context: str,
        *,
        limit: int = 5,
        threshold: float = 0.2,
        min_confidence: float = 0.0,
        workspace: str | None = None,
        superseded: bool = False,
        log: bool = True,
    ) -> Answers:
        """The memories that answer `context`, best first; the recall itself is logged.

        Where the log cannot be written now the answer is the same, and `unlogged` is true.

        threshold: the least relevance (0 to 1). workspace: only what holds there (its own and
        what holds everywhere). superseded: old ones too, after all that still hold.
        """
        holds = _holding_in(workspace, self._project_of)
        with self._guard:
            self._cache.follow(self._namespace)
            relevance = self._embedding.relevance(context)
            results = [
                _recalled(memory, part)
                for identity, part in relevance.items()
                if part >= threshold
                and (memory := self._cache.memories[identity]).confidence >= min_confidence
                and (superseded or memory.superseded_by is None)
                and holds(memory)
            ]
            # An old fact never comes before the one that took its place.
            results.sort(
                key=lambda result: (
                    result.superseded_by is not None,
                    -result.score,
                    -result.created_at,
                )
            )
            results = results[: max(0, limit)]
            if log:
                self.log_recall(context, results)
            return results

    def expect(self) -> None:
        """Within `Archive.view`: let the next read fetch what a recall will ask for."""
        self._cache.expect(self._namespace)

    def log_recall(self, context: str, results: Answers, hits: Sequence[ShownHit] = ()) -> None:
        """Log a recall that was made with `log=False`, and the past exchanges shown with it.

        An answer never waits long for that: `unlogged` says that the log could not be written.
        """
        self.unlogged = self._readonly
        try:
            if not self._readonly:
                self._log(context, results, hits)
        except (ArchiveError, OSError):
            self.unlogged = True

    def embed_pending(self, most: int = 64) -> int:
        """Make up to `most` missing vectors; return how many were made, 0 without an embedding.

        Memories of before an embedding was configured, or of another one, have none.
        """
        with self._guard:
            self._cache.follow(self._namespace)
            vectors = self._embedding.missing(most)
            if not vectors:
                return 0
            from .memory_changes import attach_vectors  # a prompt only reads

            space, at = self._embedding.space, self._clock()
            made = self._namespace.change(lambda txn: attach_vectors(txn, vectors, space, at))
            self._cache.follow(self._namespace)
            return made

    def confirm(self, memory: Named) -> bool:
        """It proved right: confidence +0.1. False if there is no such memory."""
        return self._move(memory, CONFIRMED, "confirm")

    def reject(self, memory: Named) -> bool:
        """It proved wrong: confidence -0.15. False if there is no such memory."""
        return self._move(memory, REJECTED, "reject")

    def _move(self, memory: Named, step: float, operation: Operation) -> bool:
        from .memory_changes import move_confidence  # a prompt only reads

        identity, at = _identity(memory), self._clock()
        with self._guard:
            return self._namespace.change(
                lambda txn: move_confidence(txn, identity, step, operation, at)
            )

    def forget(self, memory: Named) -> bool:
        """Remove a memory for good: text, vector and index. False if there is none.

        The pages of the file where it stood are written over, too (see `secure_delete`).

        What it had superseded holds again; in the middle of a chain, the next one supersedes it.
        """
        from ..secure_delete import overwrite_free_pages
        from .memory_changes import delete_memory  # a prompt only reads

        identity, at = _identity(memory), self._clock()
        with self._guard:
            self._cache.follow(self._namespace)
            before = self._cache.memories.get(identity)
            deleted = self._namespace.change(
                lambda txn: delete_memory(txn, self._cache, identity, at)
            )
            self._cache.follow(self._namespace)
        if deleted and before is not None and self._file.exists():  # a server has no file
            overwrite_free_pages(self._namespace, self._file, before.text)
        return deleted

    def get(self, prefix: str) -> MemoryRecord:
        """The memory whose id is `prefix`, or alone begins so.

        Raises:
            NotFoundError: none or several do.
        """
        with self._guard:
            self._cache.follow(self._namespace)
            matches = [
                memory
                for identity, memory in self._cache.memories.items()
                if identity.startswith(prefix)
            ]
            if prefix in self._cache.memories:
                return self._cache.memories[prefix]
            if len(matches) == 1 and prefix:
                return matches[0]
            if not prefix:
                raise NotFoundError("MEMORY is empty")
            problem = "begins several memories" if matches else "is not a memory"
            raise NotFoundError(f"{prefix!r} {problem}; `dejavu memory list` lists them")

    def list(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        workspace: str | None = None,
        superseded: bool = True,
    ) -> Memories:
        """The memories, the newest first."""
        holds = _holding_in(workspace, self._project_of)
        with self._guard:
            self._cache.follow(self._namespace)
            memories = [
                memory
                for memory in self._cache.memories.values()
                if (superseded or memory.superseded_by is None) and holds(memory)
            ]
        memories.sort(key=lambda memory: memory.order, reverse=True)
        return memories[offset : None if limit is None else offset + limit]

    def history(self, memory: Named) -> Memories:
        """The chain a memory belongs to, the oldest first."""
        start = self.get(_identity(memory))
        with self._guard:
            chain: dict[str, MemoryRecord] = {}
            waiting = [start.id]
            while waiting:
                version = self._cache.memories.get(waiting.pop())
                if version is None or version.id in chain:
                    continue
                chain[version.id] = version
                waiting += [
                    *version.supersedes,
                    *([version.superseded_by] if version.superseded_by else []),
                ]
        return sorted(chain.values(), key=lambda item: item.order)

    def import_deja_local(self, file: str | Path) -> int:
        """Import the memories of a deja-local SQLite file; return how many were new.

        Confidence, dates and links are kept; what is there already is skipped by its text.

        Raises:
            ConfigError: the file is no such database.
        """
        from . import import_deja_local as deja_local  # with sqlite3, which hooks have no use for
        from .memory_changes import import_memories

        rows = deja_local.read(Path(file))
        with self._guard:
            self._cache.follow(self._namespace)
            have = {memory.text: memory.id for memory in self._cache.memories.values()}
            fresh = [self._embedding.attach(new) for new in deja_local.memories(rows, have)]
            at = self._clock()
            count = self._namespace.change(lambda txn: import_memories(txn, self._cache, fresh, at))
            self._cache.follow(self._namespace)
            return count

    @property
    def size(self) -> int:
        """How many memories there are."""
        with self._guard:
            self._cache.follow(self._namespace)
            return len(self._cache.memories)

    def __len__(self) -> int:
        return self.size


def _identity(memory: Named) -> str:
    return memory if isinstance(memory, str) else memory.id


def _holding_in(
    workspace: str | None, project_of: Callable[[str], str]
) -> Callable[[MemoryRecord], bool]:
    """A function that says whether a memory holds in a workspace, or in its project's other folders."""
    project = project_of(workspace) if workspace else ""

    def holds(memory: MemoryRecord) -> bool:
        there = workspace is None or memory.workspace in ("", workspace)
        return there or bool(project and memory.project == project)

    return holds


def _recalled(memory: MemoryRecord, relevance: float) -> RecallResult:
    return RecallResult(
        id=memory.id,
        text=memory.text,
        score=round(_RELEVANCE * relevance + _CONFIDENCE * memory.confidence, 4),
        relevance=round(relevance, 4),
        confidence=memory.confidence,
        created_at=memory.created_at,
        source=memory.source,
        workspace=memory.workspace,
        superseded_by=memory.superseded_by,
    )
