"""What every hook's program does: read stdin, keep the time limit, ask the daemon, answer.

Imports built-in modules only. A signal's handler runs between two lines of Python: a wait for another
program's lock on the archive is one long line. So a thread counts the seconds as well.
"""

import _socket
import _thread
import gc
import os
import sys
import time

from dejavu.services.hook_protocol import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from types import FrameType, ModuleType
else:
    import _signal

    ModuleType = type(sys)

VARIABLE = "DEJAVU_HOOK_LIMIT"
_NEEDED = ("msgspec", "lmdb", "tantivy")
_STOOD_IN = (
    ("pathlib", "urllib.parse"),
    ("uuid", "platform"),
    ("msgspec", "msgspec.inspect"),
    ("msgspec", "msgspec._json_schema"),
)
"""A package, and what it imports for one function."""


def seconds(default: float) -> float:
    """The seconds that the environment allows, or the default where it says nothing of use."""
    return parsed(os.environ.get(VARIABLE, "")) or default


def parsed(text: str) -> float | None:
    """A number of seconds above 0; None where the text is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < float("inf") else None


def end(_number: int, _frame: object) -> None:
    """End in silence when the time is up: nothing was printed yet."""
    os._exit(0)


def set_alarm(
    limit: float,
    handler: "Callable[[int, FrameType | None], object]" = end,
    *,
    again: float = 0,
) -> None:
    """Call `handler` in the main thread after `limit` seconds, and then every `again` seconds."""
    _signal.signal(_signal.SIGALRM, handler)
    _signal.setitimer(_signal.ITIMER_REAL, limit, again)


def stop_alarm() -> None:
    """Forget the alarm."""
    _signal.setitimer(_signal.ITIMER_REAL, 0)


def end_after(limit: float, last: "Callable[[], object] | None" = None) -> None:
    """End this process with status 0 after `limit` seconds, whatever it waits for; `last` is called first."""

    def watch() -> None:
        time.sleep(limit)
        try:
            if last is not None:
                last()
        finally:
            os._exit(0)

    try:
        _thread.start_new_thread(watch, ())
    except RuntimeError:
        return  # no thread to be had: the alarm has to do


def answer_apart(work: "Callable[[], bytes]", limit: float) -> bytes:
    """Return what `work` returns in a child of this process, which ends with it or after `limit` seconds.

    No thread of ours runs while the child is in one long step of C, such as a pattern over 20 MB.

    Raises:
        TimeoutError: it took longer.
        OSError: there is no process to be had, or `work` failed.
    """
    from select import select

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            left = b"+" + work()
            while left:
                left = left[os.write(writer, left) :]
        finally:
            os._exit(0)
    os.close(writer)
    deadline = time.monotonic() + limit
    answer = bytearray()
    try:
        while select([reader], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if not (piece := os.read(reader, 1 << 20)):
                break
            answer += piece
        else:
            raise TimeoutError
    finally:
        os.close(reader)
        os.kill(child, _signal.SIGKILL)  # our own, and not waited for yet
        os.waitpid(child, 0)
    if not answer:
        raise OSError("the work failed")
    return bytes(answer[1:])


def agent_in(words: list[str]) -> str:
    """The NAME of `--agent NAME`; empty where there is none."""
    return words[words.index("--agent") + 1] if "--agent" in words[:-1] else ""


def read_stdin(largest: int) -> bytes:
    """Stdin to its end.

    Raises:
        ValueError: it has more than `largest` bytes.
    """
    data = bytearray()
    while piece := os.read(0, 1 << 20):
        data += piece
        if len(data) > largest:
            raise ValueError
    return bytes(data)


def write_stdout(data: bytes) -> None:
    """Write all of it."""
    while data:
        data = data[os.write(1, data) :]


def load_site() -> None:
    """Make the installed packages importable: the launcher leaves `site` out, as few calls need it."""
    if is_launched() and "site" not in sys.modules:
        gc.disable()  # it ends within a second: looking for cycles is a twentieth of its time
        folder_of = "{0}/lib/python{1.major}.{1.minor}/site-packages".format
        packages = folder_of(os.path.dirname(os.path.dirname(sys.executable)), sys.version_info)  # noqa: PTH120 - without pathlib
        if all(os.path.isdir(f"{packages}/{name}") for name in _NEEDED):  # noqa: PTH112 - see above
            sys.path.append(packages)  # without what other packages run at every start
            _spare_imports(packages)
        else:
            import site

            site.main()


class _StandIn(ModuleType):
    """A module whose functions come from the real one, when they are called."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)

        def late(*arguments: object, **named: object) -> object:
            from importlib import import_module

            return getattr(import_module(self.__name__), name)(*arguments, **named)

        return late


