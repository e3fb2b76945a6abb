"""What a program that starts for every prompt keeps for the next: modules and patterns, ready to run.

Finding, checking and reading 200 files of bytecode one by one is a tenth of its time, compiling patterns
a fifth. Both are kept in a file each, in the folder of the daemon's sockets. The files are this
user's, of this Python and this installation, as bytecode is. A module whose source has another time or size is
loaded as ever. Imports built-in modules only. Must not keep anything of a prompt or a secret.

Costs a file read; O(modules) to write, when some were new.

Tested in: tests/interfaces/hooks/test_program.py
"""

import marshal
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import CodeType, FrameType, ModuleType
    from typing import Any

    _Entry = tuple[str, int, int, bool, int, int]
    """A module's path, its time and size, whether it is a package, where its code begins, and its length."""

PATTERNS, MODULES = "patterns", "modules"
"""The files, in the folder of the daemon's sockets."""
_FEW = 8  # new patterns or modules worth writing down
_DEPTH = 3  # tables within tables in which patterns are
_LENGTH = 8  # bytes of a length


def use(folder: str) -> "Callable[[], None]":
    """Take what is kept in a folder; the function returned adds what was new."""
    keep_new_modules = keep_modules(f"{folder}/{MODULES}")
    keep_new_patterns = keep_patterns(f"{folder}/{PATTERNS}")

    def keep() -> None:
        keep_new_modules()
        keep_new_patterns()

    return keep


class _KeptLoader(SourceFileLoader):
    """Loads a module whose code is in the file of kept ones."""

    packed = b""

    def get_code(self, fullname: str) -> "CodeType":  # noqa: ARG002 - as loaders have it
        """The module's code, as it was compiled."""
        code: CodeType = marshal.loads(self.packed)  # noqa: S302 - out of a file of this user's
        return code


class _KeptModules:
    """A finder of modules that are kept in a file: its table, and the code of each."""

    def __init__(self, path: str, release: "tuple[str, ...]") -> None:
        """Open the file; without one of this release, nothing is kept."""
        self.table: dict[str, _Entry] = {}
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            size = int.from_bytes(os.pread(self._file, _LENGTH, 0), "big")
            self._start = _LENGTH + size
            if os.fstat(self._file).st_uid == os.getuid():
                made, table = marshal.loads(os.pread(self._file, size, _LENGTH))  # noqa: S302 - see above
                self.table = table if made == release else {}
        except (OSError, ValueError, EOFError, TypeError, MemoryError):
            return

    def code(self, entry: "_Entry") -> bytes:
        """The code of a module, packed."""
        return os.pread(self._file, entry[5], self._start + entry[4])

    def find_spec(
        self, name: str, _path: "Sequence[str] | None" = None, _target: "ModuleType | None" = None
    ) -> ModuleSpec | None:
        """The module as it is kept; None where it is not, or its source changed."""
        entry = self.table.get(name)
        if entry is None or entry[1:3] != _stamp(entry[0]):
            return None
        loader = _KeptLoader(name, entry[0])
        loader.packed = self.code(entry)
        spec = ModuleSpec(name, loader, origin=entry[0], is_package=entry[3])
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(entry[0].rpartition("/")[0])
        return spec


def keep_modules(path: str) -> "Callable[[], None]":
    """Load modules from a file where it has them; the function returned adds those that were new."""
    release = (sys.version, sys.prefix, *sys.path)
    kept = _KeptModules(path, release)
    before = set(sys.modules)
    sys.meta_path.insert(0, kept)

    def keep() -> None:
        loaders: list[Any] = [
            module.__loader__
            for name, module in sys.modules.items()
            if name not in before and type(getattr(module, "__loader__", None)) is SourceFileLoader
        ]
        if len(loaders) >= _FEW:
            _store(path, _packed(release, kept, loaders))

    return keep


def _packed(
    release: "tuple[str, ...]", kept: _KeptModules, loaders: "Iterable[SourceFileLoader]"
) -> bytes:
    """The file of the modules kept so far and some more: the length of its table, the table, the code."""
    made = [(name, *entry[:4], kept.code(entry)) for name, entry in kept.table.items()]
    for loader in loaders:
        stamp, code = _stamp(loader.path), loader.get_code(loader.name)
        if stamp is not None:
            is_package = loader.is_package(loader.name)
            made.append((loader.name, loader.path, *stamp, is_package, marshal.dumps(code)))
    table: dict[str, _Entry] = {}
    data = bytearray()
    for name, path, written, size, is_package, packed in made:
        if (written, size) == _stamp(path):
            table[name] = path, written, size, is_package, len(data), len(packed)
            data += packed
    head = marshal.dumps((release, table))
    return len(head).to_bytes(_LENGTH, "big") + head + data


def _stamp(path: str) -> tuple[int, int] | None:
    """When a file was written (ns), and its size; None where there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - without pathlib
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def keep_patterns(path: str) -> "Callable[[], None]":
    """Let `re` take what it compiled before from a file; the function returned adds what was new.

    It holds patterns that a module is loaded with and constants of our code, never one made of a
    prompt or a secret. A pattern that is not in it is compiled as ever.
    """
    import re  # what a pattern is made of has no public name; its form is the same from 3.11 to 3.14

    del re
    compiler: Any = sys.modules["re._compiler"]
    parser: Any = sys.modules["re._parser"]
    engine: Any = sys.modules["_sre"]
    release, known = (sys.version, engine.MAGIC), _stored(path)
    patterns: dict[tuple[str | bytes, int], tuple[Any, ...]] = (
        known[1] if known and known[0] == release else {}
    )
    fresh: dict[tuple[str | bytes, int], tuple[Any, ...]] = {}
    loaded: set[tuple[str | bytes, int]] = set()
    as_ever = compiler.compile

    def compile_pattern(source: object, flags: int = 0) -> object:
        if type(source) is not str and type(source) is not bytes:
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
            if _is_loading(sys._getframe(1)):  # pyright: ignore[reportPrivateUsage] - frames have no other
                loaded.add(key)
        return engine.compile(source, *parts)

    def keep() -> None:
        if len(fresh) >= _FEW:
            ours = patterns_of_code()
            kept = {key: parts for key, parts in fresh.items() if key in loaded or key[0] in ours}
            if kept:
                _store(path, marshal.dumps((release, patterns | kept)))

    compiler.compile = compile_pattern
    return keep


def _is_loading(frame: "FrameType | None") -> bool:
    """Whether a module's own lines are being run, by which nothing of a prompt is known."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "_call_with_frames_removed" and "importlib" in code.co_filename:
            return True
        frame = frame.f_back
    return False


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


def _stored(path: str) -> "Sequence[Any]":
    """What a file of this user's holds; empty where there is none, or it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - without pathlib
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return ()
            value = marshal.loads(file.read())  # noqa: S302 - see above
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
