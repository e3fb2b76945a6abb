"""The observer server: forks observers from a process that has imported all they need.

An observer costs a quarter of a CPU second and 25 MB to import; forked, a few milliseconds and the
memory that it changes. The first observer of a user forks the server from itself before it begins
(`fork_server`); the wrappers of later sessions send it their request (`capsule.observer_request`).
Sessions of one kind (`forked_observer.Request.kind`) share one forked observer (`shared_observer`),
to which their requests are handed on; one that was observed before, and whatever else must not
share, gets its own. Neither the server's end nor another observer's reaches an observer. A server
that is gone, hangs, is of another version or whose files have changed refuses or does not answer,
and the wrapper starts its own program as if there were none.

One a user and kind (`observer_address.identity`), by a lock that ends with its process. It opens no
archive and reads nothing of any session. It ends when there was none for `IDLE` seconds, or when its
socket is gone. Forks are only safe in a process of one thread, and it refuses to be another.
Waits without waking while sessions run. Linux only: the fork of a process without `exec` was not
tried on macOS, whose system libraries do not allow it for certain.
"""

import gc
import importlib
import os
import resource
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dejavu.capsule.observer_request import DESCRIPTORS
from dejavu.capsule.process import set_process_title
from dejavu.capsule.unix_socket import Listener, listen
from dejavu.config.files import open_lock, try_lock
from dejavu.config.paths import private_folder
from dejavu.config.settings import load_config
from dejavu.redact import Redactor
from dejavu.scrapers import SessionReader
from dejavu.scrapers.packs import default_packs

from .. import observer_address
from .forked_observer import Request, child_wakeups, close_all, reap, receive, run_alone
from .shared_observer import run_shared

if TYPE_CHECKING:
    from .__main__ import Observation

IDLE = 180.0
"""Seconds without a session after which the server ends."""

_LOOK = 5.0  # seconds between two looks at the own socket, while there is no session
_REQUEST_TIME = 0.2  # s for a request to arrive
_MOST = 100  # sessions that one shared observer is given: what it may leak ends with it
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


@dataclass
class _Shared:
    """A shared observer: its process, the way to it, the number of sessions that it was given."""

    pid: int
    channel: socket.socket
    given: int = 0


def fork_server(observation: "type[Observation]") -> None:
    """Fork a server from this process unless there is one; return in this process.

    `observation` is what a forked observer does. Raises OSError or DejavuError where none can be had.
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
            ObserverServer(Path(path), listener, identity, is_current, observation).run()
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
    close_all(keep)
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


def _package_files() -> list[str]:
    """Every file of our package, except what the interpreter writes.

    No folder: it changes when the interpreter makes its `__pycache__`.
    """
    found: list[str] = []
    for folder, names, files in os.walk(
        Path(observer_address.__file__).parent.parent, followlinks=True
    ):
        names[:] = [name for name in names if name != "__pycache__"]
        found += [f"{folder}/{name}" for name in files]
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
        observation: "type[Observation]",
    ) -> None:
        self._path, self._listener = path, listener
        self._inode = path.stat().st_ino
        self._identity, self._is_current = identity, is_current
        self._observation = observation
        self._shared: dict[bytes, _Shared] = {}
        self._children: set[int] = set()
        self._stopped = False

    def run(self) -> None:
        """Serve until it is not needed; observers that run then continue."""
        wake = child_wakeups()
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
        reap(self._children)
        for kind, shared in list(self._shared.items()):
            if shared.pid not in self._children:
                self._forget(kind)

    def _forget(self, kind: bytes) -> None:
        """Give a shared observer no more sessions; it ends with those that it has."""
        self._shared.pop(kind).channel.close()

    def _accept(self) -> None:
        """Take one connection and see that it gets an observer; what we are not is refused."""
        try:
            connection, _ = self._listener.accept()
        except OSError:  # it went away, or is another user's
            return
        with connection:
            descriptors: list[int] = []
            try:
                connection.settimeout(_REQUEST_TIME)
                message = receive(connection, descriptors)
                request = Request.parse(message)
                if len(descriptors) != DESCRIPTORS or request.identity != self._identity:
                    return
                if not self._is_current():
                    self._stopped = True
                    return
                if request.shared:
                    self._share(request, message, [connection.fileno(), *descriptors])
                elif child := os.fork():
                    self._children.add(child)
                else:
                    run_alone(request, connection, descriptors, self._observation.observe)
            except (OSError, ValueError):
                return
            finally:
                for fd in descriptors:
                    os.close(fd)

    def _share(self, request: Request, message: bytes, descriptors: list[int]) -> None:
        """Hand the request to the observer of its kind; there may have to be a new one."""
        kind = request.kind
        shared = self._shared.get(kind)
        if shared is not None and not _hand_on(shared, message, descriptors):
            self._forget(kind)
            shared = None
        if shared is None:
            ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
            with theirs:
                ours.setblocking(False)
                shared = _Shared(os.fork(), ours)
                if not shared.pid:
                    run_shared(theirs, request, descriptors, self._observation)
            self._children.add(shared.pid)
            self._shared[kind] = shared
        shared.given += 1
        if shared.given >= _MOST:
            self._forget(kind)


def _hand_on(shared: _Shared, message: bytes, descriptors: list[int]) -> bool:
    """Whether the shared observer can have it: not one that has ended, or takes nothing."""
    try:
        socket.send_fds(shared.channel, [message], descriptors)
    except OSError:
        return False
    return True
