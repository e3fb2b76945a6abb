"""Outputs of tools that an agent put into files of their own, because they were too long for its log.

The log has their beginning and says where the rest is. `SpilledOutputs` reads them while the log is
parsed, and remembers which it read. Ingest keeps them with the log (`spilled_source`), so that it
can be parsed again when they are long gone. Only the last part of a path that a log tells is
believed: a file is looked for in the session's own folder and nowhere else. O(bytes of the files).

Tested in: tests/services/undelete/test_undelete.py
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

from dejavu.model import UnreadableSessionError

from .follow.append import open_plain
from .protocol import Kind, Source

# Claude Code's words, and Gemini CLI's ("available at: ", "For full output see: ").
_PATH = re.compile(
    r"(?:saved to|written to|available at|output see):? ?"
    r"[^\n]*[\\/]tool[-_](?:results|outputs?)[\\/](?:[^\n]*[\\/])?(\w[\w.-]*)"
)
_NAME = re.compile(r"(?:^|[\\/])(\w[\w.-]*)$")
LONGEST = 16 << 20
"""Bytes that are kept of a file next to a session log; one of this size may lack its end."""
_LOOKED_AT = 4096  # characters of each end of an output, one of which must say where the rest is


def read_file(path: Path) -> bytes | None:
    """The first 16 MiB of a spilled output; None where it cannot be read."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            return file.read(LONGEST)
    except (OSError, UnreadableSessionError):
        return None


def read_whole(path: Path) -> bytes | None:
    """A file of less than 16 MiB; None where it is larger or cannot be read."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            data = file.read(LONGEST)
    except (OSError, UnreadableSessionError):
        return None
    return data if len(data) < LONGEST else None


def spilled_source(source: Source, path: Path) -> Source:
    """The source that a file kept with a session log is."""
    session = source.native_id or source.name or str(source.path)
    folder = "" if path.parent.name == "tool-results" else f"{path.parent.name}/"
    name = f"{session.partition('/')[0]}/{folder}{path.name}"
    return Source(source.agent, path, source.instance, Kind.SIDE_FILE, name=name)


class SpilledOutputs:
    """The spilled outputs of one session log. `read` returns a file's bytes, or None."""

    def __init__(self, read: Callable[[Path], bytes | None] = read_file) -> None:
        self.read = read
        self._used: dict[Path, bytes] = {}

    def take(self) -> dict[Path, bytes]:
        """The files that were read since this was last asked."""
        used, self._used = self._used, {}
        return used

    def full_text(self, shown: str, *folders: Path) -> str | None:
        """The whole of an output of which `shown` is an excerpt; None where it is not there."""
        match = _PATH.search(shown, 0, _LOOKED_AT) or _PATH.search(shown[-_LOOKED_AT:])
        return None if match is None else self.named(match.group(1), *folders)

    def named(self, stated: str, *folders: Path) -> str | None:
        """The output in the file of this path's name, in the first of `folders` that has it."""
        match = _NAME.search(stated)
        if match is None:
            return None
        for folder in folders:
            path = folder / match.group(1)
            data = self.read(path)
            if data is not None:
                self._used[path] = data
                return data.decode("utf-8", "replace")
        return None
