"""The observer server: forks observers from a process that has imported all they need.

An observer costs a quarter of a CPU second and 25 MB to import; forked, a few milliseconds and the
memory that it changes. The first observer of a user forks the server from itself before it begins
(`fork_server`); the wrappers of later sessions send it their request (`capsule.observer_request`).
A forked observer leads its own session and is connected only with its wrapper: neither
the server's end nor another observer's reaches it. A server that is gone, hangs, is of another
version or whose files have changed refuses or does not answer, and the wrapper starts a program of
its own as if there were none.

One a user and kind (`observer_address.identity`), by a lock that ends with its process. It opens no
archive and reads nothing of any session. It ends when there was none for `IDLE` seconds, or when its
socket is gone. Forks are only safe in a process of one thread, and it refuses to be another.
Waits without waking while sessions run. Linux only: the fork of a process without `exec` was not
tried on macOS, whose system libraries do not allow it for certain.
"""

import array
import fcntl
import gc
import importlib
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from dejavu.capsule.observer_request import DESCRIPTORS, GO, LARGEST, LENGTH, READY
from dejavu.capsule.process import set_process_title
from dejavu.capsule.unix_socket import Listener, listen
from dejavu.config.files import open_lock, try_lock
from dejavu.config.paths import private_folder
from dejavu.config.settings import load_config
from dejavu.model import DejavuError
from dejavu.redact import Redactor
from dejavu.scrapers import SessionReader
from dejavu.scrapers.packs import default_packs

from .. import observer_address

IDLE = 180.0
"""Seconds without a session after which the server ends."""

_LOOK = 5.0  # seconds between two looks at the own socket, while there is no session
_REQUEST_TIME = 0.2  # s for a request to arrive
_GO_TIME = 10.0  # s for a wrapper to tell an observer to begin
_LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU)
_CAUGHT = 64 << 10
_PRELOADED = (
    "tomllib",
    "json.decoder",
    "dejavu.providers.claude.parser",
    "dejavu.providers.codex.parser",
)
"""Modules that observers import late."""

_SCREEN = "\u276f why?\r\n\r\n\u25cf Because.\r\n\r\n\u276f \r\n"
_AGENT = "claude"

_CLOEXEC: int = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""Linux alone has it, and this server runs there alone."""


class _Request(NamedTuple):
    """What an observer needs: descriptors (frames, reports, folder) and what it inherits."""

    connection: socket.socket
    descriptors: list[int]
    umask: int
    log: bytes
    environment: dict[bytes, bytes]


def fork_server(observe: Callable[[], object]) -> None:
    """Fork a server from this process unless there is one; return in this process.

    `observe` is what a forked observer does. Raises OSError or DejavuError where none can be had.
    """
    if not observer_address.is_wanted() or not load_config().capture.warm_observer:
        return
    if any(resource.getrlimit(limit)[0] != resource.RLIM_INFINITY for limit in _LIMITS):
        return  # others' sessions would inherit it
    path, identity = observer_address.address()
    folder = private_folder(Path(path).parent)
    lock = open_lock(f"{path}.lock")
    if not try_lock(lock):
        os.close(lock)
        return
    if folder.stat().st_uid != os.geteuid() or len(os.listdir("/proc/self/task")) != 1:  # noqa: PTH208 - loads no pathlib
        os.close(lock)
        return
    default_packs()  # this observer needs them, too
    files = _package_files()
    fingerprint = _fingerprint(files)
    gc.collect()
    gc.freeze()  # or the first collection in a child would copy every page
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os.close(lock)
        return
    try:
        _detach(keep={lock})
        _warm_up()
        with listen(Path(path), backlog=64) as listener:
            os.ftruncate(lock, 0)
            os.write(lock, b"%d" % os.getpid())  # who it is, for people
            is_current = lambda: _fingerprint(files) == fingerprint  # noqa: E731 - bound to this round
            ObserverServer(Path(path), listener, identity, is_current, observe).run()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _detach(keep: set[int]) -> None:
    """Leave the observer that we were forked from: its session, its pipes, its environment."""
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    _close_all(keep)
    os.chdir("/")
    os.environ.clear()
    set_process_title(["dejavu-observers"])
    _clear_first_environment()


def _warm_up() -> None:
    """Do once what every observer does, so that it finds it loaded, compiled and in shared pages."""
    for module in _PRELOADED:
        importlib.import_module(module)
    reader = SessionReader(_AGENT, 80, 24, mask=Redactor(bytes(32), ("not a secret",)))
    for at, text in enumerate((_SCREEN, "\x1b[H\x1b[J", _SCREEN)):
        reader.output(text.encode(), float(at))
        reader.tick(at + 0.5)
    gc.collect()
    gc.freeze()


def _clear_first_environment() -> None:
    """Take the environment of the first session out of /proc/self/environ."""
    with suppress(OSError, IndexError, ValueError):
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        start, end = int(fields[47]), int(fields[48])  # env_start, env_end: proc_pid_stat(5)
        memory = os.open("/proc/self/mem", os.O_RDWR | os.O_CLOEXEC)
        try:
            os.pwrite(memory, bytes(end - start), start)
        finally:
            os.close(memory)


def _close_all(keep: set[int]) -> None:
    """Close every descriptor but the first three and these."""
    low = 3
    for fd in [*sorted(keep), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(low, fd)
        low = fd + 1


def _package_files() -> list[str]:
    """Every file and folder of our package, but what the interpreter writes."""
    found: list[str] = []
    for folder, names, files in os.walk(
        Path(observer_address.__file__).parent.parent, followlinks=True
    ):
        names[:] = [name for name in names if name != "__pycache__"]
        found += [folder, *(f"{folder}/{name}" for name in files)]
    return found


def _fingerprint(files: list[str]) -> list[tuple[int, int]]:
    """The state of files: it differs after an upgrade. One stat(2) each."""
    states = map(os.stat, files)
    return [(state.st_ino, state.st_mtime_ns) for state in states]


class ObserverServer:
    """The server's loop, in its own process."""

    def __init__(
        self,
        path: Path,
        listener: Listener,
        identity: bytes,
        is_current: Callable[[], bool],
        observe: Callable[[], object],
    ) -> None:
        self._path, self._listener = path, listener
        self._inode = path.stat().st_ino
        self._identity, self._is_current = identity, is_current
        self._observe = observe
        self._children: set[int] = set()
        self._stopped = False

    def run(self) -> None:
        """Serve until it is not needed; observers that run then continue."""
        wake, wake_end = os.pipe()
        for fd in (wake, wake_end):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _wake)
        signal.signal(signal.SIGTERM, self._stop)
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(wake, select.POLLIN)
        idle_since = time.monotonic()
        while not self._stopped:
            ready = dict(poll.poll(None if self._children else _LOOK * 1000))
            with suppress(BlockingIOError):
                os.read(wake, _CAUGHT)
            self._reap()
            if self._listener.fileno() in ready:
                self._accept()
            if self._children:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > IDLE or not self._can_be_found():
                break
        if self._can_be_found():
            self._path.unlink()

    def _stop(self, _number: int, _frame: object) -> None:
        self._stopped = True

    def _can_be_found(self) -> bool:
        try:
            return self._path.stat().st_ino == self._inode
        except OSError:
            return False

    def _reap(self) -> None:
        while self._children:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._children.clear()
                return
            if not pid:
                return
            self._children.discard(pid)

    def _accept(self) -> None:
        """Take one connection and fork its observer; a request for what we are not is refused."""
        try:
            connection, _ = self._listener.accept()
        except OSError:  # it went away, or is another user's
            return
        with connection:
            descriptors: list[int] = []
            try:
                connection.settimeout(_REQUEST_TIME)
                message = _receive(connection, descriptors)
                identity, umask, log, *environment = message.split(b"\0")
                if len(descriptors) != DESCRIPTORS or identity != self._identity:
                    return
                if not self._is_current():
                    self._stopped = True
                    return
                pairs = dict(pair.split(b"=", 1) for pair in environment if b"=" in pair)
                request = _Request(connection, descriptors, int(umask), log, pairs)
                if child := os.fork():
                    self._children.add(child)
                    return
                _run_observer(request, self._observe)
            except (OSError, ValueError):
                return
            finally:
                for fd in descriptors:
                    os.close(fd)


