"""Where a user's observer server listens, which observers it can stand for, and where they log.

The wrapper and the server find all of it by themselves. Standard library only and little of it: the
wrapper asks while its agent starts. The log says what went wrong in observers, never what they saw.

Tested in: tests/sessions/observer/test_server.py
"""

from __future__ import annotations

import os
import stat
import sys
from binascii import crc32

from dejavu.config.paths import private_folder, state_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = "observers"
_NAMESPACES = ("mnt", "pid", "net", "user", "uts")


def identity() -> bytes:
    """What an observer started here would have in common with one forked by the server.

    The interpreter, the package, how Python was told to behave, and the container: a state folder
    may be shared with another one.

    Raises:
        OSError: the system does not tell.
    """
    root = os.stat("/")  # noqa: PTH116 - a few microseconds
    facts = (
        sys.version, sys.executable, __file__, sys.getfilesystemencoding(), os.getgid(),
        os.getpriority(os.PRIO_PROCESS, 0),
        (root.st_dev, root.st_ino),
        *(os.stat(f"/proc/self/ns/{name}").st_ino for name in _NAMESPACES),  # noqa: PTH116 - as above
        *sorted(pair for pair in os.environ.items() if pair[0].startswith("PYTHON")),
    )  # fmt: skip
    return os.fsencode(ascii(facts))


def is_wanted() -> bool:
    """Whether the environment allows a server, and the system has what it needs."""
    wanted = os.environ.get("DEJAVU_WARM_OBSERVER", "").lower() not in ("off", "0", "no")
    return wanted and sys.platform == "linux"


def address() -> tuple[str, bytes]:
    """The path of the server's socket (there may be none), and the identity it must have.

    Raises:
        OSError: the system does not tell, or allows no server.
    """
    if not is_wanted():
        raise OSError("no observer server is wanted")
    mine = identity()
    return f"{state_home()}/{FOLDER}/{crc32(mine):08x}.sock", mine


SERVES = "--port"
"""The option by which agents open a server, which their observer may follow in a child process."""


def may_share(argv: Sequence[str]) -> bool:
    """Whether the agent's observer may observe other sessions, too: no child of it is waited for."""
    return not any(word.partition("=")[0] == SERVES for word in argv)


_NAME = "observer.log"


def observer_log() -> str:
    """The log's path; /dev/null where something else has its name, such as a link, or a pipe without a reader.

    Raises:
        OSError: its folder cannot be made.
    """
    path = private_folder(state_home()) / _NAME
    try:
        return str(path) if stat.S_ISREG(path.lstat().st_mode) else os.devnull
    except FileNotFoundError:
        return str(path)
