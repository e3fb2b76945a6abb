"""What every hook's program does: read stdin, keep the time limit, ask the daemon, answer.

Imports built-in modules only. A signal's handler runs between two lines of Python: a wait for another
program's lock on the archive is one long line. So a thread counts the seconds as well.
"""

import _socket
import _thread
import os
import sys
import time

from dejavu.services.hook_protocol import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable, Iterable, Sequence
    from types import FrameType
    from typing import Any
else:
    import _signal

VARIABLE = "DEJAVU_HOOK_LIMIT"
PATTERNS = "patterns"
"""The file of compiled patterns, in the folder of the daemon's sockets."""
_NEEDED = ("msgspec", "lmdb", "tantivy")
_FEW = 8  # new patterns worth writing down
_DEPTH = 3  # tables within tables in which patterns are
_keep: "Callable[[], None] | None" = None


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
    global _keep
    if sys.flags.no_site and "site" not in sys.modules:
        folder_of = "{0}/lib/python{1.major}.{1.minor}/site-packages".format
        packages = folder_of(os.path.dirname(os.path.dirname(sys.executable)), sys.version_info)  # noqa: PTH120 - without pathlib
        if all(os.path.isdir(f"{packages}/{name}") for name in _NEEDED):  # noqa: PTH112 - see above
            sys.path.append(packages)  # without what other packages run at every start
        else:
            import site

            site.main()
        _keep = keep_patterns(f"{folder()}/{PATTERNS}")


def keep_patterns(path: str) -> "Callable[[], None]":
    """Let `re` take what it compiled before from a file; the function returned adds what was new.

    Compiling is a fifth of the time of a program that starts for every prompt. The file is this user's and of
    this Python, as bytecode is. It holds patterns of our code alone, never one made of a prompt or a
    secret. A pattern that is not in it is compiled as ever.
    """
    import marshal
    import re  # what a pattern is made of has no public name; its form is the same from 3.11 to 3.14

    del re
    compiler: Any = sys.modules["re._compiler"]
    parser: Any = sys.modules["re._parser"]
    engine: Any = sys.modules["_sre"]
    release, known = (sys.version, engine.MAGIC), _stored(path, marshal.loads)
    patterns: dict[tuple[str, int], tuple[Any, ...]] = (
        known[1] if known and known[0] == release else {}
    )
    fresh: dict[tuple[str, int], tuple[Any, ...]] = {}
    as_ever = compiler.compile

    def compile_pattern(source: object, flags: int = 0) -> object:
        if type(source) is not str:
            return as_ever(source, flags)
        key = source, int(flags)
        parts = patterns.get(key)
        if parts is None:
            parsed = parser.parse(source, key[1])
            state, order = parsed.state, [None] * parsed.state.groups
            for name, number in state.groupdict.items():
                order[number] = name
            code = [int(word) for word in compiler._code(parsed, key[1])]
            groups = state.groups - 1, dict(state.groupdict), tuple(order)
            parts = fresh[key] = (int(key[1] | state.flags), code, *groups)
        return engine.compile(source, *parts)

    def keep() -> None:
        if len(fresh) >= _FEW:
            ours = patterns_of_code()
            kept = {key: parts for key, parts in fresh.items() if key[0] in ours}
            if kept:
                _store(path, marshal.dumps((release, patterns | kept)))

    compiler.compile = compile_pattern
    return keep


def patterns_of_code() -> "set[str]":
    """The patterns among the constants of our modules, alone or in tables.

    Constants alone: what a module keeps while it runs may be made of a secret.
    """
    from typing import cast

    from dejavu.model.late_pattern import source_of
    from dejavu.redact.rule import Rule

    found: set[str] = set()

    def take(value: object, depth: int) -> None:
        if isinstance(value, Rule):
            inner: list[object] = [value.pattern, value.tail]
            inner += [companion.shape for companion in value.companions]
        elif isinstance(value, dict):
            inner = list(cast("dict[object, object]", value).values())
        elif isinstance(value, (tuple, list, set, frozenset)):
            inner = list(cast("Iterable[object]", value))
        else:
            source = source_of(value)
            found.update(() if source is None else (source,))
            return
        for one in inner if depth else ():
            take(one, depth - 1)

    for name, module in list(sys.modules.items()):
        named: dict[str, object] = vars(module) if name.partition(".")[0] == "dejavu" else {}
        for constant in [value for key, value in named.items() if key.isupper()]:
            take(constant, _DEPTH)
    return found


def _stored(path: str, loads: "Callable[[bytes], Any]") -> "Sequence[Any]":
    """What a file of this user's holds; empty where there is none, or it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - without pathlib
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return ()
            value = loads(file.read())
        return value if list(map(type, value)) == [tuple, dict] else ()
    except (OSError, ValueError, EOFError, TypeError):
        return ()


def _store(path: str, data: bytes) -> None:
    """Put a private file in its place; a disk that refuses it costs the next run its time."""
    from pathlib import Path  # seldom needed

    from dejavu.config.files import replace_file
    from dejavu.config.paths import private_folder

    try:
        private_folder(Path(path).parent)
        replace_file(Path(path), data)
    except OSError:
        return


def leave() -> None:
    """End the launcher's process with status 0 at once: taking its modules apart takes 20 ms.

    What has to be closed is closed. Returns where another program called the hook.
    """
    if sys.flags.no_site:
        try:
            if _keep is not None:
                _keep()
        finally:
            os._exit(0)


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
