"""The tiers there are, in the order they are asked."""

from .base import Retriever, SearchContext
from .embedding import Embedding
from .entity import Entity
from .files import Files, Graph
from .lexical import Lexical, Trigram

__all__ = ["DEFAULT", "RETRIEVERS", "Retriever", "SearchContext"]

RETRIEVERS: tuple[Retriever, ...] = (Lexical(), Entity(), Trigram(), Files(), Graph(), Embedding())
DEFAULT = (Lexical.name, Trigram.name, Embedding.name)
"""The retrievers asked by default. The others changed no figure (docs/evidence.md)."""
