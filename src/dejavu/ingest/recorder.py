"""The thread that writes: what passed is parsed and committed beside the traffic, never in it.

Lines are made here (making them costs) and committed once they have gathered, source by source.
What the archive will not take now (locked, disk full) is held in memory, up to `HELD` bytes, and
tried again; what is left at the end goes to a file that the next run recovers.
"""

import logging
import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import DejavuError, RawDelta

from .channel import Channel
from .ingestor import Ingestor
from .merge.arbitrate import merge_channel
from .spool import save_lines

HELD = 128 << 20
_RETRY = 2.0  # seconds until a refused archive is tried again
_GATHER = 0.5  # seconds that lines gather: traffic must not wait for an archive opened too often
_SWITCH = 0.0005  # seconds after which this thread lets the traffic's have the interpreter
_QUIET = 30.0  # seconds after which a source is merged with better vectors once more
_BATCH = 8 << 20

Opener = Callable[[], AbstractContextManager[Archive]]
Line = Callable[[], bytes | None]

_log = logging.getLogger(__name__)


@dataclass
class Summary:
    """What was recorded."""

    lines: int = 0
    conversations: set[str] = field(default_factory=set[str])
    notes: list[str] = field(default_factory=list[str])


@dataclass
class _Waiting:
    channel: Channel
    lines: list[bytes] = field(default_factory=list[bytes])
    touched: set[str] = field(default_factory=set[str])
    at: float = 0.0


class Recorder:
    """Starts its thread at once; `put` from anywhere, `close` to have everything written."""

    def __init__(self, opener: Opener, spool: Path) -> None:
        self._open, self._spool = opener, spool
        self._queue: queue.SimpleQueue[tuple[Channel, Line, int] | None] = queue.SimpleQueue()
        self._waiting: dict[str, _Waiting] = {}
        self._lock = threading.Lock()
        self._held = self._dropped = 0
        self._refusal = ""
        self.summary = Summary()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def put(self, channel: Channel, line: Line, size: int) -> None:
        """Record `line()` as the next of its source; `size` is about what it holds, in bytes."""
        with self._lock:
            if self._held + size > HELD:
                self._dropped += 1
                return
            self._held += size
        self._queue.put((channel, line, size))

    def close(self) -> Summary:
        """Write all that waits and end the thread."""
        self._queue.put(None)
        self._thread.join()
        if self._dropped:
            self._note(f"{self._dropped} exchanges came too fast and were not kept")
        return self.summary

    def _run(self) -> None:
        going = True
        sys.setswitchinterval(min(_SWITCH, sys.getswitchinterval()))
        while going:
            going = self._gather()
            self._write(last=not going)
        if any(waiting.lines for waiting in self._waiting.values()):
            self._save_rest()

    def _gather(self) -> bool:
        """Take what was put; False at the end."""
        pause = _RETRY if self._refusal else _QUIET
        size = 0
        try:
            entry = self._queue.get(timeout=pause if self._waiting else None)
            until = time.monotonic() + _GATHER
            while entry is not None:
                size += self._take(*entry)
                if size > _BATCH:
                    return True
                entry = self._queue.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return True
        return False

    def _take(self, channel: Channel, line: Line, size: int) -> int:
        try:
            data = line()
        except Exception as error:  # one bad line must not end the record of the others
            self._note(f"an exchange could not be read ({type(error).__name__})")
            data = None
        with self._lock:
            self._held += (len(data) if data else 0) - size
        if data:
            waiting = self._waiting.setdefault(channel.key, _Waiting(channel))
            waiting.lines.append(data)
        return len(data or b"")

    def _write(self, *, last: bool) -> None:
        due = [one for one in self._waiting.values() if one.lines or last or _is_quiet(one)]
        if not due:
            return
        try:
            with self._open() as archive:
                for waiting in due:
                    self._commit(archive, waiting, last=last)
        except (DejavuError, OSError) as error:
            self._refusal = str(error)
            return
        self._refusal = ""

    def _commit(self, archive: Archive, waiting: _Waiting, *, last: bool) -> None:
        channel = waiting.channel
        if waiting.lines:
            data = b"".join(waiting.lines)
            ingestor = Ingestor(archive)
            delta = RawDelta(archive.raw_length(channel.key), data)
            waiting.touched |= ingestor.commit(channel, delta)
            waiting.at = time.monotonic()
            self.summary.lines += len(waiting.lines)
            self.summary.conversations |= waiting.touched
            waiting.lines = []
            for name, reason in ingestor.report.unreadable:
                self._note(f"{name}: kept, but not understood ({reason})")
            with self._lock:
                self._held -= len(data)
        if waiting.touched and (last or _is_quiet(waiting)):
            merge_channel(archive, channel, waiting.touched)
            del self._waiting[channel.key]

    def _save_rest(self) -> None:
        """Keep in files what the archive did not take."""
        try:
            for waiting in self._waiting.values():
                if waiting.lines:
                    save_lines(self._spool, waiting.channel, waiting.lines)
            self._note(f"not archived ({self._refusal}); it is kept in {self._spool}")
        except OSError as error:
            self._note(f"not archived ({self._refusal}), nor kept: {error.strerror}")

    def _note(self, sentence: str) -> None:
        if sentence not in self.summary.notes:
            _log.warning("%s", sentence)
            self.summary.notes.append(sentence)


def _is_quiet(waiting: _Waiting) -> bool:
    return bool(waiting.touched) and time.monotonic() - waiting.at > _QUIET
