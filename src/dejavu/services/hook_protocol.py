"""What the hook programs and the daemon agree on: files, sockets, the form of a request, limits.

A request is its kind, `name=value` fields behind a NUL each, an empty field and the payload: no value
of an environment and no path holds a NUL. The answer begins with a byte that says whether it is one.
Imports built-in modules only: every hook loads it before anything else. No I/O.
"""

import os
import time

SPOOL, SOCKET, LOCK, LOG = "spool", "socket", "lock", "daemon.log"
"""Names below `folder()`."""
MAGIC = b"dejavu-hook/1"
OFF = ("off", "0", "no")
"""What turns a switch of the environment off."""
PROMPT_SOCKET = "recall"
"""The daemon's socket for prompts, below `folder()`."""
PROMPT = b"dejavu-inject/2"
ASSIST = b"dejavu-assist/2"
"""The kind of a request that holds no prompt, on the same socket: `answer_tool` answers it."""
PROMPT_LARGEST = 4 << 20
"""Bytes of a payload, at most."""
GUARD_SOCKET = "guard"
"""The daemon's socket for tools' results, below `folder()`."""
GUARD = b"dejavu-guard/2"
VARIABLE = "env."
"""How the name of a field begins that is a variable of the agent's environment."""
GUARD_LARGEST = 32 << 20
"""Bytes of a result that is checked, at most."""
ANSWERED, NOT_ANSWERED = b"+", b"-"
"""How the daemon begins what it says: an answer (which may be empty), or no answer."""

_DEADLINE = "deadline"


def encode_request(kind: bytes, deadline: float, fields: "dict[str, str]", payload: bytes) -> bytes:
    """A request that is worth an answer until `deadline` (as `time.monotonic` tells it)."""
    named = {_DEADLINE: str(int(deadline * 1e9)), **fields}
    head = "\0".join(f"{name}={value}" for name, value in named.items())
    return b"%s\0%s\0\0%s" % (kind, head.encode("utf-8", "surrogateescape"), payload)


def decode_request(request: bytes, *kinds: bytes) -> "tuple[bytes, int, dict[str, str], bytes]":
    """The kind of a request, its deadline (monotonic nanoseconds), its fields and its payload.

    Raises:
        ValueError: it is none of these kinds, not whole, or came too late.
    """
    head, end, payload = request.partition(b"\0\0")
    kind, *pairs = head.split(b"\0")
    if not end or kind not in kinds:
        raise ValueError("no request of this kind")
    named = (pair.decode("utf-8", "surrogateescape").partition("=") for pair in pairs)
    fields = {name: value for name, _, value in named}
    deadline = int(fields.pop(_DEADLINE, ""))
    if time.monotonic_ns() > deadline:
        raise ValueError("too late")
    return kind, deadline, fields, payload


def below_home(path: str) -> str:
    """A folder below the user's home: as `paths.user_home() / path`, without pathlib."""
    if os.environ.get("HOME") != "":
        return os.path.expanduser("~/" + path)  # noqa: PTH111 - loads no pathlib
    import pwd  # of no use to others

    return f"{pwd.getpwuid(os.getuid()).pw_dir}/{path}"


def folder() -> str:
    """The folder of spool, socket and lock: as `paths.state_home() / "hooks"`, without pathlib."""
    own = os.environ.get("DEJAVU_STATE_HOME")
    if own:
        root = os.path.abspath(os.path.expanduser(own))  # noqa: PTH100, PTH111 - without pathlib
    else:
        base = os.environ.get("XDG_STATE_HOME", "")
        root = (base if base.startswith("/") else below_home(".local/state")) + "/dejavu"
    return root + "/hooks"
