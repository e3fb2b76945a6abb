"""What a source was: kept, so that its raw can be parsed again when it is long gone.

Takes sources; gives them back by key. One small record a source, in a namespace of the archive.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import msgspec

from dejavu.archive import Archive
from dejavu.archive.namespace import NamespaceTxn
from dejavu.providers import Kind, Source

SOURCES = "sources"
"""The namespace: a record for each source that can be parsed again."""


def remember(archive: Archive, sources: Iterable[Source]) -> None:
    """Keep what these sources were, in one transaction."""
    facts = {
        source.key.encode(): msgspec.msgpack.encode(
            {**asdict(source), "path": str(source.path), "kind": str(source.kind)}
        )
        for source in sources
    }
    if facts:
        put_all(archive, SOURCES, facts)


def put_all(archive: Archive, namespace: str, records: Mapping[bytes, bytes]) -> None:
    """Put several records in a namespace of the archive, in one transaction."""

    def put(txn: NamespaceTxn) -> None:
        for key, value in records.items():
            txn.put(key, value)

    archive.namespace(namespace).change(put)


def remembered(archive: Archive, key: str) -> Source | None:
    """What the source of `key` was; None if it was never read by `sync`."""
    kept = archive.namespace(SOURCES).get(key.encode())
    if kept is None:
        return None
    facts = msgspec.msgpack.decode(kept)
    known: dict[str, Any] = {f.name: facts[f.name] for f in fields(Source) if f.name in facts}
    known |= {"path": Path(facts["path"]), "kind": Kind(facts["kind"])}
    return Source(**known)
