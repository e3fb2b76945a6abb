"""Where a conversation came from: its sources, and what they do not agree on. O(its sources)."""

from typing import Any

from dejavu.archive import Archive
from dejavu.model import Vector

from ..channel import load_session_log, merged_channels
from .arbitrate import merge_statistics


def sources_of(archive: Archive, conversation: str) -> list[dict[str, Any]]:
    """`{key, vector, name, bytes}` of every source that holds it, the best first."""
    channels = {channel.key: channel for channel in merged_channels(archive, conversation)}
    entries: list[dict[str, Any]] = []
    for key in archive.sources.of(conversation):
        channel = channels.get(key)
        source = channel.source if channel is not None else load_session_log(archive, key)
        vector = channel.vector if channel is not None else Vector.NATIVE
        name = "" if source is None else str(source.path)
        size = archive.sources.raw_length(key)
        entries.append({"key": key, "vector": str(vector), "name": name, "bytes": size})
    return sorted(entries, key=lambda entry: Vector(entry["vector"]).rank)


def disagreements(archive: Archive, conversation: str) -> dict[str, dict[str, int]]:
    """By vector, what the better ones lacked or it has otherwise; vectors that agree are out."""
    statistics = merge_statistics(archive, conversation)
    return {vector: counts for vector, counts in statistics.items() if counts}


def describe_counts(counts: dict[str, int]) -> str:
    """`lacked answer 2, differs call 1` as "only source of 2 answers; differs in 1 call"."""
    verbs = {"lacked": "only source of", "differs": "differs in", "mended": "fixed"}
    phrases: dict[str, list[str]] = {}
    for name, count in counts.items():
        verb, _, kind = name.partition(" ")
        phrases.setdefault(verbs.get(verb, verb), []).append(f"{count} {_plural(kind, count)}")
    return "; ".join(f"{verb} {', '.join(kinds)}" for verb, kinds in phrases.items())


def _plural(kind: str, count: int) -> str:
    if count == 1 or kind == "reasoning":
        return kind
    return f"{kind}s"
