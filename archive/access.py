"""Where parts are joined: the archive as the commands see it.

`open_archive` honours the environment variables. Reading commands get it read-only and never make
one. Not for programs that embed the archive.

It also writes a sentence for the user whose command LMDB kills. LMDB believes its file: over a damaged
page it aborts the process (SIGABRT), reads outside of the map (SIGBUS) or anywhere (SIGSEGV), and
Python can catch none of it. `explain_fatal_signals` has the process end with a sentence that names the
cure, and with the exit code of a damaged archive, where a transaction is open when such a signal comes;
any other crash ends as it always did. Costs three system calls, once; nothing a read.
"""

import ctypes
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from dejavu.config.paths import archive_location, archive_shown, is_server, private_folder
from dejavu.model import NotFoundError

from .backends.lmdb_backend import name_in_use
from .conversations import places_back
from .store import Archive


class NoArchiveError(NotFoundError):
    """Nothing was captured yet: there is no archive."""


@contextmanager
def open_archive(*, write: bool = False) -> Generator[Archive]:
    """The archive of this user; without `write` it is never made.

    Raises:
        NoArchiveError: there is none yet, and `write` is not set.
        ArchiveError: it is locked, damaged, or of a newer format.
    """
    location = archive_location()
    if is_server(location):
        archive = _of_server(location, write=write)
    else:
        explain_fatal_signals()
        if write:
            private_folder(Path(location).parent)
        elif not os.path.lexists(
            location
        ):  # a link that leads nowhere may be a disk that is not there
            raise _none()
        # Reading may bring the search index up to date, but not on a read-only medium.
        fixed = not write and not os.access(location, os.W_OK)
        archive = Archive.open(location, create=write, readonly=fixed)
    with archive:
        yield archive


def _of_server(url: str, *, write: bool) -> Archive:
    try:
        return Archive.open(url, create=write)
    except NotFoundError:
        raise _none() from None


def _none() -> NoArchiveError:
    return NoArchiveError(
        f"nothing was captured yet (no archive at {archive_shown()}); "
        "`dejavu sync` reads what your agents keep, `dejavu-run AGENT` captures as you work"
    )


_NAMED = 5  # workspaces that an error names


def full_workspace(archive: Archive, wanted: str | None) -> str | None:
    """The workspace meant by `wanted`: itself, an absolute folder, or the end of a known one.

    Raises:
        NotFoundError: no conversation was held in it.
    """
    if wanted is None:
        return None
    workspaces = sorted(archive.counts().by_workspace)
    absolute = str(Path(wanted).expanduser().absolute())
    for name in (wanted, absolute):
        if name in workspaces:
            return name
    ends = [name for name in workspaces if name.endswith("/" + wanted.strip("/"))]
    if len(ends) == 1:
        return ends[0]
    if ends:
        more = f" and {len(ends) - _NAMED} more" if len(ends) > _NAMED else ""
        raise NotFoundError(
            f"{wanted!r} fits {len(ends)} workspaces: {', '.join(ends[:_NAMED])}{more}; name one of them"
        )
    raise NotFoundError(
        f"{wanted!r} is not a folder with conversations; `dejavu stats` shows them all"
    )


def resolve(archive: Archive, wanted: str) -> str:
    """The id meant by `last` or `last~2`; anything else stays, for what reads it resolves it.

    Raises:
        NotFoundError: there are not as many conversations.
    """
    return wanted if places_back(wanted) is None else archive.resolve(wanted)


EXIT_CODE = 4
"""The commands' exit code for a damaged archive."""

_SIGNALS = (signal.SIGABRT, signal.SIGBUS, signal.SIGSEGV)
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
_previous: dict[int, int | None] = {}
before_exit: list[Callable[[], None]] = []
"""What a program that changed the terminal does before the sentence is written."""


def explain_fatal_signals() -> None:
    """Install the handlers of this process; calling it again does nothing."""
    if _previous:
        return
    for number in _SIGNALS:
        _previous[number] = _set(number, ctypes.cast(_handler, ctypes.c_void_p).value)


def _set(number: int, handler: int | None) -> int | None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.signal.restype = ctypes.c_void_p
    libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    previous: int | None = libc.signal(number, handler)
    return previous


def _on_signal(number: int) -> None:
    name = name_in_use()
    if name is None:
        _set(number, _previous[number])  # the signal comes again, to who had it before
        return
    for restore in before_exit:
        restore()
    os.write(
        2,
        f"dejavu: the archive {name} is damaged: it has a page that cannot be read; run "
        "`dejavu archive verify --repair`\n".encode("utf-8", "surrogateescape"),
    )
    os._exit(EXIT_CODE)


_handler = _HANDLER(_on_signal)
