"""Notes that wait on this machine until the archive can be written: memories, and what was injected.

A note is a file of its owner's, one folder an archive, durable (fsync) when `save` returns. Files, not a
store: one of them can be erased for good. `carry` puts them into the archive in the order they were
saved; a note whose place was committed but whose file outlived a crash changes nothing there.

Where a login may only read, injections stay here: the newest `MOST` are kept, older ones are dropped.
Lines of agents wait elsewhere (`ingest/spool.py`). Costs two fsync a note; O(notes) to list.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.config.archive_address import without_password
from dejavu.config.files import fsync_folder, replace_file, try_lock
from dejavu.config.paths import is_server, private_folder, state_home
from dejavu.model import ArchiveError, ArchiveLockedError, ArchiveUnavailableError

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
