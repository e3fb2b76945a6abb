"""Memories: what people and agents taught, kept in a namespace of the archive.

Every call is one transaction: durable when it returns, seen by the next call of any process, or it
has not happened. What is forgotten is gone; the journal keeps its id alone.

Costs with n memories: opening O(n) once, then O(what changed since); `remember` and `recall`
O(memories that share a word), with an embedding O(n); the others O(1) but `list`, O(n).
"""

import math
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from dejavu.archive import Archive, NamespaceTxn
from dejavu.model import ConfigError, NotFoundError

from ..history.embedder import Embed
from ..secure_delete import overwrite_free_pages
from . import import_deja_local as deja_local
from .conflicts import COSINE_BASELINE, candidate_conflicts, memory_similarity
from .contradiction import contradiction
from .memory_cache import MemoryCache, append_journal, get_memory, get_sequences, put_memory
from .memory_records import (
    CONFIRMED,
    NAMESPACE,
    REJECTED,
    SUPERSEDED,
    TOMBSTONE,
    JournalEntry,
    MemoryRecord,
    Operation,
    RecallEntry,
    RecallResult,
    adjust_confidence,
    memory_key,
)
from .recall_log import RecallLog
from .relevance import packed
from .similarity import SAME

_RELEVANCE, _CONFIDENCE = 0.7, 0.3
_LONGEST = 20_000  # characters of one memory
_encode = msgspec.msgpack.encode

