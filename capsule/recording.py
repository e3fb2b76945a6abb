"""Reading recordings: asciicast v2 and v3, or the raw bytes of a session.

Events come in the file's order. A line that can not be read is a fault with file, line and
reason, and the next one follows: no bad line stops the rest. Reads as it goes: O(longest line).
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .events import Event, Exit, Gap, Output, Resize
from .fd_writer import CHUNK

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

MAX_FAULTS = 100  # sentences kept; `fault_count` keeps counting
_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")


class Recording:
    """A recording on disk; iterate over it for its events, `at` in seconds from its start.

    `format` is "asciicast" or "raw"; `columns, lines` its size (None in raw bytes), `title`,
    `started_at` (Unix seconds or None), `header` as it was written. `faults` fills while reading.
    Raises OSError, and `CaptureError` for an asciicast of a version not known here.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.faults: list[str] = []
        self.fault_count = 0
        with self.path.open("rb") as file:
            first = file.readline(1 << 20)
        header = _header(first)
        self.header: dict[str, Any] = header or {}
        self.format = "raw" if header is None else "asciicast"
        self._version = self.header.get("version")
        if self.format == "asciicast" and self._version not in (2, 3):
            from dejavu.model.errors import CaptureError

            raise CaptureError(
                f"{self.path}, line 1: asciicast version {self._version!r} is not known here; "
                "convert it to version 2 or 3 (asciinema convert)"
            )
        size: dict[str, Any] = self.header  # version 2: width, height; version 3: term.cols, .rows
        if isinstance(self.header.get("term"), dict):
            size = self.header["term"]
        self.columns = _positive(size.get("width", size.get("cols")))
        self.lines = _positive(size.get("height", size.get("rows")))
        title = self.header.get("title")
        self.title = title if isinstance(title, str) else ""
        started = self.header.get("timestamp")
        self.started_at = float(started) if isinstance(started, (int, float)) else None

    @property
    def agent(self) -> str | None:
        """The agent by the title, where that is one word, as `CastWriter` writes it."""
        return self.title if re.fullmatch(r"[\w.-]+", self.title) else None

    def __iter__(self) -> Iterator[Event]:
        return self._raw() if self.format == "raw" else self._events()

    def _raw(self) -> Iterator[Event]:
        with self.path.open("rb") as file:
            while data := file.read(CHUNK):
                yield Output(0.0, data)

    def _events(self) -> Iterator[Event]:
        clock = 0.0
        exact: bytes | None = None
        with self.path.open("rb") as file:
            file.readline()
            for number, line in enumerate(file, 2):
                if not line.strip() or (self._version == 3 and line.startswith(b"#")):
                    continue
                try:
                    at, kind, data = _split(line)
                    clock = clock + at if self._version == 3 else at
                    if kind == "b":
                        exact = base64.b64decode(data, validate=True)
                        continue
                    event = _event(clock, kind, data, exact)
                except (ValueError, RecursionError) as error:
                    self._fault(f"{self.path}, line {number}: {error}; the line was skipped")
                    continue
                if kind == "o":
                    exact = None
                if event is not None:
                    yield event

    def _fault(self, sentence: str) -> None:
        self.fault_count += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(sentence)


def _header(line: bytes) -> dict[str, Any] | None:
    """The first line of an asciicast; None when the file is raw bytes."""
    if not line.startswith(b"{"):
        return None
    try:
        header = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", header) if "version" in header else None


def _positive(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value < 65536 else None


def _split(line: bytes) -> tuple[float, str, str]:
    """The three fields of an event line; ValueError says what is wrong with it."""
    match json.loads(line.decode()):  # bytes would be taken for UTF-16 at times
        case [int() | float() as at, str(kind), str(data)]:
            return float(at), kind, data
        case _:
            raise ValueError('expected [seconds, "kind", "data"]')


def _event(at: float, kind: str, data: str, exact: bytes | None) -> Event | None:
    """The event of a line; None for kinds that are no event of an agent (input, markers)."""
    if kind == "o":
        if exact is not None:
            return Output(at, exact)
        # surrogatepass would give bytes no terminal sends; a lone surrogate in JSON is an escape
        # some writers use for one undecodable byte.
        return Output(at, data.encode("utf-8", "surrogateescape"))
    if kind == "r":
        size = _SIZE.fullmatch(data)
        if size is None:
            raise ValueError(f"expected a size like 80x24, got {data!r:.40}")
        return Resize(at, int(size[1]), int(size[2]))
    if kind == "g":
        return Gap(at, int(data))
    if kind == "x":
        return Exit(at, int(data))
    return None


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """The recording at `path`; raises as `Recording` does."""
    return Recording(path)
