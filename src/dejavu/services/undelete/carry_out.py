"""Doing what a plan says, and taking it back.

The record is written first. A file appears whole or not at all and never takes another's place; an
index is replaced whole; rows come in one transaction. A kill at any moment leaves what a second run
completes, or `take_back` removes: at most a hidden file next to a place, which both clean up.

Tested in: tests/services/undelete/test_undelete.py
"""

import os
from hashlib import sha256
from pathlib import Path

from dejavu.config.files import create_file, fsync_folder, naming, partial_name, replace_file
from dejavu.model import ConfigError
from dejavu.providers.restorer import EntryItem, FileItem, RowsItem

from . import record
from .plan import Plan, Step, again
from .record import Change, Record
from .rows import add_rows, compare_rows, remove_rows


def carry_out(plan: Plan) -> None:
    """Put everything back that is needed.

    Raises:
        ConfigError: something was refused, or appeared just now; what was done before stays.
        OSError: something could not be written.
    """
    if plan.refused:
        raise ConfigError("nothing was put back: parts of it are refused")
    if not plan.needed:
        return
    before = record.load(plan.conversation.id)
    _clean(before)
    steps = [again(step) for step in plan.needed]
    record.keep(_recorded(plan, steps, before))
    for step in steps:
        _do(step)


def _recorded(plan: Plan, steps: list[Step], before: Record | None) -> Record:
    """The record of these steps, together with an earlier one's."""
    changes = {(one.kind, one.path): one for one in (before.changes if before else ())}
    folders = dict.fromkeys(before.folders if before else ())
    for step in steps:
        match step.item:
            case FileItem(path=path):
                changes["file", path] = Change("file", path, step.digest)
                folders |= dict.fromkeys(_absent_folders(path.parent))
            case EntryItem(path=path):
                current = path.read_bytes() if path.exists() else None
                written = sha256(step.item.add(current)).hexdigest()
                known = changes.get(("entry", path))
                first = known.before if known is not None else current
                changes["entry", path] = Change("entry", path, written, first)
                folders |= dict.fromkeys(_absent_folders(path.parent))
            case RowsItem(path=path):
                known = changes.get(("rows", path))
                rows = (*(known.rows if known else ()), *compare_rows(step.item)[0])
                unique = {(row.table, *(row.values[name] for name in row.key)): row for row in rows}
                changes["rows", path] = Change("rows", path, rows=tuple(unique.values()))
            case _:
                pass
    return Record(plan.conversation.id, os.getpid(), tuple(folders), tuple(changes.values()))


def _do(step: Step) -> None:
    match step.item:
        case FileItem(path=path, read=read):
            with naming(path):
                _make_folders(path.parent)
                try:
                    create_file(path, read(), durable=True)
                except FileExistsError:
                    if again(step).state != "there":
                        raise ConfigError(
                            f"{path} appeared just now; it was left as it is"
                        ) from None
        case EntryItem(path=path, add=add):
            with naming(path):
                _make_folders(path.parent)
                current = path.read_bytes() if path.exists() else None
                mode = path.stat().st_mode & 0o777 if current is not None else 0o600
                replace_file(path, add(current), mode=mode, durable=True)
        case RowsItem(path=path, rows=rows):
            add_rows(path, rows)
        case _:
            pass


def take_back(conversation: str) -> tuple[list[Path], list[Path]]:
    """Remove what was put back and is as it was written; return what went, and what stays.

    Raises:
        OSError: something could not be removed.
    """
    stored = record.load(conversation)
    if stored is None:
        return [], []
    _clean(stored)
    gone: list[Path] = []
    stays: list[Path] = []
    for change in reversed(stored.changes):
        if (done := _undone(change)) is not None:
            (gone if done else stays).append(change.path)
    for folder in reversed(stored.folders):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    record.forget(conversation)
    return gone, stays


def _undone(change: Change) -> bool | None:
    """Undo one change: True if it was, False if it was edited since, None if it is not there."""
    path = change.path
    if not path.is_file():
        return None
    if change.kind == "rows":
        return not remove_rows(path, [row for row in change.rows if not row.shared])
    with path.open("rb") as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
    if digest.hexdigest() != change.digest:
        return False
    with naming(path):
        if change.kind == "entry" and change.before is not None:
            replace_file(path, change.before, mode=path.stat().st_mode & 0o777, durable=True)
        else:
            path.unlink()
            fsync_folder(path.parent)
    return True


def _clean(stored: Record | None) -> None:
    """Remove what a killed run left half-written under hidden names."""
    for change in stored.changes if stored is not None else ():
        partial_name(change.path, stored.pid if stored else 0).unlink(missing_ok=True)


def _make_folders(folder: Path) -> None:
    for one in _absent_folders(folder):
        one.mkdir(mode=0o700, exist_ok=True)


def _absent_folders(folder: Path) -> list[Path]:
    """The folders that are not there, the outermost first."""
    return [one for one in (*reversed(folder.parents), folder) if not one.exists()]
