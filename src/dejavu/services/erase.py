"""What of deleted conversations is outside the archive: spools, refused letters, sessions.

A letter that a hook left, lines that the archive would not take, the record of a session that is
over and files copied from another machine are removed where they name a deleted conversation.
Agents' own files (there, too) and recordings made with `--record` are not ours to
delete. Costs one read of the spools and of the copies.

Tested in: tests/interfaces/cli/test_delete.py
"""

import json
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from dejavu.config.extensions import parts
from dejavu.config.paths import state_home
from dejavu.ingest.machines.mirror import erase as erase_copies
from dejavu.ingest.spool import spool_folder
from dejavu.sessions import session_store

from . import hook_protocol
from .daemon.spool import REFUSED

_SHORTEST = 4  # bytes of a text that can be told from any other


def erase_traces(conversations: Collection[str], native_ids: Collection[str]) -> int:
    """Remove what is left of conversations; return how many files and sessions that were."""
    marks = [name.encode() for name in {*conversations, *native_ids} if name]
    removed = 0
    for path in _letters():
        with suppress(FileNotFoundError):
            data = path.read_bytes()
            if any(mark in data for mark in marks):
                path.unlink()
                removed += 1
    for session in session_store.find_all():
        if not session.live and session.status.conversation in conversations:
            shutil.rmtree(session.folder, ignore_errors=True)
            removed += 1
    for part in parts("traces"):
        removed += int(part.erase(conversations))
    return removed + (erase_copies(marks) if marks else 0)


def erase_letters(texts: Collection[bytes]) -> int:
    """Remove the letters and lines that hold one of some texts; return how many files that were."""
    removed = 0
    marks = [text for text in texts if len(text) >= _SHORTEST]
    for path in _letters():
        with suppress(FileNotFoundError):
            data = path.read_bytes()
            if any(
                mark in data or json.dumps(mark.decode())[1:-1].encode() in data for mark in marks
            ):
                path.unlink()
                removed += 1
    return removed


def _letters() -> Iterator[Path]:
    hooks = state_home() / "hooks"
    for folder in (hooks / hook_protocol.SPOOL, hooks / REFUSED, spool_folder()):
        if folder.is_dir():
            yield from (path for path in sorted(folder.iterdir()) if path.is_file())
