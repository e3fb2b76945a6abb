"""How much freed memory the C library keeps: glibc gives little back unasked, others need no telling.

`share_arenas` is for a program of several threads, before it starts them; `give_back` for one that had a
lot for a moment. Where the C library has no such call, both do nothing. Costs a call; `give_back` a few
milliseconds.
"""

import sys
from contextlib import suppress
from typing import Any

_ARENA_MAX = -8  # the parameter's number in malloc.h
_ARENAS = 2


def share_arenas() -> None:
    """Let all threads allocate from two arenas: one each keeps 14 MB after an index was written."""
    with suppress(AttributeError, OSError):
        _libc().mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Return to the system what was freed."""
    with suppress(AttributeError, OSError):
        _libc().malloc_trim(0)


def _libc() -> Any:
    import ctypes  # a model or a daemon alone needs it

    if not sys.platform.startswith("linux"):
        raise OSError("no glibc")
    return ctypes.CDLL(None)
