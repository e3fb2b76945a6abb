"""Memories and injections that waited on this machine, put into the archive that can be written again.

`carry_notes` never raises for an archive that still takes none. It holds how a memory
waits; `injection_log.py` knows how it is stored. O(notes that wait).

Tested in: tests/recall/test_injection_log.py
"""

import secrets
import time
from contextlib import suppress

import msgspec

from dejavu.archive import Archive
from dejavu.model import ArchiveError

from .factory import memory_scope
from .injection_log import (
    INJECTION,
    MEMORY,
    WaitingInjection,
    WaitingNote,
    WaitingNotes,
    store_injection,
)
from .memory.memory import Memory


class WaitingMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory as it was given. `scope`: the workspace it holds in; None: that of `folder`."""

    id: str
    text: str
    created_at: float
    source: str = ""
    tags: tuple[str, ...] = ()
    folder: str = ""
    scope: str | None = None


def keep_memory(
    name: str, text: str, *, source: str, tags: tuple[str, ...], folder: str, scope: str | None
) -> WaitingMemory:
    """Keep a memory until the archive `name` can be written. Raises OSError."""
    at = time.time()
    identity = f"{int(at * 1000):011x}{secrets.token_hex(4)}"
    waiting = WaitingMemory(
        id=identity, text=text, created_at=at, source=source, tags=tags, folder=folder, scope=scope
    )
    WaitingNotes(name).save(MEMORY, waiting, identity)
    return waiting


def waiting_memories(name: str) -> list[WaitingNote]:
    """The memories that wait for the archive `name`, the oldest first."""
    return WaitingNotes(name).entries(MEMORY, WaitingMemory)


def carry_notes(archive: Archive) -> int:
    """Put into the archive what waits for it; return how many notes that were."""
    notes, count = WaitingNotes(archive.name), 0
    if not archive.writable:
        return 0
    with suppress(ArchiveError, OSError):
        count += notes.carry(archive, MEMORY, WaitingMemory, _store_memory)
        count += notes.carry(archive, INJECTION, WaitingInjection, store_injection)
    return count


def _store_memory(archive: Archive, waiting: WaitingMemory) -> None:
    scope = waiting.scope
    Memory(archive, clock=lambda: waiting.created_at).remember(
        waiting.text, source=waiting.source, tags=waiting.tags, identity=waiting.id,
        workspace=memory_scope(archive, waiting.folder) if scope is None else scope,
    )  # fmt: skip
