"""`dejavu hook capture`: spool the payload that an agent hands to its hook, and print nothing.

The agent's JSON comes on stdin (for some agents: as the last argument), its name as
`--agent NAME`; the exit code is 0 whatever happens. The payload goes into the spool first, as one
file of mode 0600 that is renamed into place, and only then is the daemon notified: a daemon that
is slow, killed or absent loses nothing. What cannot be spooled (a full disk) is sent to the
daemon's socket. Where no daemon runs, one is started with its lock already held, so that a
thousand hooks at once start one. Stdin is read for 300 ms at most; after a second the process ends.

Only built-in modules are imported, `_socket` and `_signal` instead of the modules around them:
those load `enum`, `selectors` and `re`, and double the time this program takes. O(payload).
"""

import _socket
import os
import sys
import time

from dejavu.services.hook_protocol import LOCK, LOG, MAGIC, OFF, SOCKET, SPOOL, folder

from .program import set_alarm

LIMIT = 0.3
"""Seconds for which stdin is read; what came by then is spooled."""
_EXIT_AFTER = 0.7  # seconds after that, when the process ends whatever it is doing
_RESTART_DELAY = 10.0  # seconds before a daemon that broke down is started again
_MAX_PAYLOAD = 32 << 20  # bytes of one payload
_CHECK_SIZE_FROM = 2_000  # files; from then on the spool's size is checked
_MAX_FILES, _MAX_BYTES = 20_000, 512 << 20


class _TimeLimitReached(Exception):  # noqa: N818 - no error: what was read is spooled
    """Time to stop waiting."""


def main(arguments: list[str]) -> None:
    """Spool one payload and end the process with status 0."""
    try:
        set_alarm(LIMIT, _alarm, again=_EXIT_AFTER)
        agent, payload = _request(arguments)
        if payload.strip() and os.environ.get("DEJAVU_CAPTURE", "").lower() not in OFF:
            spool(agent, payload)
    except BaseException:  # noqa: S110 - a hook never blocks the agent
        pass
    os._exit(0)


def spool(agent: str, payload: bytes) -> None:
    """Spool `payload` and notify the daemon, starting it where there is none."""
    os.umask(0o077)
    base = folder()
    os.makedirs(f"{base}/{SPOOL}", 0o700, exist_ok=True)  # noqa: PTH103 - without pathlib
    os.chdir(base)  # the path of a socket may have no more than about 100 bytes
    entry = envelope(agent, payload, time.time_ns())
    try:
        _write_entry(entry)
        entry = b""
    except OSError:
        pass
    try:
        notify(entry)
    except (ConnectionRefusedError, FileNotFoundError):
        start_daemon()


def envelope(agent: str, payload: bytes, at: int) -> bytes:
    """The payload behind a header line: format, time, agent, session, instance."""
    identities = [os.environ.get(name, "") for name in ("DEJAVU_SESSION", "DEJAVU_INSTANCE")]
    words = [
        word if word.isprintable() and " " not in word else "" for word in (agent, *identities)
    ]
    line = " ".join(word or "-" for word in words).encode("utf-8", "replace")
    return b"%s %d %s\n%s" % (MAGIC, at, line, payload)


def notify(entry: bytes = b"") -> None:
    """Wake the daemon; an `entry` that could not be spooled is sent along.

    Raises:
        ConnectionRefusedError, FileNotFoundError: there is no daemon.
    """
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    peer.setblocking(bool(entry))
    try:
        peer.connect(SOCKET)
        while entry:
            entry = entry[peer.send(entry) :]
    except BlockingIOError:
        pass  # its queue is full, so it is awake and will look into the spool
    finally:
        peer.close()


def start_daemon() -> None:
    """Start the daemon in its own session; the process that gets its lock passes it on."""
    from dejavu.config.files import open_lock, try_lock
    from dejavu.config.own_program import own_program

    lock = open_lock(LOCK)
    if not try_lock(lock):
        return  # one is starting, or leaving: it looks into the spool before it does
    lock_status = os.fstat(lock)
    if lock_status.st_size and time.time() - lock_status.st_mtime < _RESTART_DELAY:
        return  # one was started just now and broke down: it would do so again
    os.pwrite(lock, b"0", 0)
    os.set_inheritable(lock, True)
    os.posix_spawn(
        sys.executable,
        own_program("dejavu.services.daemon", "--lock", str(lock)),
        _daemon_environment(),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (
                os.POSIX_SPAWN_OPEN,
                2,
                LOG,
                os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW,
                0o600,
            ),
        ],
        setsid=True,
    )


def _daemon_environment() -> dict[str, str]:
    """The variables that locate folders; nothing of the agent's session, and none of its keys."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in ("HOME", "PATH", "USER", "LOGNAME", "LANG", "TMPDIR", "TZ", "PYTHONPATH")
        or name.startswith(("DEJAVU_", "XDG_", "LC_"))
        or name.endswith(("_HOME", "_CONFIG_DIR", "_DATA_DIR", "_SHARE_DIR", "_AGENT_DIR"))
        if name not in ("DEJAVU_SESSION", "DEJAVU_INSTANCE")
    }


def _request(arguments: list[str]) -> tuple[str, bytes]:
    """The calling agent and the payload."""
    agent, payload = "", b""  # without a name the daemon goes by the payload
    words = iter(arguments)
    for word in words:
        if word == "--agent":
            agent = next(words, agent)
        elif word.startswith("--agent="):
            agent = word[8:]
        elif word.startswith("{"):
            payload = word.encode("utf-8", "surrogateescape")
    return agent, payload or _read()


def _read() -> bytes:
    """Stdin as far as it came in time; empty where it is larger than any payload."""
    data = bytearray()
    _alarm.reading = True
    try:
        if _alarm.expired:
            os.set_blocking(0, False)
        while piece := os.read(0, 1 << 20):
            data += piece
            if len(data) > _MAX_PAYLOAD:
                return b""
    except (_TimeLimitReached, BlockingIOError):
        pass
    _alarm.reading = False
    return bytes(data)


def _write_entry(entry: bytes) -> None:
    names = os.listdir(SPOOL)  # noqa: PTH208 - without pathlib
    if len(names) > _CHECK_SIZE_FROM:
        size = sum(os.stat(f"{SPOOL}/{name}").st_size for name in names)  # noqa: PTH116 - no pathlib
        if len(names) > _MAX_FILES or size > _MAX_BYTES:
            return  # the daemon has not emptied it for long: keep what is there, add no more
    name = f"{time.time_ns():020d}-{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(f"{SPOOL}/.{name}", flags, 0o600)
    try:
        rest = memoryview(entry)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.rename(f"{SPOOL}/.{name}", f"{SPOOL}/{name}")  # noqa: PTH104 - no pathlib
    except BaseException:
        os.unlink(f"{SPOOL}/.{name}")  # noqa: PTH108 - no pathlib
        raise
    finally:
        os.close(descriptor)


class _Alarm:
    """The signal handler: ends the reading of stdin the first time, the process the second."""

    expired = reading = False

    def __call__(self, _number: int, _frame: object) -> None:
        if self.expired:
            os._exit(0)
        self.expired = True
        if self.reading:
            raise _TimeLimitReached


_alarm = _Alarm()
