"""The tiers there are, in the order they are asked."""

from .base import Retriever, SearchContext
from .embedding import Embedding
from .entity import Entity
from .files import Files
from .graph import Graph
from .lexical import Lexical
from .trigram import Trigram

__all__ = ["RETRIEVERS", "Retriever", "SearchContext"]

RETRIEVERS: tuple[Retriever, ...] = (Lexical(), Entity(), Trigram(), Files(), Graph(), Embedding())
