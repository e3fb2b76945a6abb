"""Edits as changes of files: planned, shown, made, undone.

Takes edits and the ledger; gives `Change`s, which are what a dry run shows and what is then made.
A file is replaced whole, next to itself, with its mode; a link stays a link and its target is
changed. What a change depends on is read again just before: a file that was changed meanwhile is
left alone.
"""

import difflib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dejavu.model import ConfigError

from . import manifest as ledger
from .json_edit import UnreadableFileError
from .manifest import Record, digest
from .registration import Edit


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of one file. None: there is none. `refused` says why nothing is."""

    agent: str
    path: Path
    what: str
    now: bytes | None
    then: bytes | None
    original: bytes | None = None
    """What was there before any of our changes."""
    refused: str = ""

    @property
    def needed(self) -> bool:
        """Whether anything is to be done."""
        return not self.refused and self.now != self.then

    def diff(self) -> str:
        """The change, as a unified diff."""
        old, new = (
            (data or b"").decode("utf-8", "replace").splitlines() for data in (self.now, self.then)
        )
        name = str(self.path)
        return "\n".join(difflib.unified_diff(old, new, name, name, lineterm="", n=2))


def plan_add(agent: str, edits: Iterable[Edit]) -> list[Change]:
    """What registering needs."""
    return [_plan_add(agent, edit) for edit in edits]


def _plan_add(agent: str, edit: Edit) -> Change:
    try:
        path = _target(edit.path)
        now = _read(path)
        known = ledger.records().get(path)
        untouched = known is not None and now is not None and digest(now) == known.left
        text = _text(now)
        then = edit.add(text).encode()
        if known is not None and untouched and then != now:
            then = edit.add(_text(known.before)).encode()  # over what was there, not over ourselves
        original = known.before if known is not None and untouched else _original(edit, now, known)
    except (UnreadableFileError, OSError) as error:
        return Change(agent, edit.path, edit.what, None, None, refused=_reason(error))
    return Change(agent, path, edit.what, now, then, original)


def _original(edit: Edit, now: bytes | None, known: Record | None) -> bytes | None:
    """What the file would be without us."""
    if now is None:
        return None
    before = "" if known is None or known.before is None else known.before.decode()
    bare = edit.remove(_text(now), before)
    if known is not None and known.before is None and bare.strip() in ("", "{}"):
        return None
    return bare.encode()


def plan_remove(agent: str, edits: Iterable[Edit]) -> list[Change]:
    """What taking us out needs."""
    return [change for edit in edits if (change := _plan_remove(agent, edit)) is not None]


def _plan_remove(agent: str, edit: Edit) -> Change | None:
    try:
        path = _target(edit.path)
        now, known = _read(path), ledger.records().get(path)
        if now is None:
            return None if known is None else Change(agent, path, edit.what, None, None)
        if known is not None and digest(now) == known.left:
            return Change(agent, path, edit.what, now, known.before, known.before)
        then = _original(edit, now, known)
    except (UnreadableFileError, OSError) as error:
        return Change(agent, edit.path, edit.what, None, None, refused=_reason(error))
    return Change(agent, path, edit.what, now, then, then)


def make(change: Change) -> None:
    """Register: write the ledger, then the file.

    Raises:
        ConfigError: the file was changed meanwhile.
    """
    if not change.needed or change.then is None:
        return
    _same(change)
    known = ledger.records().get(change.path)
    made = known.made if known is not None else _missing(change.path.parent)
    ledger.keep(Record(change.agent, change.path, change.original, digest(change.then), made))
    change.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _replace(change.path, change.then)


def undo(change: Change) -> None:
    """Take us out: the file, then the folders that were made for it, then the ledger.

    Raises:
        ConfigError: the file was changed meanwhile.
    """
    _same(change)
    known = ledger.records().get(change.path)
    if change.needed:
        if change.then is None:
            change.path.unlink(missing_ok=True)
        else:
            _replace(change.path, change.then)
    if known is not None:
        ledger.forget(change.path)
        left = [name for name in reversed(known.made) if not _unmade(Path(name))]
        ledger.hand_over(left[::-1])


def _target(path: Path) -> Path:
    """The file itself, behind links."""
    real = Path(os.path.realpath(path))
    if real.exists() and not real.is_file():
        raise UnreadableFileError("it is no file")
    return real


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _text(data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"not UTF-8 at byte {error.start}") from None


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _same(change: Change) -> None:
    if _read(change.path) != change.now:
        raise ConfigError(f"{change.path} was changed just now; run the command again")


def _unmade(folder: Path) -> bool:
    """Remove a folder if it is empty; whether it is gone."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    return not folder.exists()


def _missing(folder: Path) -> tuple[str, ...]:
    return tuple(str(f) for f in reversed([folder, *folder.parents]) if not f.exists())


def _replace(path: Path, data: bytes) -> None:
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600
    scratch = path.with_name(f".{path.name}.dejavu-{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        scratch.chmod(mode)
        scratch.replace(path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
