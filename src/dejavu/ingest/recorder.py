"""The thread that writes: what passed is parsed and committed next to the traffic, never in it.

Lines are made here (making them costs) and committed once they have gathered, source by source.
What the archive will not take now (locked, disk full, away) goes to the spool (`spool.py`) and is
carried from there in the background, in order. Before an archive on a server everything goes that way, so that
no more than `_GATHER` seconds of lines are in memory alone, however long the server is away. Where the
spool cannot be written, either, lines are held in memory, up to `HELD` bytes.
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
from dejavu.config.paths import archive_location, is_server
from dejavu.model import DejavuError, RawDelta

from .channel import Channel
from .ingestor import Ingestor
from .merge.arbitrate import merge_channel
from .spool import has_pending, is_due, recover, save_lines, spool_state

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

    def __init__(self, opener: Opener, spool: Path, *, spool_first: bool | None = None) -> None:
        """`spool_first`: all goes to the spool; None: where the archive is on a server."""
        self._open, self._spool = opener, spool
        self._first = is_server(archive_location()) if spool_first is None else spool_first
        self._carrier: threading.Thread | None = None
        self._spooled: set[str] = set()
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
        if any(has_pending(self._spool, key) for key in self._spooled):
            reason = spool_state(self._spool).refusal or self._refusal
            self._note(f"not archived ({reason}); it is kept in {self._spool}")

    def _gather(self) -> bool:
        """Take what was put; False at the end."""
        pause = _RETRY if self._refusal or self._spooled else _QUIET
        size = 0
        try:
            entry = self._queue.get(timeout=pause if self._waiting or self._spooled else None)
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
        if self._first or self._refusal:
            self._save()  # safe first, then tried
            self._carry(last=last)
        due_now = [one for one in self._waiting.values() if one.lines or last or _is_quiet(one)]
        if self._first or self._refusal or not due_now:
            return
        try:
            with self._open() as archive:
                for waiting in due_now:
                    if waiting.lines and has_pending(self._spool, waiting.channel.key):
                        continue  # older ones first
                    self._commit(archive, waiting, last=last)
        except (DejavuError, OSError) as error:
            self._refusal = str(error)
        self._save()

    def _save(self) -> None:
        """Put all lines that wait into the spool, as far as it can be written."""
        for key, waiting in list(self._waiting.items()):
            if not waiting.lines:
                continue
            try:
                save_lines(self._spool, waiting.channel, waiting.lines)
            except OSError as error:
                self._note(f"the spool cannot be written: {error.strerror}")
                return
            size = sum(map(len, waiting.lines))
            self.summary.lines += len(waiting.lines)
            waiting.lines = []
            self._spooled.add(key)
            if not waiting.touched:
                del self._waiting[key]
            with self._lock:
                self._held -= size

    def _carry(self, *, last: bool) -> None:
        """Have the spool carried to the archive in the background; at the `last` wait for it."""
        if self._carrier is not None and (last or not self._carrier.is_alive()):
            self._carrier.join()
            self._carrier = None
        if self._carrier is None and (is_due(self._spool) or (last and self._spooled)):
            work = threading.Thread(target=self._recover, name="spool", daemon=True)
            work.start()
            self._carrier = work
            if last:
                work.join()
        self._spooled = {key for key in self._spooled if has_pending(self._spool, key)}
        if not self._spooled:
            self._refusal = ""

    def _recover(self) -> None:
        def opener(*, write: bool) -> AbstractContextManager[Archive]:
            del write  # it opens for writing, always
            return self._open()

        recover(opener, self._spool, self.summary.conversations.update)

    def _commit(self, archive: Archive, waiting: _Waiting, *, last: bool) -> None:
        channel = waiting.channel
        if waiting.lines:
            data = b"".join(waiting.lines)
            ingestor = Ingestor(archive)
            delta = RawDelta(archive.sources.raw_length(channel.key), data)
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

    def _note(self, sentence: str) -> None:
        if sentence not in self.summary.notes:
            _log.warning("%s", sentence)
            self.summary.notes.append(sentence)


def _is_quiet(waiting: _Waiting) -> bool:
    return bool(waiting.touched) and time.monotonic() - waiting.at > _QUIET
