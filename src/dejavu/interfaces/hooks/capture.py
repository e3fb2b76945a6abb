"""`dejavu hook capture`: what agents call at points of their life; keeps the payload, says nothing.

Takes the agent's JSON on stdin (where an agent hands it over so: as the last argument) and `--agent NAME`;
exits 0 whatever happens. The payload goes into the spool first, as one file of mode 0600 that
appears whole, and only then is the daemon told: a daemon that is slow, killed or not there loses
nothing. What cannot be spooled (a full disk) is handed to the daemon's socket itself. Where no
daemon runs, one is started, with the lock it needs already held, so that a thousand hooks at once
start one. After 300 ms nothing is waited for any more; after a second the process leaves.

Only built-in modules are imported, `_socket` and `_signal` instead of the modules around them:
those load `enum`, `selectors` and `re`, and double the time this program takes. O(payload).
"""

import _socket
import os
import sys
import time

from dejavu.services.hook_protocol import LOCK, LOG, MAGIC, OFF, SOCKET, SPOOL, folder

TYPE_CHECKING = False  # as typing has it, which is not loaded
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal

LIMIT = 0.3
"""Seconds after which stdin is waited for no longer: what came by then is kept."""
_LAST = 0.7  # seconds after that, when the process leaves whatever it is doing
_AGAIN = 10.0  # seconds before a daemon that broke down is started again
_LARGEST = 32 << 20  # bytes of one payload
_CROWDED = 2_000  # files from which on the spool's size is looked at
_MOST_FILES, _MOST_BYTES = 20_000, 512 << 20


class _TimeUp(Exception):  # noqa: N818 - it is no error
    """Time to stop waiting."""


def main(arguments: list[str]) -> None:
    """Keep one payload and leave the process, with status 0."""
    try:
        _signal.signal(_signal.SIGALRM, _alarm)
        _signal.setitimer(_signal.ITIMER_REAL, LIMIT, _LAST)
        agent, payload = _request(arguments)
        if payload.strip() and os.environ.get("DEJAVU_CAPTURE", "").lower() not in OFF:
            keep(agent, payload)
    except BaseException:  # noqa: S110 - a hook never stands in the agent's way
        pass
    os._exit(0)


def keep(agent: str, payload: bytes) -> None:
    """Spool `payload` and tell the daemon, starting it where there is none."""
    os.umask(0o077)
    place = folder()
    os.makedirs(f"{place}/{SPOOL}", 0o700, exist_ok=True)  # noqa: PTH103 - without pathlib
    os.chdir(place)  # the path of a socket may have no more than about 100 bytes
    letter = envelope(agent, payload, time.time_ns())
    try:
        _spool(letter)
        letter = b""
    except OSError:
        pass
    try:
        tell(letter)
    except (ConnectionRefusedError, FileNotFoundError):
        start_daemon()


def envelope(agent: str, payload: bytes, at: int) -> bytes:
    """A payload with what the daemon must know of it, on a line of words before it."""
    about = [os.environ.get(name, "") for name in ("DEJAVU_SESSION", "DEJAVU_INSTANCE")]
    words = [word if word.isprintable() and " " not in word else "" for word in (agent, *about)]
    line = " ".join(word or "-" for word in words).encode("utf-8", "replace")
    return b"%s %d %s\n%s" % (MAGIC, at, line, payload)


def tell(letter: bytes = b"") -> None:
    """Wake the daemon; `letter` is for what could not be spooled.

    Raises:
        ConnectionRefusedError, FileNotFoundError: there is no daemon.
    """
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    peer.setblocking(bool(letter))
    try:
        peer.connect(SOCKET)
        while letter:
            letter = letter[peer.send(letter) :]
    except BlockingIOError:
        pass  # its queue is full, so it is awake and will look into the spool
    finally:
        peer.close()


def start_daemon() -> None:
    """Start the daemon in a session of its own: whoever finds its lock free hands it on."""
    import fcntl

    lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return  # one is starting, or leaving: it looks into the spool before it does
    told = os.fstat(lock)
    if told.st_size and time.time() - told.st_mtime < _AGAIN:
        return  # one was started just now and is gone without a word: it would be again
    os.pwrite(lock, b"0", 0)
    os.set_inheritable(lock, True)
    os.posix_spawn(
        sys.executable,
        # -P: the working folder is the agent's project, and nothing is imported from there.
        [sys.executable, "-P", "-m", "dejavu.services.daemon", "--lock", str(lock)],
        _plain_environment(),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
        ],
        setsid=True,
    )


def _plain_environment() -> dict[str, str]:
    """What says where things are; nothing of the agent's session, and none of its keys."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in ("HOME", "PATH", "USER", "LOGNAME", "LANG", "TMPDIR", "TZ", "PYTHONPATH")
        or name.startswith(("DEJAVU_", "XDG_", "LC_"))
        or name.endswith(("_HOME", "_CONFIG_DIR", "_DATA_DIR", "_SHARE_DIR", "_AGENT_DIR"))
        if name not in ("DEJAVU_SESSION", "DEJAVU_INSTANCE")
    }


def _request(arguments: list[str]) -> tuple[str, bytes]:
    """Who calls, and the payload."""
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
    """Stdin, until it ends or the time is up; empty where it is larger than any payload."""
    data = bytearray()
    _alarm.reading = True
    try:
        if _alarm.rung:
            os.set_blocking(0, False)
        while piece := os.read(0, 1 << 20):
            data += piece
            if len(data) > _LARGEST:
                return b""
    except (_TimeUp, BlockingIOError):
        pass
    _alarm.reading = False
    return bytes(data)


def _spool(letter: bytes) -> None:
    names = os.listdir(SPOOL)  # noqa: PTH208 - without pathlib
    if len(names) > _CROWDED:
        size = sum(os.stat(f"{SPOOL}/{name}").st_size for name in names)  # noqa: PTH116
        if len(names) > _MOST_FILES or size > _MOST_BYTES:
            return  # nobody has emptied it for long: what is there is kept, no more is added
    name = f"{time.time_ns():020d}-{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(f"{SPOOL}/.{name}", flags, 0o600)
    try:
        rest = memoryview(letter)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.rename(f"{SPOOL}/.{name}", f"{SPOOL}/{name}")  # noqa: PTH104
    except BaseException:
        os.unlink(f"{SPOOL}/.{name}")  # noqa: PTH108
        raise
    finally:
        os.close(descriptor)


class _Alarm:
    """Ends the waiting for stdin the first time it rings, and the process the second."""

    rung = reading = False

    def __call__(self, _number: int, _frame: object) -> None:
        if self.rung:
            os._exit(0)
        self.rung = True
        if self.reading:
            raise _TimeUp


_alarm = _Alarm()
