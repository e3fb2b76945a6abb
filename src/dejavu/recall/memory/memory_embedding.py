"""The embeddings of memories: a text's vector, checked, and how near memories are to a question.

O(memories) a question where an embedding is configured, else O(memories that share a word).

Tested in: tests/recall/memory/test_memory.py
"""

import math
import re
from itertools import islice

import msgspec

from dejavu.model import ConfigError

from ..history.embedder import Embed
from ..terms import content_stems
from .memory_cache import MemoryCache
from .memory_records import MemoryRecord
from .relevance import packed

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
