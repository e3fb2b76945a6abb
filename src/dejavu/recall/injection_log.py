"""What was put before prompts, and notes that wait on this machine until the archive can be written.

The injection log is the audit of who was given what, and what a session was given already:

    o<workspace>         injection is switched off there and below (empty: everywhere)
    s<session> 00 <item>     given before in this session
    a<sequence>          what was given: when, to whom, which records with which scores

A prompt waits for no writer and no network: a note goes into the archive where that is near and free,
else onto this machine until it can be carried. A note (a memory, or what was injected) is a file of
its owner's, one folder an archive, durable (fsync) when `save` returns. Files, not a store: one of
them can be erased for good. `carry` puts them into the archive in the order they were saved; a note
whose place was committed but whose file outlived a crash changes nothing there. Where a login may
only read, injections stay here: the newest `MOST` are kept, older ones are dropped. Lines of agents
wait elsewhere (`ingest/spool.py`). `carry_notes` puts all that waits into an archive, and never raises
for one that still takes none. Costs two fsync a note; O(notes) to list.

Tested in: tests/recall/test_injection.py
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive, NamespaceTxn
from dejavu.config.files import fsync_folder, replace_file, try_lock
from dejavu.config.paths import is_server, private_folder, state_home, without_password
from dejavu.model import ArchiveError, ArchiveLockedError, ArchiveUnavailableError
from dejavu.model.blake2 import blake2b
from dejavu.model.conversation import turn_name

from .context_block import Item

MOST = 1_000
"""Injections that wait for one archive."""
INJECTION, MEMORY = "injection", "memory"

Store = Callable[[Archive, Any], object]


class WaitingNote(NamedTuple):
    """A file, and the object in it."""

    path: Path
    value: Any

    @property
    def identity(self) -> str:
        """The id of a memory, as it was told when the memory was given."""
        return self.path.name.split(".")[1]


class WaitingNotes:
    """The notes that wait for the archive called `name`: a path, or a URL."""

    def __init__(self, name: str) -> None:
        """Look at nothing yet."""
        name = without_password(name) if is_server(name) else str(Path(name).expanduser().resolve())
        digest = blake2b(name.encode("utf-8", "replace"), digest_size=8).hexdigest()
        self.folder = state_home() / "notes" / digest

    def save(self, kind: str, value: msgspec.Struct, identity: str) -> None:
        """Keep a note, durable on return. Raises OSError; nothing is left then."""
        paths = self._paths(private_folder(self.folder))
        newest = max((int(path.name[:20]) for path in paths), default=0)
        number = max(time.time_ns(), newest + 1)  # in order, whatever the clock does
        path = self.folder / f"{number:020}.{identity}.{kind}"
        replace_file(path, msgspec.json.encode(value), durable=True)
        if kind == INJECTION:
            for old in [path for path in paths if path.suffix == f".{kind}"][: 1 - MOST]:
                old.unlink(missing_ok=True)

    def entries(self, kind: str, type_: type[Any]) -> list[WaitingNote]:
        """The notes of a kind, the oldest first; what cannot be read is left out."""
        found: list[WaitingNote] = []
        for path in self._paths(self.folder):
            if path.suffix == f".{kind}":
                with suppress(OSError, msgspec.MsgspecError):
                    found.append(
                        WaitingNote(path, msgspec.json.decode(path.read_bytes(), type=type_))
                    )
        return found

    def count(self, kind: str) -> int:
        """How many notes of a kind wait."""
        return sum(path.suffix == f".{kind}" for path in self._paths(self.folder))

    def discard(self, note: WaitingNote) -> None:
        """Remove a note for good."""
        note.path.unlink(missing_ok=True)
        fsync_folder(self.folder)

    def carry(self, archive: Archive, kind: str, type_: type[Any], store: Store) -> int:
        """Let `store` put the notes of a kind into the archive; return how many it took.

        A note that is refused stays, and the next is tried. Raises ArchiveUnavailableError and
        ArchiveLockedError where none can be stored now.
        """
        if not self.count(kind):
            return 0
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        count = 0
        try:
            for note in self.entries(kind, type_) if try_lock(descriptor) else ():
                try:
                    store(archive, note.value)
                except (ArchiveUnavailableError, ArchiveLockedError):
                    raise
                except (ArchiveError, ValueError):
                    continue
                self.discard(note)
                count += 1
        finally:
            os.close(descriptor)
        return count

    @staticmethod
    def _paths(folder: Path) -> list[Path]:
        """The files in order."""
        try:
            return sorted(path for path in folder.iterdir() if path.name[:20].isdecimal())
        except FileNotFoundError:
            return []


NAMESPACE = "injections"

_PATIENCE = 0.1  # seconds that a prompt waits for another writer
_SEEN = 50  # rows of the audit in which a note that was stored before is looked for
_MARK = b"h"


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """One injection, as the audit keeps it: no texts, only places and scores.

    `sequence` is 0 where it is noted on this machine alone.
    """

    sequence: int
    at: float
    session: str
    workspace: str
    size: int
    items: tuple[tuple[str, float], ...]


class WaitingInjection(msgspec.Struct, frozen=True, kw_only=True):
    """An injection that is noted on this machine alone."""

    at: float
    session: str
    workspace: str
    size: int
    items: tuple[tuple[str, float], ...]


def audit(archive: Archive, *, limit: int = 50) -> list[Injection]:
    """The last injections, the newest first."""
    injections = [Injection(sequence=0, **msgspec.structs.asdict(one)) for one in _waiting(archive)]
    for _, value in islice(archive.namespace(NAMESPACE).items(b"a"), limit):
        injections.append(msgspec.msgpack.decode(value, type=Injection))
    return sorted(injections, key=lambda one: -one.at)[:limit]


def _waiting(archive: Archive) -> list[WaitingInjection]:
    """What is noted on this machine alone."""
    return [note.value for note in WaitingNotes(archive.name).entries(INJECTION, WaitingInjection)]


def _session_key(session: str) -> bytes:
    return b"s" + session.encode("utf-8", "replace")[:200] + b"\0"


def expect_injected(archive: Archive, session: str, keys: Sequence[bytes]) -> None:
    """Within `Archive.view`: let the next read fetch what `already_injected` asks for, and these switches."""
    archive.namespace(NAMESPACE).expect(keys, [_session_key(session)] if session else [])


def already_injected(archive: Archive, session: str) -> set[str]:
    """What was put before a prompt of this session already."""
    if not session:
        return set()
    prefix = _session_key(session)
    waiting = {name for one in _waiting(archive) if one.session == session for name, _ in one.items}
    return waiting | {
        key[len(prefix) :].decode() for key, _ in archive.namespace(NAMESPACE).items(prefix)
    }


def note(
    archive: Archive, injected: Sequence[Item], session: str, workspace: str, size: int, at: float
) -> WaitingInjection:
    """Keep who was given what, before it is given: a prompt waits for no writer and no network."""
    named = tuple(
        (item.session if item.seq is None else turn_name(item.session, item.seq), item.score)
        for item in injected
    )
    fresh = WaitingInjection(at=at, session=session, workspace=workspace, size=size, items=named)
    if archive.writable and not archive.views.far:
        with suppress(ArchiveError, OSError):
            store_injection(archive, fresh, patience=_PATIENCE)
            return fresh
    WaitingNotes(archive.name).save(INJECTION, fresh, os.urandom(4).hex())
    return fresh


def withdraw(archive: Archive, noted: WaitingInjection) -> None:
    """Take back a note of what came too late to be given: the next prompt may have it.

    Raises:
        ArchiveError, OSError: it stays.
    """

    def change(txn: NamespaceTxn) -> None:
        for key, stored in list(islice(txn.items(b"a"), _SEEN)):
            row = msgspec.msgpack.decode(stored, type=Injection)
            if (row.at, row.session, row.items) == (noted.at, noted.session, noted.items):
                txn.delete(key)
                for name, _ in noted.items if noted.session else ():
                    txn.delete(_session_key(noted.session) + name.encode())

    waiting = WaitingNotes(archive.name)
    for one in waiting.entries(INJECTION, WaitingInjection):
        if one.value == noted:
            waiting.discard(one)
            return
    if archive.writable:
        archive.namespace(NAMESPACE).change(change, patience=_PATIENCE)


def store_injection(
    archive: Archive, note: WaitingInjection, *, patience: float | None = None
) -> None:
    """Put a note into the archive; one that is there already changes nothing.

    Raises:
        ArchiveError: it cannot be written, or not within `patience` seconds.
    """

    def change(txn: NamespaceTxn) -> None:
        for _, stored in islice(txn.items(b"a"), _SEEN):
            row = msgspec.msgpack.decode(stored, type=Injection)
            if (row.at, row.session, row.items) == (note.at, note.session, note.items):
                return
        value = txn.get(_MARK)
        sequence = 1 + (0 if value is None else msgspec.msgpack.decode(value, type=int))
        row = Injection(sequence=sequence, **msgspec.structs.asdict(note))
        txn.put(b"a" + (2**64 - 1 - sequence).to_bytes(8, "big"), msgspec.msgpack.encode(row))
        txn.put(_MARK, msgspec.msgpack.encode(sequence))
        if note.session:
            for name, _ in note.items:
                txn.put(_session_key(note.session) + name.encode(), b"\xc3")

    archive.namespace(NAMESPACE).change(change, patience=patience)


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
    identity = f"{int(at * 1000):011x}{os.urandom(4).hex()}"
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
    from .factory import memory_scope  # of use to a memory that waited alone
    from .memory.memory import Memory

    scope = waiting.scope
    Memory(archive, clock=lambda: waiting.created_at).remember(
        waiting.text, source=waiting.source, tags=waiting.tags, identity=waiting.id,
        workspace=memory_scope(archive, waiting.folder) if scope is None else scope,
    )  # fmt: skip
