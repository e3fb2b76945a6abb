"""What this process knows of the memories, and how near they are to a question in meaning.

Reading goes by the journal: what every process did to the memories since the last look is read
again, nothing else. Costs O(n) once, then O(what changed). A memory's embedding is a vector of its
text, checked. A question costs O(memories) where an embedding is configured, else O(memories that
share a word).
"""

import math
import re
from collections.abc import Sequence
from itertools import islice

import msgspec

from dejavu.archive import Namespace, NamespaceTxn
from dejavu.model import ConfigError

from ..history.embedder import Embed
from ..terms import content_stems
from .memory_records import (
    SEQUENCES,
    JournalEntry,
    MemoryRecord,
    Operation,
    Sequences,
    decoded,
    journal_key,
    memory_key,
)
from .relevance import Relevance, packed

_encode = msgspec.msgpack.encode


class MemoryCache:
    """The memories as this process last saw them."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.memories: dict[str, MemoryRecord] = {}
        self.relevance = Relevance()
        self._seen = -1

    def expect(self, namespace: Namespace) -> None:
        """Within `Archive.view`: let the next read fetch what `follow` will ask for."""
        namespace.expect([SEQUENCES], [b"m"] if self._seen < 0 else [])

    def follow(self, view: Namespace | NamespaceTxn) -> None:
        """Take in what was committed; inside a change that is everything before this change."""
        head = get_sequences(view).journal
        if self._seen == head:
            return
        if self._seen < 0 or self._seen > head:
            self.memories.clear()
            self.relevance = Relevance()
            for _, value in view.items(b"m"):
                self._take(decoded(value))
        else:
            for sequence in range(self._seen + 1, head + 1):
                self._change(view, sequence)
        self._seen = head

    def _change(self, view: Namespace | NamespaceTxn, sequence: int) -> None:
        value = view.get(journal_key(sequence))
        if value is None:
            return
        identity = msgspec.msgpack.decode(value, type=JournalEntry).id
        memory = get_memory(view, identity)
        if memory is not None:
            self._take(memory)
        elif self.memories.pop(identity, None) is not None:
            self.relevance.remove(identity)

    def _take(self, memory: MemoryRecord) -> None:
        before = self.memories.get(memory.id)
        self.memories[memory.id] = memory
        if before is None or (before.text, before.vector) != (memory.text, memory.vector):
            self.relevance.add(memory)


def get_sequences(view: Namespace | NamespaceTxn) -> Sequences:
    """How far the sequences got."""
    value = view.get(SEQUENCES)
    return Sequences() if value is None else msgspec.msgpack.decode(value, type=Sequences)


def get_memory(view: Namespace | NamespaceTxn, identity: str) -> MemoryRecord | None:
    """The memory with exactly this id."""
    value = view.get(memory_key(identity))
    return None if value is None else decoded(value)


def put_memory(txn: NamespaceTxn, memory: MemoryRecord) -> None:
    """Set a memory."""
    txn.put(memory_key(memory.id), _encode(memory))


def append_journal(txn: NamespaceTxn, events: Sequence[tuple[Operation, str]], at: float) -> None:
    """Append what happened to the ids."""
    before = get_sequences(txn)
    for position, (operation, identity) in enumerate(events, before.journal + 1):
        txn.put(
            journal_key(position), _encode(JournalEntry(at=at, operation=operation, id=identity))
        )
    after = msgspec.structs.replace(before, journal=before.journal + len(events))
    txn.put(SEQUENCES, _encode(after))


_BASELINE = 0.15
"""The cosine of a question and a memory that means nothing; by the development set (MiniLM)."""

_BETWEEN = re.compile(r"[?;\n]+|,?\s+\b(?:and|or|as well as|plus|also)\b\s+", re.IGNORECASE)
_FEWEST = 3  # words of a part that may be a topic
_TOPICS = 4  # parts that are looked at: each costs an embedding
_LOOKED_AT = 2_000  # characters of a question


class MemoryEmbedding:
    """The function `embed` from text to vector, or None; `space` names it."""

    def __init__(self, cache: MemoryCache, embed: Embed | None, space: str) -> None:
        self._cache, self._embed, self.space = cache, embed, space

    def vector(self, text: str) -> list[float]:
        """Return the embedding of a text; empty where none is configured.

        Raises:
            ConfigError: it is not finite, or of another dimension than the vectors stored.
        """
        if self._embed is None:
            return []
        vector = [float(x) for x in self._embed(text)]
        if not vector or not all(map(math.isfinite, vector)) or not any(vector):
            raise ConfigError("the embedding gave no finite vector; fix `embed` of [recall]")
        stored = self._cache.relevance.dimension(self.space)
        if stored not in (None, len(vector)):
            raise ConfigError(
                f"the embedding gave {len(vector)} numbers, the memories stored have {stored}: "
                "another model; set the one of before in `embed` of [recall], or unset it"
            )
        return vector

    def attach(self, memory: MemoryRecord, vector: list[float] | None = None) -> MemoryRecord:
        """Return a memory with its vector, where an embedding is configured."""
        vector = self.vector(memory.text) if vector is None else vector
        if not vector:
            return memory
        return msgspec.structs.replace(memory, vector=packed(vector), space=self.space)

    def missing(self, most: int) -> dict[str, tuple[str, bytes]]:
        """Return vectors for memories that have none of this embedding, at most so many.

        By id, with the text they are of.
        """
        if self._embed is None:
            return {}
        waiting = (one for one in self._cache.memories.values() if one.space != self.space)
        return {
            memory.id: (memory.text, packed(self.vector(memory.text)))
            for memory in islice(waiting, most)
        }

    def relevance(self, context: str) -> dict[str, float]:
        """Return by id how much memories have to do with a question, 0 to 1."""
        by_words = self._cache.relevance.ask(context)
        if self._embed is None or self._cache.relevance.dimension(self.space) is None:
            return by_words  # a model is not loaded for nothing
        nearest: dict[str, float] = {}
        for topic in topics(context):
            near = self._cache.relevance.nearest(self.vector(topic), self.space, _BASELINE)
            nearest = {**near, **{k: max(v, near.get(k, 0.0)) for k, v in nearest.items()}}
        return {
            identity: max(nearest.get(identity, 0.0), 0.6 * by_words.get(identity, 0.0))
            for identity in {*by_words, *nearest}
        }


def topics(question: str) -> list[str]:
    """The question, and each of its parts where it asks for two things or more. O(text)."""
    parts = [part for part in _BETWEEN.split(question[:_LOOKED_AT]) if _asks(part)]
    return [question, *parts[:_TOPICS]] if len(parts) > 1 else [question]


def _asks(part: str) -> bool:
    return len(part.split()) >= _FEWEST and bool(content_stems(part))
