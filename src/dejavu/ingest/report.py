"""What a sync did: counted, with every source that failed and why.

Tested in: tests/ingest/test_sync_order.py
"""

from collections import Counter

from msgspec import Struct, field


class Report(Struct):
    """Counters of one sync. `bytes` are raw bytes that were new."""

    sources: int = 0
    read: int = 0
    bytes: int = 0
    conversations: set[str] = field(default_factory=set[str])
    unreadable: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Sources that failed: path (or agent and home) and reason. They are tried again next time."""
    unkept: int = 0
    """Of the unreadable, those that could be read but not be stored."""
    truncated: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """Sources with records too long to be read whole: path, and how many such records were new."""
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """What was passed over, though nothing went wrong: a path or an item of a file, and why."""
    copies: int = 0
    """Sources that the archive has from another machine, byte for byte: not imported again."""
    drift: Counter[str] = field(default_factory=Counter[str])
    total: int = 0
    """Sources there are to look at; 0 where it is not known."""
    unread_bytes: int = 0
    """Bytes of those that were never read before."""
    passed_bytes: int = 0
    """Of these, bytes of the sources that were looked at."""

    def progress_text(self, elapsed: float) -> str:
        """How far it is after `elapsed` seconds: sources, megabytes, their rate, and what is left."""
        total = f" of {self.total:,}" if self.total else ""
        megabytes = self.bytes / 1e6
        text = f"{self.sources:,}{total} read, {megabytes:.1f} MB"
        if elapsed >= 1:
            text += f" at {megabytes / elapsed:.1f} MB/s"
        if elapsed < 1 or not 0 < self.passed_bytes < self.unread_bytes:
            return text
        left = elapsed * (self.unread_bytes / self.passed_bytes - 1)
        return f"{text}, {left / 60:.0f} min left" if left >= 90 else f"{text}, {left:.0f} s left"

    def merge(self, other: "Report") -> None:
        """Add what `other` did."""
        self.sources += other.sources
        self.total += other.total
        self.unread_bytes += other.unread_bytes
        self.passed_bytes += other.passed_bytes
        self.read += other.read
        self.bytes += other.bytes
        self.conversations |= other.conversations
        self.unreadable += other.unreadable
        self.unkept += other.unkept
        self.truncated += other.truncated
        self.skipped += other.skipped
        self.copies += other.copies
        self.drift += other.drift
