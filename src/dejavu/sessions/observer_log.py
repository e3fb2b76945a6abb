"""Where observers write what went wrong in them, never what they saw. Standard library only."""

import os
import stat

from dejavu.config.paths import private_folder, state_home

_NAME = "observer.log"


def observer_log() -> str:
    """The log's path; /dev/null where something else has its name, such as a pipe without a reader.

    Raises:
        OSError: its folder cannot be made.
    """
    path = private_folder(state_home()) / _NAME
    try:
        return str(path) if stat.S_ISREG(path.stat().st_mode) else os.devnull
    except FileNotFoundError:
        return str(path)
