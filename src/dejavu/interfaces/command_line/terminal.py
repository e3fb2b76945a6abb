"""How lists are fitted to a terminal: its width, times as ages, folders below `~`, a pager.

Where stdout is no terminal nothing is fitted: scripts read whole times and paths. Texts are not
sanitised here.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, islice

from dejavu.config import clock
from dejavu.model.timestamps import known_time

from .output import local_time, one_line, print_note

PIPED = 160
"""The columns that tables take where stdout is no terminal."""
_PIECE = 1 << 20  # characters written at once
_DAY = 86_400.0
_MOST_DAYS = 30  # an older time is a date


def on_terminal() -> bool:
    """Whether a person reads stdout on a terminal."""
    return sys.stdout.isatty()


def width() -> int:
    """The columns of the terminal; `PIPED` where stdout is none."""
    if not on_terminal():
        return PIPED
    return _size().columns


def _size() -> os.terminal_size:
    from shutil import get_terminal_size  # it loads every compression of the library

    return get_terminal_size((100, 24))


def age(at: float, now: float) -> str:
    """`just now`, `5m ago`, `2h ago`, `3d ago`; from 30 days on, and ahead of now, the local day."""
    passed = now - at
    if -60 < passed < 60:
        return "just now"
    if passed < 0 or passed >= _MOST_DAYS * _DAY:
        return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d")
    for size, unit in ((_DAY, "d"), (3600.0, "h")):
        if passed >= size:
            return f"{int(passed / size)}{unit} ago"
    return f"{int(passed / 60)}m ago"


def when(at: float | None, form: str = "%Y-%m-%d %H:%M") -> str:
    """An age of 10 cells on a terminal, else a local time in `form`; blanks where none is known."""
    if not on_terminal():
        return local_time(at, form)
    known = known_time(at)
    return f"{'' if known is None else age(known, clock.now()):10}"


def folder(path: str) -> str:
    """`path` with `~` for the home folder, on a terminal; elsewhere as it is."""
    home = os.environ.get("HOME", "").rstrip("/")
    if not home or not on_terminal() or not (path + "/").startswith(home + "/"):
        return path
    return "~" + path[len(home) :]


def ending(path: str, most: int) -> str:
    """A safe path cut at its beginning to `most` cells: folders differ at their end."""
    shown = one_line(path)
    from wcwidth import wcswidth  # after `one_line`, which needs its tables, too

    while len(shown) > 1 and wcswidth(shown) > most:
        shown = "…" + shown[2:]
    return shown


def print_lines(lines: Iterable[str], *, paged: bool = True) -> None:
    """Print `lines`; through the reader's pager where they are more than the terminal shows.

    `paged` False prints them as they are, on a terminal too.
    """
    rest: Iterator[str] = iter(lines)
    if paged and sys.stdin.isatty() and on_terminal():
        room = _size().lines - 1
        start = list(islice(rest, room))
        rest = chain(start, rest)
        if sum(_rows(line) for line in start) >= room:
            from ..pager import page

            try:
                return page(rest)
            except (OSError, ValueError) as error:
                print_note(f"no pager ({one_line(str(error))}); set PAGER to yours")
    for line in rest:
        for start_at in range(0, len(line), _PIECE):  # encoded as a whole it is held once more
            sys.stdout.write(line[start_at : start_at + _PIECE])
        sys.stdout.write("\n")
    return None


def _rows(line: str) -> int:
    """The rows that a line takes, at most: its colours count as cells."""
    return max(1, -(-len(line) // _size().columns))
