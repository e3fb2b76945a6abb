"""Tiers: ways to find turns that answer, one a file, behind one registry.

A tier scores the turns of an index snapshot that match a question, in a measure
of its own. What the scores are worth beside each other is the blend's business.
"""

from .registry import RETRIEVERS, Retriever, SearchContext

__all__ = ["RETRIEVERS", "Retriever", "SearchContext"]