def _wake(_number: int, _frame: object) -> None:
    """The wakeup descriptor says it all."""


def _receive(connection: socket.socket, descriptors: list[int]) -> bytes:
    """A request's message; its descriptors are added to the list, whatever happens."""
    data, length = bytearray(), LENGTH.size
    while len(data) < length:
        room = socket.CMSG_SPACE(DESCRIPTORS * array.array("i").itemsize)
        piece, ancillary, _, _ = connection.recvmsg(1 << 20, room, _CLOEXEC)
        for level, kind, content in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                rights = array.array("i")
                rights.frombytes(content[: len(content) // rights.itemsize * rights.itemsize])
                descriptors += rights
        if not piece:
            raise ValueError("the request ends too early")
        data += piece
        if length == LENGTH.size and len(data) >= length:
            length += LENGTH.unpack_from(data)[0]
            if length > LARGEST:
                raise ValueError("the request is too large")
    return bytes(data[LENGTH.size :])


def _run_observer(request: _Request, observe: Callable[[], object]) -> NoReturn:
    """Be the observer of one session, in the process that was forked for it."""
    try:
        _inherit(request)
        if _may_begin():
            observe()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


_CONNECTION = 4
"""Where the connection to the wrapper is while an observer waits for its word."""


def _inherit(request: _Request) -> None:
    """Take over what a program that the wrapper starts would have inherited from it."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Out of the way of the numbers that they are to have.
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 64) for fd in request.descriptors]
    connection = fcntl.fcntl(request.connection, fcntl.F_DUPFD_CLOEXEC, 64)
    frames, reports, folder = high
    os.fchdir(folder)
    os.umask(request.umask)
    os.environb.clear()
    os.environb.update(request.environment)
    time.tzset()
    log = os.open(request.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.dup2(frames, 0)
    os.dup2(reports, 3)
    os.dup2(connection, _CONNECTION, inheritable=False)
    _close_all({3, _CONNECTION})
    set_process_title([sys.executable, "-m", __package__ or ""])


def _may_begin() -> bool:
    """Tell the wrapper that we are ready and wait for its word; False where it took that back."""
    with socket.socket(fileno=_CONNECTION) as connection:
        with suppress(DejavuError):  # told by the observer
            if not load_config().capture.warm_observer:
                return False
        connection.settimeout(_GO_TIME)
        connection.sendall(READY)
        return connection.recv(1) == GO
