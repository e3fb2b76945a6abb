"""The copy of another machine's agents' folders, as it was when it was last read.

Below `machines/` in the state folder, 0700 and 0600. A file is replaced whole, with its size and
time of change (whole seconds) as they are there: those two tell what has to be copied again. Only
regular files are taken, none with the name of a credential or a program, and none outside of it. One that
cannot be written (a name that is too long, a time that is none) is in `refused`, and the next is taken.
O(files) to compare, O(bytes) to write.
"""

import errno
import os
import re
import shutil
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from dejavu.config.files import held_lock
from dejavu.config.paths import private_folder, state_home
from dejavu.model import ArchiveLockedError
from dejavu.providers.find_paths import DEPTH
from dejavu.providers.follow.stamp import database_of, file_stamp

from .tar_stream import Member, Readable, TarStream

_PART = ".dejavu-part"
_CHUNK = 1 << 20
_RESERVE = 64 << 20  # bytes of the disk that are left free
_OURS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM})
"""Errors of this machine's disk; any other is of the file that was sent."""
# What agents call the files that hold logins and keys; no session file has such a name.
_CREDENTIAL = re.compile(
    r"(?:.*(?:credential|oauth|token|secret|apikey|api_key|account).*|auth|config|cli-config|settings.*)"
    r"\.(?:json|toml|ya?ml|txt)|\.env.*|.*\.(?:pem|key|p12)|\.?credentials?",
    re.IGNORECASE,
)
# What else is in the folders of editors and agents, often more than all sessions.
_PROGRAM = re.compile(
    r".*\.(?:so|dylib|dll|exe|wasm|node|js|mjs|cjs|map|css|html|woff2?|ttf|png|jpe?g|gif|webp|svg|ico|"
    r"mp[34]|zip|vsix|tgz|whl|pyc)",
    re.IGNORECASE,
)
_BULK = frozenset(
    {"credentials", "node_modules", ".git", "Cache", "Code Cache", "GPUCache", "CachedData"}
    | {"blob_storage", "extensions", "History", "file-history", "vendor", "bin"}
)


class Stamp(NamedTuple):
    """Size in bytes, and the time of change in whole seconds."""

    size: int
    changed: int


def mirrors() -> Path:
    """The folder of all mirrors."""
    return state_home() / "machines"


class Mirror:
    """The copy of one home."""

    def __init__(self, name: str) -> None:
        """`name` tells the machine apart; it becomes a folder's name."""
        self.root = private_folder(mirrors() / name.replace("/", "%").lstrip("."))
        self.home = private_folder(self.root / "home")
        self.refused: list[tuple[str, str]] = []
        """What was sent and not taken: its path below the home (empty if unknown), and why."""

    @contextmanager
    def locked(self) -> Generator[None]:
        """While no one else copies into it.

        Raises:
            ArchiveLockedError: another process does.
        """
        with held_lock(self.root / "lock") as mine:
            if not mine:
                message = f"another sync copies into {self.root}; try again when it has ended"
                raise ArchiveLockedError(message)
            yield

    def stamps(self) -> dict[str, Stamp]:
        """Size and time of every file, by its path below the home."""
        return {str(path.relative_to(self.home)): _copied(path) for path in _files(self.home)}

    def stamp(self, name: str) -> Stamp:
        """Size and time of one file.

        Raises:
            FileNotFoundError: it was not copied.
        """
        return _copied(self.home / name)

    def differing(self, listing: dict[str, Stamp]) -> list[str]:
        """The files of a listing that have to be copied, the last changed first.

        A database goes with its side files: alone it is another moment's.
        """
        own = self.stamps()
        wanted = [name for name in listing if is_wanted(name)]
        changed = {name for name in wanted if own.get(name) != listing[name]}
        stems = {database_of(name) for name in changed}
        group = {name for name in wanted if database_of(name) in stems}
        return sorted(changed | group, key=lambda name: (-listing[name].changed, name))

    def remove_all_but(self, names: Collection[str]) -> None:
        """Remove the files that are not there any more; what was archived of them stays."""
        for name in self.stamps():
            if name not in names:
                (self.home / name).unlink(missing_ok=True)

    def write(self, stream: Readable, below: str = "") -> Iterator[tuple[str, int]]:
        """Take the files of a tar stream, whose names begin `below` the home; yield name and size.

        Raises:
            TarStreamError: the stream is damaged or ends early; the files before that are kept.
            OSError: a file cannot be written here.
        """

        def refuse(name: str, reason: str) -> None:
            self.refused.append((str(Path(below, name)) if name else "", reason))

        tar = TarStream(stream, refuse)
        for member in tar.members():
            path = Path(below, member.name)
            if path.is_absolute() or ".." in path.parts or not is_wanted(str(path)):
                continue
            if len(path.parts) > DEPTH:
                refuse(member.name, f"it is more than {DEPTH} folders deep")
                continue
            try:
                self._replace(str(path), tar, member)
            except (OSError, ValueError) as error:  # ValueError: a NUL in the name
                if isinstance(error, OSError) and error.errno in _OURS:
                    raise
                refuse(member.name, str(getattr(error, "strerror", None) or error))
            else:
                yield str(path), member.size

    def _replace(self, name: str, tar: TarStream, member: Member) -> None:
        path = self.home / name
        self._make_folder(path.parent)
        if path.is_dir():
            shutil.rmtree(path)
        if member.size + _RESERVE > shutil.disk_usage(self.home).free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        part = path.with_name(os.fsdecode(os.fsencode(path.name)[:200]) + _PART)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            with os.fdopen(os.open(part, flags, 0o600), "wb") as target:
                tar.copy(target)
            os.utime(part, (member.changed, member.changed))
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise

    def _make_folder(self, folder: Path) -> None:
        """Make a folder, in place of a file that has its name or a parent's."""
        below = folder.relative_to(self.home)
        for path in (*reversed(below.parents), below):
            inside = self.home / path
            if inside.is_symlink() or (inside.exists() and not inside.is_dir()):
                inside.unlink()
            inside.mkdir(mode=0o700, exist_ok=True)


def is_wanted(name: str) -> bool:
    """Whether a file may be a session's by its name: no login, no key, no program and no cache."""
    *folders, base = name.split("/")
    return not (
        _CREDENTIAL.fullmatch(base) or _PROGRAM.fullmatch(base) or _BULK.intersection(folders)
    )


def erase(marks: Collection[bytes]) -> int:
    """Remove every copied file that holds one of `marks`; return how many that were. O(bytes)."""
    removed = 0
    for path in _files(mirrors()):
        with suppress(FileNotFoundError):
            if any(mark in os.fsencode(path.name) for mark in marks) or _holds(path, marks):
                path.unlink()
                removed += 1
    return removed


def _holds(path: Path, marks: Collection[bytes]) -> bool:
    overlap = max(map(len, marks), default=1) - 1
    tail = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            window = tail + chunk
            if any(mark in window for mark in marks):
                return True
            tail = window[-overlap:] if overlap else b""
    return False


def _files(folder: Path) -> Iterator[Path]:
    for inside, _, names in os.walk(folder):
        yield from (Path(inside, name) for name in names)


def _copied(path: Path) -> Stamp:
    size, modified, *_ = file_stamp(path)
    return Stamp(size, modified // 10**9)
