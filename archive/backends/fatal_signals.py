"""A sentence for the user whose command LMDB kills.

LMDB believes its file: over a damaged page it aborts the process (SIGABRT), reads outside of the map
(SIGBUS) or anywhere (SIGSEGV), and Python can catch none of it. `explain` has the process end with
a sentence that names the cure, and with the exit code of a damaged archive, where a transaction is
open when such a signal comes; any other crash ends as it always did. For commands, not for programs that
embed the archive. Costs three system calls, once; nothing a read.
"""

import ctypes
import os
import signal
from collections.abc import Callable

from .lmdb_backend import name_in_use

EXIT_CODE = 4
"""The commands' exit code for a damaged archive."""

_SIGNALS = (signal.SIGABRT, signal.SIGBUS, signal.SIGSEGV)
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
_previous: dict[int, int | None] = {}
before_exit: list[Callable[[], None]] = []
"""What a program that changed the terminal does before the sentence is written."""


def explain() -> None:
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
