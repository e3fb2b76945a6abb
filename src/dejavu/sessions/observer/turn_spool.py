"""Screen turns on their way to the archive, redacted: in memory, and past `LIMIT` bytes in a file.

The file has no name and goes with its process, whatever ends that. Where it cannot be written the
turns stay in memory. A value of it is a length (four bytes, big-endian) and a turn as the archive
writes it. Memory: `LIMIT`, and one turn while they are read.

Tested in: tests/sessions/observer/test_capture_policy.py
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from dejavu.archive.records import from_text, to_text
from dejavu.model import Turn

LIMIT = 1 << 20
"""Bytes held in memory."""


class TurnSpool:
    """The turns that were added, in order; its file is made in `folder` (default: the system's)."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._written = 0
        self._records: list[bytes] = []
        self._size = 0
        self.count = 0

    def add(self, turns: Iterable[Turn]) -> None:
        """Append turns."""
        for turn in turns:
            record = to_text(turn)
            self._records.append(record)
            self._size += len(record)
            self.count += 1
        if self._size > LIMIT:
            self._write()

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - see `clear`
            self._file.seek(self._written)
            for record in self._records:
                self._file.write(len(record).to_bytes(4, "big") + record)
            self._file.flush()
        except OSError:
            return  # what was written of them is behind the file's end, as we count it
        self._written = self._file.seek(0, os.SEEK_CUR)
        self._records, self._size = [], 0

    def __iter__(self) -> Iterator[Turn]:
        if self._file is not None:
            self._file.seek(0)
            while self._file.tell() < self._written:
                size = int.from_bytes(self._file.read(4), "big")
                yield from_text(self._file.read(size), Turn)
        for record in self._records:
            yield from_text(record, Turn)

    def clear(self) -> None:
        """Drop all turns."""
        if self._file is not None:
            self._file.close()
        self._file, self._written = None, 0
        self._records, self._size, self.count = [], 0, 0