def _spare_imports(packages: str) -> None:
    """Leave out what other packages import and no hook needs. Called before they are imported.

    Stand-ins take the place of modules that `pathlib`, `uuid` and `msgspec` import for a function that
    no hook calls. Whatever is asked of one comes from the real module, which is loaded then.
    """
    # msgspec takes it where it is installed; `typing` has all it needs, and is loaded 14 ms sooner.
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # how Python names a module that is not there
    _name_backports(packages)
    if _has_own_hashes():
        sys.modules["_hashlib"] = None  # type: ignore[assignment]  # OpenSSL's, 4 ms
    for package in dict.fromkeys(package for package, _ in _STOOD_IN):
        _import_alone(package, [other for one, other in _STOOD_IN if one == package])


def _import_alone(package: str, others: list[str]) -> None:
    """Import a package with stand-ins for others, if it is content with them."""
    if any(name in sys.modules for name in (package, *others)):
        return
    stand_ins = {name: _StandIn(name) for name in others}
    if "platform" in stand_ins:
        vars(stand_ins["platform"])["system"] = lambda: os.uname().sysname
    sys.modules.update(stand_ins)
    try:
        __import__(package)
    except Exception:  # another release of it: the next import loads it as always
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
            del sys.modules[name]
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
            parent, _, own = name.rpartition(".")
            if getattr(sys.modules.get(parent), own, None) is module:
                delattr(sys.modules[parent], own)


def _name_backports(packages: str) -> None:
    """Make `backports` without its own module, which looks through all folders for others of its name."""
    if os.path.isdir(f"{packages}/backports/zstd"):  # noqa: PTH112 - without pathlib
        module = ModuleType("backports")
        module.__path__ = [f"{packages}/backports"]
        sys.modules["backports"] = module


def _has_own_hashes() -> bool:
    """Whether this Python has its own hashes; one made for FIPS may have only OpenSSL's."""
    try:
        for name in (
            "_md5",
            "_sha1",
            "_sha3",
            "_sha2" if sys.version_info >= (3, 12) else "_sha256",
        ):
            __import__(name)
    except ImportError:
        return False
    return True


def leave() -> None:
    """End the launcher's process with status 0 at once: taking its modules apart takes 20 ms.

    What has to be closed is closed. Returns where another program called the hook.
    """
    if is_launched():
        os._exit(0)


def is_launched() -> bool:
    """Whether this process is the launcher's, and so of this hook alone."""
    return bool(sys.flags.no_site)


def exchange(name: str, request: bytes, deadline: float) -> bytes:
    """Send a request to the daemon's socket `name`; return its answer.

    deadline: as `time.monotonic` tells it.

    Raises:
        OSError: there is no daemon, or it took too long.
    """
    before = os.getcwd()  # noqa: PTH109 - without pathlib
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        peer.settimeout(max(0.001, deadline - time.monotonic()))
        os.chdir(folder())  # the path of a socket may have no more than about 100 bytes
        try:
            if os.stat(".").st_uid != os.geteuid():  # noqa: PTH116 - without pathlib
                raise OSError("the folder is another user's, and so the daemon may be")
            peer.connect(name)
        finally:
            os.chdir(before)
        peer.sendall(request)
        peer.shutdown(_socket.SHUT_WR)
        answer = bytearray()
        while True:
            peer.settimeout(max(0.001, deadline - time.monotonic()))
            piece = peer.recv(1 << 16)
            if not piece:
                return bytes(answer)
            answer += piece
    finally:
        peer.close()
