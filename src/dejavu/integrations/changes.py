"""Edits as changes of files: planned, shown, applied, reverted.

A `Change` is what a dry run shows and what is then applied. A file is replaced whole, next to
itself, with its mode; a link stays a link and its target is changed. What a change depends on is
read again just before: a file that was changed meanwhile is left alone. O(size of the file).
"""

import difflib
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dejavu.config.files import naming, read_regular_file, replace_file
from dejavu.model import ConfigError

from . import manifest
from .json_edit import UnreadableFileError
from .manifest import Record, digest
from .registration import Edit


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of one file. None: there is none. `refused` says why nothing is."""

    agent: str
    path: Path
    what: str
    current: bytes | None
    planned: bytes | None
    original: bytes | None = None
    """What was there before any of our changes."""
    refused: str = ""

    @property
    def needed(self) -> bool:
        """Whether anything is to be done."""
        return not self.refused and self.current != self.planned

    def diff(self) -> str:
        """The change, as a unified diff."""
        old, new = (
            [
                line
                for line in re.split(r"(?<=\n)", (data or b"").decode("utf-8", "replace"))
                if line
            ]
            for data in (self.current, self.planned)
        )
        name = str(self.path)
        rows = difflib.unified_diff(old, new, name, name, n=2)
        return "".join(
            row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows
        )


def plan_add(agent: str, edits: Iterable[Edit]) -> list[Change]:
    """What registering needs."""
    return [_plan_add(agent, edit) for edit in edits]


def _plan_add(agent: str, edit: Edit) -> Change:
    try:
        path = _target(edit.path)
        current = _read(path)
        record = manifest.records().get(path)
        untouched = record is not None and current is not None and digest(current) == record.written
        text = _text(current)
        planned = edit.add(text).encode()
        if record is not None and untouched and planned != current:
            planned = edit.add(
                _text(record.before)
            ).encode()  # over what was there, not over ourselves
        original = (
            record.before if record is not None and untouched else _original(edit, current, record)
        )
    except (UnreadableFileError, OSError) as error:
        return Change(agent, edit.path, edit.what, None, None, refused=_reason(error))
    return Change(agent, path, edit.what, current, planned, original)


def _original(edit: Edit, current: bytes | None, record: Record | None) -> bytes | None:
    """What the file would be without us."""
    if current is None:
        return None
    before = "" if record is None or record.before is None else record.before.decode()
    bare = edit.remove(_text(current), before)
    if record is not None and record.before is None and bare.strip() in ("", "{}"):
        return None
    return bare.encode()


def plan_remove(agent: str, edits: Iterable[Edit]) -> list[Change]:
    """What taking us out needs."""
    return [change for edit in edits if (change := _plan_remove(agent, edit)) is not None]


def _plan_remove(agent: str, edit: Edit) -> Change | None:
    try:
        path = _target(edit.path)
        current, record = _read(path), manifest.records().get(path)
        if current is None:
            return None if record is None else Change(agent, path, edit.what, None, None)
        if record is not None and digest(current) == record.written:
            return Change(agent, path, edit.what, current, record.before, record.before)
        planned = _original(edit, current, record)
    except (UnreadableFileError, OSError) as error:
        return Change(agent, edit.path, edit.what, None, None, refused=_reason(error))
    return Change(agent, path, edit.what, current, planned)


def apply(change: Change) -> None:
    """Register: write the manifest, then the file.

    Raises:
        ConfigError: the file was changed meanwhile.
    """
    if not change.needed or change.planned is None:
        return
    _check_unchanged(change)
    record = manifest.records().get(change.path)
    folders = record.folders if record is not None else _missing(change.path.parent)
    manifest.keep(
        Record(change.agent, change.path, change.original, digest(change.planned), folders)
    )
    with naming(change.path):
        change.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(change.path, change.planned)


def revert(change: Change) -> None:
    """Take us out: the file, then the folders that were made for it, then the manifest.

    Raises:
        ConfigError: the file was changed meanwhile.
    """
    _check_unchanged(change)
    record = manifest.records().get(change.path)
    with naming(change.path):
        if change.needed and change.planned is None:
            change.path.unlink(missing_ok=True)
        elif change.needed and change.planned is not None:
            _replace(change.path, change.planned)
    if record is not None:
        manifest.forget(change.path)
        remaining = [name for name in reversed(record.folders) if not _remove_if_empty(Path(name))]
        manifest.hand_over(remaining[::-1])


def _target(path: Path) -> Path:
    """The file itself, behind links."""
    real = Path(os.path.realpath(path))
    if real.exists() and not real.is_file():
        raise UnreadableFileError("it is not a regular file")
    return real


def _read(path: Path) -> bytes | None:
    try:
        return read_regular_file(path)
    except FileNotFoundError:
        return None


def _text(data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"not UTF-8 at byte {error.start}") from None


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _check_unchanged(change: Change) -> None:
    if _read(change.path) != change.current:
        raise ConfigError(f"{change.path} was changed just now; run the command again")


def _remove_if_empty(folder: Path) -> bool:
    """Remove a folder if it is empty; whether it is gone."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    return not folder.exists()


def _missing(folder: Path) -> tuple[str, ...]:
    return tuple(str(f) for f in reversed([folder, *folder.parents]) if not f.exists())


def _replace(path: Path, data: bytes) -> None:
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600
    replace_file(path, data, mode=mode, durable=True)
