"""Following the log: the position of derived data, what changed since, and how far behind it is.

Everything made from the archive (the indexes of words, exact text, exchanges and edits, vectors,
daily sums, known secrets) reads the log through this module alone. Each keeps its own storage and
decides when to commit: a transaction, a tantivy commit and a file have little in common. What they
share is here: a position that a restored archive does not have, one folding of changes, windows,
the lag, and one reading of turns for several indexes at the same place.

Must not: write, or know what is derived. Costs O(log entries read); `holds` reads one entry.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice, takewhile
from typing import NamedTuple, Protocol

from dejavu.model import NotFoundError, Turn

from .commit import CommittedChange
from .log import Change, LogEntry

__all__ = [
    "CommittedWindows",
    "Derived",
    "Follower",
    "Lag",
    "Log",
    "Position",
    "SharedReading",
    "Window",
    "changes_after",
    "fold",
    "holds",
    "lag_after",
    "windows",
]

Log = Callable[[int], Iterator[LogEntry]]
"""The entries after a sequence, in order: `Archive.log`, or `log.reader` of a backend."""
Read = Callable[[int], Iterator[Turn]]
"""The turns of a conversation from a turn on, in order."""


class Position(NamedTuple):
    """A log entry, by its number and its time; the default is before the first."""

    sequence: int = 0
    at: float = 0.0


class Window(NamedTuple):
    """Some entries of the log in a row, with those of one conversation folded into one."""

    changes: list[LogEntry]
    entries: int
    position: Position


class Lag(NamedTuple):
    """What derived data has not seen: log entries, conversations among them, turns they brought."""

    entries: int = 0
    conversations: int = 0
    turns: int = 0


class Derived(Protocol):
    """Data made from the archive, as `doctor` looks at it."""

    @property
    def name(self) -> str:
        """What people call it: "search index"."""
        ...

    def lag(self) -> Lag:
        """How far it is behind the log; changes nothing.

        Raises:
            ArchiveError: it exists and cannot be used.
        """
        ...


class Follower(Protocol):
    """An index that is given the turns of each change, where another index reads them."""

    mark: int
    """How far along the log it is."""

    def begin(self, change: LogEntry) -> int | None:
        """Take out what a change replaced; the first turn it wants, up to the change's last; None: none."""
        ...

    def take(self, turn: Turn) -> None:
        """Add a turn."""
        ...

    def end(self) -> None:
        """The change has no further turn."""
        ...

    def reach(self, sequence: int) -> None:
        """Everything up to this sequence was given: the mark of later commits."""
        ...


class SharedReading:
    """One reading of turns for the index that asks and for its followers.

    Each has its own commits, so after a crash each has its own mark. A follower that fails (OSError,
    ValueError) stays at its mark and is given nothing more. For each change call `begin`, `turns`
    if they are wanted, and `end`; after each window `reach`.
    """

    def __init__(self, followers: Iterable[Follower], mark: int) -> None:
        """Give turns to the followers that are at `mark`, as the asking index is."""
        self._followers = [one for one in followers if one.mark == mark]
        self._wanted: list[tuple[int, Follower]] = []
        self._stop = 0
        self._rest: Iterator[Turn] | None = None

    def begin(self, change: LogEntry) -> None:
        """Tell followers of a change."""
        self._wanted, self._stop, self._rest = [], change.stop, None

        def ask(follower: Follower) -> None:
            if (start := follower.begin(change)) is not None:
                self._wanted.append((start, follower))

        self._tell(self._followers, ask)

    def turns(self, read: Read, start: int) -> Iterator[Turn]:
        """The turns that `read` gives from `start` on; at most once for a change."""
        self._rest = self._reading(read, start)
        return self._rest

    def end(self, read: Read) -> None:
        """Read what only followers want. Turns that are gone meanwhile are left out."""
        if self._wanted:
            with suppress(NotFoundError):
                for _ in self.turns(read, self._stop) if self._rest is None else self._rest:
                    pass
        self._tell([one for _, one in self._wanted], lambda follower: follower.end())

    def reach(self, sequence: int) -> None:
        """Tell followers that a window was given whole."""
        self._tell(self._followers, lambda follower: follower.reach(sequence))

    def _reading(self, read: Read, start: int) -> Iterator[Turn]:
        for turn in read(min([start, *(first for first, _ in self._wanted)])):
            if turn.seq < self._stop:
                wanting = [one for first, one in self._wanted if first <= turn.seq]
                self._tell(wanting, partial(_give, turn))
            if turn.seq >= start:
                yield turn

    def _tell(self, followers: Iterable[Follower], tell: Callable[[Follower], None]) -> None:
        for follower in list(followers):
            try:
                tell(follower)
            except (OSError, ValueError):  # tantivy says everything by ValueError
                self._followers.remove(follower)
                self._wanted = [pair for pair in self._wanted if pair[1] is not follower]


