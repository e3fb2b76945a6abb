"""asciicast v2: `CastWriter`, a sink that records a session to a file (reading: recording.py).

The format holds text, an agent writes bytes. Characters split over two writes are put together;
what is no UTF-8 at all is written twice: as a line ["b", base64] with the exact bytes, which
players skip (they show events of kinds they know), then as the text with U+FFFD they show.
"""

from __future__ import annotations

import base64
import codecs
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

from .events import Exit, Gap, Header, Output, Resize

if TYPE_CHECKING:
    from .events import Event

NO_FOLLOW = os.O_NOFOLLOW if hasattr(os, "O_NOFOLLOW") else 0


class CastWriter:
    """Writes the file `path`, new, mode 0600 (a recording holds whatever the agent showed).

    Nothing is buffered beyond an event: a killed session leaves all its events.
    Raises OSError: FileExistsError rather than overwrite anything.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | NO_FOLLOW
        self._fd = os.open(path, flags, 0o600)
        self._began = 0.0
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._last = 0.0

    def event(self, event: Event) -> None:
        """Write one event."""
        match event:
            case Output(at, data):
                self._text(at, self._decoder.decode(data))
            case Resize(at, columns, lines):
                self._line(at, "r", f"{columns}x{lines}")
            case Gap(at, lost):
                self._finish_text(at)
                self._line(at, "g", str(lost))
            case Exit(at, status):
                self._finish_text(at)
                self._line(at, "x", str(status))
            case Header(fields):
                self._header(dict(fields))
            case _:
                pass

    def close(self) -> None:
        """Write what is left of a split character and close the file."""
        if self._fd >= 0:
            try:
                self._finish_text(self._last)
            finally:
                os.close(self._fd)
                self._fd = -1

    def _header(self, fields: dict[str, object]) -> None:
        began = fields.get("at", 0.0)
        self._began = self._last = float(began) if isinstance(began, (int, float)) else 0.0
        argv, agent = fields.get("argv"), fields.get("agent")
        head: dict[str, object] = {
            "version": 2,
            "width": fields.get("columns") or 80,
            "height": fields.get("lines") or 24,
            "timestamp": int(self._began),
        }
        if isinstance(agent, str):
            head["title"] = agent
        elif isinstance(argv, (list, tuple)) and argv:
            head["title"] = Path(str(cast("list[object]", argv)[0])).name
        if fields.get("term"):
            head["env"] = {"TERM": fields["term"]}
        self._write(head)

    def _text(self, at: float, text: str) -> None:
        if not text:
            return
        try:
            text.encode()
        except UnicodeEncodeError:
            exact = text.encode("utf-8", "surrogateescape")
            self._line(at, "b", base64.b64encode(exact).decode())
            text = exact.decode("utf-8", "replace")
        self._line(at, "o", text)

    def _finish_text(self, at: float) -> None:
        self._text(at, self._decoder.decode(b"", final=True))

    def _line(self, at: float, kind: str, data: str) -> None:
        self._last = max(at, self._last)  # the clock may be set back; a recording continues
        self._write([round(self._last - self._began, 6), kind, data])

    def _write(self, value: object) -> None:
        # A lone surrogate (a byte of argv that is no UTF-8) becomes JSON's escape of it.
        text = json.dumps(value, ensure_ascii=False) + "\n"
        line = memoryview(text.encode(errors="backslashreplace"))
        while line:
            line = line[os.write(self._fd, line) :]
