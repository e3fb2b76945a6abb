"""Where a conversation came from: its sources, and what they do not agree on.

Takes an archive and a conversation's id; gives plain values. O(its sources).
"""

from typing import Any

from dejavu.archive import Archive
from dejavu.model import Vector

from ..source_registry import remembered
from .arbitrate import tellings, verdict


def sources_of(archive: Archive, conversation: str) -> list[dict[str, Any]]:
    """`{key, vector, name, bytes}` of every source that tells it, the best first."""
    told = {one.source.key: one for one in tellings(archive, conversation)}
    found: list[dict[str, Any]] = []
    for key in archive.sources(conversation):
        one = told.get(key)
        source = one.source if one is not None else remembered(archive, key)
        vector = one.vector if one is not None else Vector.NATIVE
        name = "" if source is None else str(source.path)
        size = archive.raw_length(key)
        found.append({"key": key, "vector": str(vector), "name": name, "bytes": size})
    return sorted(found, key=lambda entry: Vector(entry["vector"]).rank)


def disagreement(archive: Archive, conversation: str) -> dict[str, dict[str, int]]:
    """By vector, what the better ones lacked or it tells otherwise; vectors that agree are out."""
    return {vector: counts for vector, counts in verdict(archive, conversation).items() if counts}


def sentence(counts: dict[str, int]) -> str:
    """`lacked answer 2, differs call 1` as a person reads it."""
    verbs = {"lacked": "alone had", "differs": "tells otherwise", "mended": "mended"}
    told: dict[str, list[str]] = {}
    for name, count in counts.items():
        verb, _, kind = name.partition(" ")
        told.setdefault(verbs.get(verb, verb), []).append(f"{count} {_plural(kind, count)}")
    return "; ".join(f"{verb} {', '.join(kinds)}" for verb, kinds in told.items())


def _plural(kind: str, count: int) -> str:
    if count == 1 or kind == "reasoning":
        return kind
    return f"{kind}s"