# `Memory.list` would shadow the built-in in the class's own annotations.
Memories = list[MemoryRecord]
Answers = list[RecallResult]
Entries = list[RecallEntry]
Audit = list[JournalEntry]
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
        clock: Callable[[], float] = time.time,
    ) -> None:
        """The memories of `archive`.

        embed: a function from text to vector, used instead of words for relevance and doubles;
        `space` names it, so that vectors of another one are not compared with its own.
        same: likeness from which a memory is taken for one that is already there.
        """
        super().__init__(archive.namespace(NAMESPACE), clock)
        self._file = archive.root / "data.mdb"
        self._embed, self._space, self._same = embed, space, same
        self._guard = threading.RLock()
        self._cache = MemoryCache()
        self._readonly = archive.readonly

    def remember(
        self, text: str, *, source: str = "", workspace: str = "", tags: tuple[str, ...] = ()
    ) -> MemoryRecord:
        """Store a memory; return it, or the one that already says the same.

        What it contradicts is superseded: kept, linked, its confidence cut to 30 %, and no longer
        recalled unless asked for. Scopes are apart: a memory of one workspace supersedes none of
        another.

        Raises:
            ValueError: the text is empty or longer than 20,000 characters.
        """
        text = text.strip()
        if not text:
            raise ValueError("a memory cannot be empty")
        if len(text) > _LONGEST:
            raise ValueError(f"a memory holds at most {_LONGEST} characters, not {len(text)}")
        with self._guard:
            self._cache.follow(self._namespace)
        vector = self._vector(text)
        fresh = MemoryRecord(
            id=f"{int(self._clock() * 1000):011x}{secrets.token_hex(4)}",
            text=text,
            created_at=self._clock(),
            updated_at=self._clock(),
            source=source,
            workspace=workspace,
            tags=tuple(tags),
            vector=packed(vector) if vector else b"",
            space=self._space if vector else "",
        )
        with self._guard:
            stored = self._namespace.change(lambda txn: self._remembered(txn, fresh, vector))
            self._cache.follow(self._namespace)
            return stored

    learn = remember

    def _remembered(
        self, txn: NamespaceTxn, fresh: MemoryRecord, vector: list[float]
    ) -> MemoryRecord:
        self._cache.follow(txn)
        rivals = candidate_conflicts(self._cache, fresh, vector)
        for rival in rivals:
            if rival.superseded_by is None and (
                memory_similarity(self._cache, fresh, rival, vector) >= self._same
            ):
                return rival
        contradicted = [
            rival
            for rival in rivals
            if rival.superseded_by is None and contradiction(rival.text, fresh.text).contradicts
        ]
        before = get_sequences(txn)
        fresh = msgspec.structs.replace(
            fresh, order=before.journal + 1, supersedes=tuple(old.id for old in contradicted)
        )
        put_memory(txn, fresh)
        events: list[tuple[Operation, str]] = [("remember", fresh.id)]
        for old in contradicted:
            put_memory(
                txn,
                msgspec.structs.replace(
                    old,
                    superseded_by=fresh.id,
                    confidence=adjust_confidence(old.confidence * SUPERSEDED, 0.0),
                    updated_at=fresh.created_at,
                ),
            )
            events.append(("supersede", old.id))
        append_journal(txn, events, fresh.created_at)
        return fresh

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

        threshold: the least relevance (0 to 1). workspace: only what holds there (its own and
        what holds everywhere). superseded: old ones too, after all that still hold.
        """
        with self._guard:
            self._cache.follow(self._namespace)
            relevance = self._relevance(context)
            results = [
                _recalled(memory, part)
                for identity, part in relevance.items()
                if part >= threshold
                and (memory := self._cache.memories[identity]).confidence >= min_confidence
                and (superseded or memory.superseded_by is None)
                and (workspace is None or memory.workspace in ("", workspace))
            ]
            # An old fact never stands before the one that took its place.
            results.sort(
                key=lambda result: (
                    result.superseded_by is not None,
                    -result.score,
                    -result.created_at,
                )
            )
            results = results[: max(0, limit)]
            if log and not self._readonly:
                self._log(context, results)
            return results

    def _relevance(self, context: str) -> dict[str, float]:
        words = self._cache.relevance.ask(context)
        if self._embed is None:
            return words
        near = self._cache.relevance.nearest(self._vector(context), self._space, COSINE_BASELINE)
        return {
            identity: max(near.get(identity, 0.0), 0.6 * words.get(identity, 0.0))
            for identity in {*words, *near}
        }

    def _vector(self, text: str) -> list[float]:
        """The embedding of a text; empty where none is configured.

        Raises:
            ConfigError: it is not finite, or of another dimension than the vectors stored.
        """
        if self._embed is None:
            return []
        vector = [float(x) for x in self._embed(text)]
        if not vector or not all(map(math.isfinite, vector)) or not any(vector):
            raise ConfigError("the embedding gave no finite vector; mend `embed` of [recall]")
        stored = self._cache.relevance.dimension(self._space)
        if stored not in (None, len(vector)):
            raise ConfigError(
                f"the embedding gave {len(vector)} numbers, the memories stored have {stored}: "
                "another model; set the one of before in `embed` of [recall], or unset it"
            )
        return vector

    def confirm(self, memory: Named) -> bool:
        """It proved right: confidence +0.1. False if there is no such memory."""
        return self._move(memory, CONFIRMED, "confirm")

    def reject(self, memory: Named) -> bool:
        """It proved wrong: confidence -0.15. False if there is no such memory."""
        return self._move(memory, REJECTED, "reject")

    def _move(self, memory: Named, step: float, operation: Operation) -> bool:
        identity = _identity(memory)

        def change(txn: NamespaceTxn) -> bool:
            stored = get_memory(txn, identity)
            if stored is None:
                return False
            put_memory(
                txn,
                msgspec.structs.replace(
                    stored,
                    confidence=adjust_confidence(stored.confidence, step),
                    confirmed=stored.confirmed + (step > 0),
                    rejected=stored.rejected + (step < 0),
                    updated_at=self._clock(),
                ),
            )
            append_journal(txn, [(operation, identity)], self._clock())
            return True

        with self._guard:
            return self._namespace.change(change)

    def forget(self, memory: Named) -> bool:
        """Remove a memory for good: text, vector and index. False if there is none.

        The pages of the file where it stood are written over, too (see `scrub`).

        What it had superseded stays superseded; chains lose a link, not their order.
        """
        identity = _identity(memory)

        def change(txn: NamespaceTxn) -> bool:
            stored = get_memory(txn, identity)
            if stored is None:
                return False
            txn.delete(memory_key(identity))
            for other in (get_memory(txn, old) for old in stored.supersedes):
                if other is not None and other.superseded_by == identity:
                    put_memory(
                        txn,
                        msgspec.structs.replace(
                            other, superseded_by=stored.superseded_by or TOMBSTONE
                        ),
                    )
            append_journal(txn, [("forget", identity)], self._clock())
            return True

        with self._guard:
            self._cache.follow(self._namespace)
            before = self._cache.memories.get(identity)
            gone = self._namespace.change(change)
            self._cache.follow(self._namespace)
        if gone and before is not None and self._file.exists():  # a server has no file
            overwrite_free_pages(self._namespace, self._file, before.text)
        return gone

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
            problem = "begins several memories" if matches else "is no memory"
            raise NotFoundError(f"{prefix!r} {problem}; `dejavu memories` lists them")

    def list(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        workspace: str | None = None,
        superseded: bool = True,
    ) -> Memories:
        """The memories, the newest first."""
        with self._guard:
            self._cache.follow(self._namespace)
            memories = [
                memory
                for memory in self._cache.memories.values()
                if (superseded or memory.superseded_by is None)
                and (workspace is None or memory.workspace in ("", workspace))
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
        rows = deja_local.read(Path(file))
        with self._guard:
            self._cache.follow(self._namespace)
            have = {memory.text for memory in self._cache.memories.values()}
            fresh = self._vectored(deja_local.memories(rows, have))

            def change(txn: NamespaceTxn) -> int:
                self._cache.follow(txn)
                first = get_sequences(txn).journal + 1
                for order, memory in enumerate(fresh, first):
                    put_memory(txn, msgspec.structs.replace(memory, order=order))
                append_journal(txn, [("import", memory.id) for memory in fresh], self._clock())
                return len(fresh)

            count = self._namespace.change(change)
            self._cache.follow(self._namespace)
            return count

    def _vectored(self, fresh: Memories) -> Memories:
        """The memories with their vectors, where an embedding is configured."""
        if self._embed is None:
            return fresh
        return [
            msgspec.structs.replace(
                memory, vector=packed(self._vector(memory.text)), space=self._space
            )
            for memory in fresh
        ]

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
