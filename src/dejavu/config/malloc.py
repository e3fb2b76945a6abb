"""How much freed memory the C library keeps: glibc gives little back unasked, others need no telling.

`keep_little` is for a program of several threads, before it starts them: a daemon, or one that writes
an index for long. `give_back` is for one that had a lot for a moment. Where the C library has no such
call, both do nothing. Costs a call; `give_back` a few milliseconds.
"""

import sys
from contextlib import suppress
from typing import Any

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1  # the parameters' numbers in malloc.h
_ARENAS = 2
_LARGE, _SPARE = 1 << 20, 8 << 20


def keep_little() -> None:
    """Let all threads allocate from two arenas: one each keeps 14 MB after an index was written.

    What is larger than 1 MB is the system's again as soon as it is freed; of the rest 8 MB is kept.
    Unasked, glibc raises both limits with the largest piece that was ever freed.
    """
    with suppress(AttributeError, ImportError, OSError):
        mallopt = _libc().mallopt
        mallopt(_ARENA_MAX, _ARENAS)
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _SPARE)


def give_back() -> None:
    """Return to the system what was freed."""
    with suppress(AttributeError, ImportError, OSError):
        _libc().malloc_trim(0)


def _libc() -> Any:
    import ctypes  # a model, a daemon or a long sync alone needs it

    if not sys.platform.startswith("linux"):
        raise OSError("no glibc")
    return ctypes.CDLL(None)
