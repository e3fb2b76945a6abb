"""The terminal engines the benchmarks compare, each as `run(data, columns, lines) -> CPU seconds`.

Every engine gets the same bytes in the same chunks of 4 KiB. Those that are not installed are
left out; pyte raises on some input, so what is left of that chunk is lost to it (in its favour).
"""

import ctypes
import ctypes.util
import importlib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyte

from dejavu.screen import Terminal

CHUNK = 4096
HISTORY = 10_000
Engine = Callable[[bytes, int, int], float]


def _feed(feed: Callable[[bytes], object], data: bytes) -> float:
    start = time.process_time()
    for at in range(0, len(data), CHUNK):
        try:
            feed(data[at : at + CHUNK])
        except Exception:
            continue
    return time.process_time() - start


def dejavu(data: bytes, columns: int, lines: int) -> float:
    return _feed(Terminal(columns, lines, history=HISTORY).feed, data)


def pyte_screen(data: bytes, columns: int, lines: int) -> float:
    return _feed(pyte.ByteStream(pyte.Screen(columns, lines)).feed, data)


def pyte_history(data: bytes, columns: int, lines: int) -> float:
    screen = pyte.HistoryScreen(columns, lines, history=HISTORY, ratio=0.5)
    return _feed(pyte.ByteStream(screen).feed, data)


class Xterm:
    """xterm.js headless in one node process, so that its compiler warms up over the rounds."""

    def __init__(self, folder: Path) -> None:
        script = Path(__file__).parent / "xterm.js"
        environment = {**os.environ, "NODE_PATH": str(folder / "node_modules")}
        self._node = subprocess.Popen(
            ["node", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        if json.loads(self._read()).get("ready") is not True:
            raise OSError("xterm.js headless did not start")

    def _read(self) -> str:
        assert self._node.stdout
        return self._node.stdout.readline() or "{}"

    def run(self, data: bytes, columns: int, lines: int) -> float:
        """CPU seconds of one input."""
        assert self._node.stdin
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            order = {"file": file.name, "columns": columns, "lines": lines, "chunk": CHUNK}
            order["history"] = HISTORY
            self._node.stdin.write(json.dumps(order) + "\n")
            self._node.stdin.flush()
            return float(json.loads(self._read())["cpu"])

    def close(self) -> None:
        """End the process."""
        self._node.terminate()
        self._node.wait()


def libvterm() -> Engine | None:
    """Libvterm by ctypes, its screen layer on, no history kept; None where it is not installed."""
    name = ctypes.util.find_library("vterm")
    if not name:
        return None
    library = ctypes.CDLL(name)
    library.vterm_new.restype = library.vterm_obtain_screen.restype = ctypes.c_void_p
    library.vterm_input_write.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    library.vterm_set_utf8.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.vterm_screen_reset.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.vterm_obtain_screen.argtypes = library.vterm_free.argtypes = [ctypes.c_void_p]

    def run(data: bytes, columns: int, lines: int) -> float:
        terminal = library.vterm_new(lines, columns)
        library.vterm_set_utf8(terminal, 1)
        library.vterm_screen_reset(library.vterm_obtain_screen(terminal), 1)
        try:
            return _feed(lambda chunk: library.vterm_input_write(terminal, chunk, len(chunk)), data)
        finally:
            library.vterm_free(terminal)

    return run


def libghostty() -> Engine | None:
    """libghostty-vt by `pip install pyghostty`; None where it is not installed."""
    try:
        untyped: Any = importlib.import_module("pyghostty")
    except ImportError:
        return None

    def run(data: bytes, columns: int, lines: int) -> float:
        with untyped.Terminal(cols=columns, rows=lines) as terminal:
            return _feed(terminal.feed, data)

    return run


def node_folder() -> Path | None:
    """Where npm put @xterm/headless: TERMINAL_NODE, or the cache `make conform` fills."""
    for place in (os.environ.get("TERMINAL_NODE"), Path.home() / ".cache" / "terminal-node"):
        if place and (Path(place) / "node_modules" / "@xterm" / "headless").is_dir():
            return Path(place)
    return None