class CommittedWindows:
    """What this process commits, as windows of the log whose turns are still in memory.

    `add` what was committed, then take from `windows` until `waiting` is false: an empty window
    says that there is no more for now. What others committed in between is read from the log.
    """

    def __init__(self, log: Log, read: Callable[[str, int], Iterator[Turn]]) -> None:
        """Read what is not in memory by `log` and `read` (a conversation's turns from one on)."""
        self.waiting = False
        self._log = log
        self._read = read
        self._batches: deque[Sequence[CommittedChange]] = deque()
        self._turns: dict[str, tuple[int, Sequence[Turn]]] = {}

    def add(self, changes: Sequence[CommittedChange]) -> None:
        """Keep what was just committed for the next windows."""
        self._batches.append(changes)
        self.waiting = True

    def windows(self, position: Position, size: int) -> Iterator[Window]:
        """The log after a position, without end; others' changes at most `size` at a time."""
        while True:
            if not self._batches:
                self.waiting = False
                yield Window([], 0, position)
                continue
            fresh = [
                one for one in self._batches.popleft() if one.entry.sequence > position.sequence
            ]
            if not fresh:
                continue
            last = fresh[0].entry.sequence - 1
            if last > position.sequence:
                yield from windows(self._log, position.sequence, size=size, last=last)
            entries = [one.entry for one in fresh]
            position = Position(entries[-1].sequence, entries[-1].at)
            self._turns = _in_memory(fresh)
            yield Window(fold(entries), len(entries), position)
            self._turns = {}

    def turns(self, conversation: str, start: int) -> Iterator[Turn]:
        """The turns of a conversation from one on: from memory, what is there."""
        first, held = self._turns.get(conversation, (0, None))
        if held is None:
            return self._read(conversation, start)
        if start >= first:
            return iter(held[start - first :])
        before = takewhile(lambda turn: turn.seq < first, self._read(conversation, start))
        return chain(before, held)


def _in_memory(changes: Iterable[CommittedChange]) -> dict[str, tuple[int, Sequence[Turn]]]:
    """By conversation, the last turns it has now and the first one's seq."""
    turns: dict[str, tuple[int, Sequence[Turn]]] = {}
    for entry, conversation, fresh in changes:
        first, held = turns.pop(conversation.id, (entry.start, ()))
        if fresh is not None and first <= entry.start <= first + len(held):
            turns[conversation.id] = first, [*held[: entry.start - first], *fresh]
        elif fresh is not None and entry.start < first:
            turns[conversation.id] = entry.start, fresh
    return turns


def _give(turn: Turn, follower: Follower) -> None:
    follower.take(turn)


def holds(log: Log, position: Position) -> bool:
    """Whether the log still has the entry of a position: a restored archive may not."""
    if position.sequence < 1:
        return position.sequence == 0
    return end(log, position.sequence) == position


def fold(entries: Iterable[LogEntry]) -> list[LogEntry]:
    """One change per conversation, ordered by its last entry.

    A change starts where the earliest of its entries did, and `was` is what stood before all of them.
    """
    folded: dict[int, LogEntry] = {}
    for entry in entries:
        earlier = folded.pop(entry.number, None)
        if earlier is not None and entry.change is not Change.REMOVED:
            entry = entry._replace(start=min(earlier.start, entry.start), was=earlier.was)
        folded[entry.number] = entry
    return list(folded.values())


def windows(
    log: Log, after: int, *, size: int, last: int | None = None, turns: int | None = None
) -> Iterator[Window]:
    """The log after a sequence, at most `size` entries at a time.

    last: the sequence to stop at. turns: a window ends before the entry that would bring more turns
    than this, unless it is its first.
    """
    rest = log(after)
    if last is not None:
        rest = takewhile(lambda entry: entry.sequence <= last, rest)
    waiting: list[LogEntry] = []
    while entries := [*waiting, *islice(rest, size - len(waiting))]:
        entries, waiting = _within(entries, turns)
        end = entries[-1]
        yield Window(fold(entries), len(entries), Position(end.sequence, end.at))


def changes_after(log: Log, after: int, most: int | None = None) -> list[LogEntry] | None:
    """Everything that changed after a sequence, folded; None for more than `most` conversations."""
    folded: list[LogEntry] = []
    if most is None:
        return fold(log(after))
    for window in windows(log, after, size=most):
        folded = fold([*folded, *window.changes])
        if len(folded) > most:
            return None
    return folded


def last_changes(log: Log) -> dict[str, int]:
    """The sequence of each conversation's last change, by its id; removed ones are among them."""
    return {entry.conversation: entry.sequence for entry in log(0)}


def end(log: Log, sequence: int) -> Position | None:
    """The position of the entry with this sequence; None where the log has no such entry."""
    entry = next(log(sequence - 1), None) if sequence else None
    return None if entry is None else Position(entry.sequence, entry.at)


def lag_after(log: Log, after: int, most: int | None = None) -> Lag:
    """What the log has after a sequence; counting ends where turns and entries exceed `most`."""
    entries = turns = 0
    numbers: set[int] = set()
    for entry in log(after):
        entries += 1
        turns += max(0, entry.stop - entry.start)
        numbers.add(entry.number)
        if most is not None and entries + turns > most:
            break
    return Lag(entries, len(numbers), turns)


def _within(entries: list[LogEntry], turns: int | None) -> tuple[list[LogEntry], list[LogEntry]]:
    """The first entries that bring at most so many turns, at least one; and the rest."""
    brought = 0
    for count, entry in enumerate(entries if turns is not None else ()):
        brought += max(0, entry.stop - entry.start)
        if count and turns is not None and brought > turns:
            return entries[:count], entries[count:]
    return entries, []
