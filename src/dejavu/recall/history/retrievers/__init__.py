"""Tiers: ways to find turns that answer, one a file, behind one registry.

A tier takes a question and a view of the index; gives a score for each turn it found, in a measure
of its own. What the scores are worth beside each other is the blend's business.
"""

from .registry import RETRIEVERS, Retriever, SearchContext

__all__ = ["RETRIEVERS", "Retriever", "SearchContext"]
