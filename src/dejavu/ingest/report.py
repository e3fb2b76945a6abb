"""What a sync did: counted, with every source that failed and why."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Report:
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
    drift: Counter[str] = field(default_factory=Counter[str])

    def merge(self, other: "Report") -> None:
        """Add what `other` did."""
        self.sources += other.sources
        self.read += other.read
        self.bytes += other.bytes
        self.conversations |= other.conversations
        self.unreadable += other.unreadable
        self.unkept += other.unkept
        self.truncated += other.truncated
        self.skipped += other.skipped
        self.drift += other.drift
