"""Patterns compiled by an earlier hook: without a daemon, a hook spends a seventh of its time on them.

`use` makes `re` take from the file what it has, and remembers what it lacks; `keep` writes that.
The file is for one release of Python, which checks each program of the file as it takes it.
Only what a module says in its own text is kept: what a function makes may hold a secret.
Must not: fail. Without the file, or with a damaged one, patterns are compiled as always.
"""

import marshal
import os
import re
import sys

_LARGEST = 4 << 20  # bytes of the file
_FEWEST = 10  # patterns that are worth writing it again
_LATE = "dejavu.model.late_pattern"
_PASSED = ("re", "re._compiler", "functools", _LATE)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    Key = tuple[str | bytes, int]
    """A pattern and the flags it is compiled with."""
    Program = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
    """What the engine takes besides the pattern; the code as numbers of four bytes."""


_compiler: "Any" = sys.modules[f"{re.__name__}._compiler"]


class KeptPatterns:
    """The patterns of a file, and those to be added."""

    def __init__(self, folder: str) -> None:
        """Those in the user's private folder."""
        self._engine: Any = _compiler._sre
        self._compile: Any = _compiler.compile
        release = f"{sys.implementation.cache_tag}-{sys.hexversion:x}-{self._engine.MAGIC}"
        self._folder = folder
        self._path = f"{folder}/patterns-{release}"
        self._known: dict[Key, Program] = _read(self._path)
        self._added: dict[Key, Program] = {}
        self._key: Key | None = None

    def use(self) -> None:
        """Let `re` compile by this."""
        _compiler.compile, _compiler._sre = self._compiled, self

    def _compiled(self, pattern: "Any", flags: int = 0) -> "Any":
        """As `re._compiler.compile`."""
        key = (pattern, int(flags)) if isinstance(pattern, (str, bytes)) else None
        found = self._known.get(key) if key else None
        if found is not None:
            try:
                whole, code, groups, index, names = found
                numbers = memoryview(code).cast("I").tolist()
                return self._engine.compile(pattern, whole, numbers, groups, index, names)
            except (ArithmeticError, RuntimeError, TypeError, ValueError):
                self._known = {}  # damaged
        self._key = key if _is_of_the_text() else None
        return self._compile(pattern, flags)

    def compile(
        self, pattern: "Any", flags: int, code: list[int], groups: int, index: dict[str, int],
        names: tuple[str | None, ...],
    ) -> "Any":  # fmt: skip
        """As the engine's, with the program remembered."""
        if self._key is not None:
            numbers = b"".join(number.to_bytes(4, sys.byteorder) for number in code)
            self._added[self._key] = (flags, numbers, groups, dict(index), tuple(names))
            self._key = None
        return self._engine.compile(pattern, flags, code, groups, index, names)

    def __getattr__(self, name: str) -> "Any":
        return getattr(self._engine, name)

    def keep(self) -> None:
        """Write what was added, if it is worth it."""
        if len(self._added) < _FEWEST:
            return
        data = marshal.dumps(self._known | self._added)
        if len(data) > _LARGEST:
            return
        own = f"{self._path}.{os.getpid()}"
        try:
            os.makedirs(self._folder, 0o700, exist_ok=True)  # noqa: PTH103 - without pathlib
            file = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            try:
                written = os.write(file, data)
            finally:
                os.close(file)
            if written == len(data):
                os.rename(own, self._path)  # noqa: PTH104 - see above
            else:
                os.unlink(own)  # noqa: PTH108 - see above
        except OSError:
            return


def _read(path: str) -> "dict[Key, Program]":
    """What the file holds; nothing where another user could have written it."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            status = os.fstat(file)
            if status.st_uid != os.geteuid() or status.st_mode & 0o022:
                return {}
            return dict(marshal.loads(os.read(file, _LARGEST)))  # noqa: S302 - our own, as its modules are
        finally:
            os.close(file)
    except (OSError, ValueError, EOFError, TypeError):
        return {}


def _is_of_the_text() -> bool:
    """Whether what is being compiled is written in a module."""
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] - `inspect` takes 8 ms
    while frame is not None and (name := frame.f_globals.get("__name__")) in _PASSED:
        if name == _LATE:
            return isinstance(frame.f_locals["self"]._source, str)
        frame = frame.f_back
    return frame is not None and frame.f_code.co_name == "<module>"
