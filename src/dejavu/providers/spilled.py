"""Outputs of tools that an agent put into files of their own, because they were too long for its log.

The log has their beginning and says where the rest is. `SpilledOutputs` reads them while the log is
parsed, and remembers which it read: whoever archives the log keeps them with it (`beside`), so that
the log can be parsed again when they are long gone. Only the last part of a path that a log tells is
believed: a file is looked for in the session's own folder and nowhere else. O(bytes of the files).
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

from dejavu.model import UnreadableSessionError

from .follow.append import open_plain
from .protocol import Kind, Source

_PATH = re.compile(
    r"(?:saved|written) to:? ?([^\n]*[\\/]tool[-_](?:results|outputs?)[\\/]([^\n]*[\\/])?([\w][\w.-]*))"
)
_LONGEST = 16 << 20
_LOOKED_AT = 4096  # characters of an output that must say where the rest is


def read_file(path: Path) -> bytes | None:
    """The first 16 MiB of a spilled output; None where it cannot be read."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            return file.read(_LONGEST)
    except (OSError, UnreadableSessionError):
        return None


def beside(source: Source, path: Path) -> Source:
    """The source that a file beside a session log is."""
    session = source.native_id or source.name or str(source.path)
    name = f"{session.partition('/')[0]}/{path.name}"
    return Source(source.agent, path, source.instance, Kind.BESIDE, name=name)


class SpilledOutputs:
    """The spilled outputs of one session log. `read` returns a file's bytes, or None."""

    def __init__(self, read: Callable[[Path], bytes | None] = read_file) -> None:
        self.read = read
        self._used: dict[Path, bytes] = {}

    def take(self) -> dict[Path, bytes]:
        """The files that were read since this was last asked."""
        used, self._used = self._used, {}
        return used

    def full_text(self, shown: str, folder: Path) -> str | None:
        """The whole of an output of which `shown` is the beginning; None where it is not there."""
        match = _PATH.search(shown, 0, _LOOKED_AT)
        if match is None:
            return None
        path = folder / match.group(3)
        data = self.read(path)
        if data is None:
            return None
        self._used[path] = data
        return data.decode("utf-8", "replace")
