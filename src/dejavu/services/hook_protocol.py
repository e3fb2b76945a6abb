"""What the hook programs and the daemon agree on: names of files and sockets, first lines, limits.

Imports built-in modules only: every hook loads it before anything else. No I/O.

Tested in: tests/services/daemon/test_prompt_server.py
"""

import os

SPOOL, SOCKET, LOCK, LOG = "spool", "socket", "lock", "daemon.log"
"""Names below `folder()`."""
MAGIC = b"dejavu-hook/1"
OFF = ("off", "0", "no")
"""What turns a switch of the environment off."""
PROMPT_SOCKET = "recall"
"""The daemon's socket for prompts, below `folder()`."""
PROMPT_MAGIC = b"dejavu-inject/1"
ASSIST_MAGIC = b"dejavu-assist/1"
"""What a payload that is no prompt begins with on the same socket: it is answered by `assist_answer`."""
PROMPT_LARGEST = 4 << 20
"""Bytes of a payload, at most."""
GUARD_SOCKET = "guard"
"""The daemon's socket for tools' results, below `folder()`."""
GUARD_MAGIC = b"dejavu-guard/1"
GUARD_LARGEST = 32 << 20
"""Bytes of a result that is checked, at most."""
ANSWERED, NOT_ANSWERED = b"+", b"-"
"""How the daemon begins what it says: an answer (which may be empty), or no answer."""


def folder() -> str:
    """The folder of spool, socket and lock: as `paths.state_home() / "hooks"`, without pathlib."""
    own = os.environ.get("DEJAVU_STATE_HOME")
    if own:
        root = os.path.abspath(os.path.expanduser(own))  # noqa: PTH100, PTH111 - without pathlib
    else:
        base = os.environ.get("XDG_STATE_HOME", "")
        home = os.path.expanduser("~/.local/state")  # noqa: PTH111 - loads no pathlib
        root = (base if base.startswith("/") else home) + "/dejavu"
    return root + "/hooks"
