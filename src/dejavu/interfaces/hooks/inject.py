"""`dejavu hook inject`: what an agent calls with its prompt, before the model sees it.

Takes the agent's own JSON on stdin; prints the block of past records in the agent's own form, or
nothing. Exits 0 whatever happens, within its time limit; says nothing on stderr. The daemon is
asked first: it has everything in memory, so this program only carries bytes. Where there is none,
or it is too slow, or it keeps another archive, the answer is made here (`answer`), which is the
first time that anything but built-in modules is imported.

Switches: `DEJAVU_INJECT=off`, `dejavu memories --no-inject`, `[no-memory]` in a prompt, `[recall]`
in `config.toml`; `DEJAVU_INJECT=everywhere` looks in all workspaces, `DEJAVU_INJECT_LIMIT` gives 1
to 10 records, `DEJAVU_HOOK_LIMIT` the seconds it may take (1.5).
"""

import _socket
import os
import sys
import time

from dejavu.services.hook_protocol import (
    ANSWERED,
    PROMPT_LARGEST,
    PROMPT_MAGIC,
    PROMPT_SOCKET,
    folder,
)

TYPE_CHECKING = False  # as typing has it, which is not loaded
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal

LIMIT = 1.5  # seconds, all in all
PATIENCE = 0.5
"""Seconds for which the daemon is waited for; enough is left to do it here."""
_SECRET = ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL")
_LEAST = 8  # characters of a value that may be a secret


def main(arguments: list[str] | None = None) -> int:
    """Answer one prompt; always gives 0. `arguments` may hold `--agent NAME`."""
    try:
        _signal.signal(_signal.SIGALRM, _leave)
        _signal.setitimer(_signal.ITIMER_REAL, float(os.environ.get("DEJAVU_HOOK_LIMIT", LIMIT)))
        data = _read()
        if data and os.environ.get("DEJAVU_INJECT", "").lower() not in ("off", "0", "no"):
            words = _words(arguments or [])
            told = _warm(words, data)
            _write(_cold(words, data) if told is None else told)
    except BaseException:  # noqa: S110 - a hook never stands in the prompt's way
        pass
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    return 0


def location() -> str:
    """Where the archive is: as `paths.archive_location()`, without pathlib."""
    own = os.environ.get("DEJAVU_ARCHIVE")
    if own:
        whole = own.startswith(("/", "~")) or "://" in own
        return own if whole else os.path.abspath(own)  # noqa: PTH100 - without pathlib
    data = os.environ.get("DEJAVU_DATA_HOME")
    if data:
        return os.path.abspath(os.path.expanduser(data)) + "/archive"  # noqa: PTH100, PTH111 - see above
    base = os.environ.get("XDG_DATA_HOME", "")
    home = os.path.expanduser("~/.local/share")  # noqa: PTH111
    return (base if base.startswith("/") else home) + "/dejavu/archive"


def _leave(_number: int, _frame: object) -> None:
    """Leave in silence when the time is up: nothing was printed yet."""
    os._exit(0)


def _read() -> bytes:
    """Stdin; empty where it is larger than any payload."""
    data = bytearray()
    while piece := os.read(0, 1 << 20):
        data += piece
        if len(data) > PROMPT_LARGEST:
            return b""
    return bytes(data)


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def _words(arguments: list[str]) -> list[str]:
    """What is to be known beside the payload: agent, switches, folder, archive."""
    agent = ""
    if "--agent" in arguments[:-1]:
        agent = arguments[arguments.index("--agent") + 1]
    told = [os.environ.get(name, "") for name in ("DEJAVU_INJECT", "DEJAVU_INJECT_LIMIT")]
    return [agent, *told, os.getcwd(), location()]  # noqa: PTH109 - without pathlib


def _warm(words: list[str], data: bytes) -> bytes | None:
    """The daemon's answer; None where it has none (in time)."""
    deadline = time.monotonic() + PATIENCE
    head = "\n".join((str(int(deadline * 1e9)), *words)).encode("utf-8", "surrogateescape")
    if head.count(b"\n") != len(words):
        return None  # a line break in a path
    try:
        told = _ask(b"%s\n%s\n%s" % (PROMPT_MAGIC, head, data), deadline)
    except OSError:
        return None
    if told[:1] != ANSWERED:
        return None
    return b"" if _betrays(told) else told[1:]


def _ask(request: bytes, deadline: float) -> bytes:
    """What the daemon says to a request.

    Raises:
        OSError: there is no daemon, or it took too long.
    """
    before = os.getcwd()  # noqa: PTH109
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        peer.settimeout(PATIENCE)
        os.chdir(folder())  # the path of a socket may have no more than about 100 bytes
        try:
            peer.connect(PROMPT_SOCKET)
        finally:
            os.chdir(before)
        peer.sendall(request)
        peer.shutdown(_socket.SHUT_WR)
        told = bytearray()
        while True:
            peer.settimeout(max(0.001, deadline - time.monotonic()))
            piece = peer.recv(1 << 16)
            if not piece:
                return bytes(told)
            told += piece
    finally:
        peer.close()


def _betrays(told: bytes) -> bool:
    """Whether a secret of the agent's environment, which the daemon does not know, is in it."""
    return any(
        len(value) >= _LEAST and value.encode("utf-8", "replace") in told
        for name, value in os.environ.items()
        if any(word in name.upper() for word in _SECRET)
    )


def _cold(words: list[str], data: bytes) -> bytes:
    """The answer, made in this process."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site  # the launcher leaves it out, because only this needs it

        site.main()
    from dejavu.services.hook_answer import HookRequest, answer_standalone

    agent, mode, limit, place, archive = words
    return answer_standalone(HookRequest(agent, mode, limit, place, archive, data))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
