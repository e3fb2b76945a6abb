"""What the index could not take in: one bad passage never costs memory the others.

A text file next to the index, one line an exchange: the conversation, the turn and the fault. It
holds names of code, never what was said. Bounded; it goes with the index it belongs to. Also what
tells such a passage from a disk that refuses the whole index.

Tested in: tests/recall/history/test_index.py
"""

import os
from contextlib import suppress
from pathlib import Path

from dejavu.model.conversation import turn_name

_NAME = "skipped.txt"
_MOST = 1 << 16  # bytes


class RefusedError(Exception):
    """The disk refused a file of the index: its writer takes nothing more."""


def is_dead(error: Exception) -> bool:
    """Whether an error is of the writer, whose threads died, and not of what it was given."""
    return isinstance(error, ValueError) and "writer was killed" in str(error)


def log_behind(error: Exception) -> None:
    """Say in the log that the index could not be written."""
    import logging  # here, since every hook loads this module

    logging.getLogger(__name__).warning("the index for recall is behind: %s", error)


def remove_index(folder: Path) -> None:
    """Remove the index of `folder`, as far as that is possible; it is built again."""
    import shutil  # here, since every hook loads this module

    shutil.rmtree(folder, ignore_errors=True)


def add(folder: Path, conversation: str, seq: int, error: Exception) -> None:
    """Note an exchange that could not be indexed, and where in the code that was."""
    import traceback  # a prompt only reads

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = turn_name(conversation, seq)
    line = f"{place} {type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}\n"
    path = folder / _NAME
    with suppress(OSError):  # a note that cannot be written must not cost the index
        if not path.exists() or path.stat().st_size + len(line) < _MOST:
            descriptor = os.open(
                path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
            with os.fdopen(descriptor, "a", encoding="utf-8") as file:
                file.write(line)


def skipped(folder: Path) -> list[str]:
    """Return the lines of all that is missing in the index of `folder`."""
    try:
        return (folder / _NAME).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
