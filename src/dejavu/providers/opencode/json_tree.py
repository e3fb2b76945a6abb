"""OpenCode's trees of JSON files, of both generations before the database.

Presents the sessions of a tree as a store. A file that vanished or is damaged is an empty object:
what was archived of it stays. O(files of a session) stats a look.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..follow.append import open_plain
from ..follow.session_store import Entry, Message
from ..follow.stamp import modified_at, stamp_of
from ..formats.json_lines import as_dict, as_int, decode_lenient
from ..formats.long_lines import longest_line


@dataclass(slots=True)
class Tree:
    """A tree of JSON files: `info`, `message/<session>/`, `part/[<session>/]<message>/`."""

    info: Path
    root: Path
    pattern: str
    nested: bool

    @property
    def path(self) -> Path:
        """The tree's folder."""
        return self.root

    def sessions(self) -> Iterable[str]:
        """By their files."""
        return [path.stem for path in sorted(self.info.glob(self.pattern))]

    def gate(self, native: str) -> tuple[int, ...] | None:
        """Costs a stat for the session and for each of its messages and parts."""
        path = self._file(native)
        if path is None:
            return None
        prints = [entry.print for entry in self.index(native).values()]
        newest = max((print_[-1] for print_ in prints), default=0)
        return (
            modified_at(stamp_of(path.stat())),
            len(prints),
            sum(print_[1] for print_ in prints),
            newest,
        )

    def extra_paths(self, native: str) -> tuple[Path, ...]:
        """The session's file, which changes at every prompt, and the folders of what it holds.

        The files in these folders are not among them: a session may have thousands.
        """
        info, folder = self._file(native), self.root / "message" / native
        parts = [self._parts(native, path.stem) for path, _ in _files(folder)]
        return tuple(filter(None, (info, folder, *parts)))

    def _file(self, native: str) -> Path | None:
        return next(iter(self.info.glob(self.pattern.replace("*.json", f"{native}.json"))), None)

    def session(self, native: str) -> dict[str, Any]:
        """The session's file."""
        path = self._file(native)
        return {} if path is None else _object(path)

    def index(self, native: str) -> dict[str, Entry]:
        """Messages by file; their time is in them, so it is not asked here: ids rise with time."""
        index: dict[str, Entry] = {}
        for path, changed in _files(self.root / "message" / native):
            parts = _files(self._parts(native, path.stem))
            newest = max((mtime for _, mtime in parts), default=0)
            index[path.stem] = Entry(0.0, (changed, len(parts), max(changed, newest)))
        return index

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Each message's file and its parts' files, in the order of their ids."""
        for name in wanted:
            data = _object(self.root / "message" / native / f"{name}.json")
            if data:
                files = _files(self._parts(native, name))
                parts = [{"id": path.stem, "data": _object(path)} for path, _ in files]
                made = as_int(as_dict(data.get("time")).get("created"))
                yield {"id": name, "created": made, "data": data, "parts": parts}

    def _parts(self, native: str, message: str) -> Path:
        folder = self.root / "part"
        return folder / native / message if self.nested else folder / message


def _files(folder: Path) -> list[tuple[Path, int]]:
    """The JSON files of a folder with their times, by name; none if it is missing."""
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (Path(entry.path), modified_at(stamp_of(entry.stat(follow_symlinks=False))))
                for entry in entries
                if entry.name.endswith(".json") and not entry.name.startswith(".")
            )
    except OSError:
        return []


def _object(path: Path) -> dict[str, Any]:
    """The object in a file; empty if it vanished, is damaged or too long."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            return as_dict(decode_lenient(file.read(longest_line())))
    except OSError:
        return {}
