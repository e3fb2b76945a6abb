"""The time that a hook may take, kept also while it waits in C code. Imports built-in modules only.

A signal's handler runs between two lines of Python: a wait for another program's lock on the archive
is one long line. So a thread counts the seconds.
"""

import _thread
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE = "DEJAVU_HOOK_LIMIT"


def seconds(default: float) -> float:
    """The seconds that the environment allows, or the default where it says nothing of use."""
    return parsed(os.environ.get(VARIABLE, "")) or default


def parsed(text: str) -> float | None:
    """A number of seconds above 0; None where the text is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < float("inf") else None


def end_after(limit: float, last: "Callable[[], object] | None" = None) -> None:
    """End this process with status 0 after `limit` seconds, whatever it waits for; `last` is called first."""

    def watch() -> None:
        time.sleep(limit)
        try:
            if last is not None:
                last()
        finally:
            os._exit(0)

    try:
        _thread.start_new_thread(watch, ())
    except RuntimeError:
        return  # no thread to be had: the alarm has to do
