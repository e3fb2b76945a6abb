"""A conversation while its source is read: the turns that may still change, the records met before.

Appends turns in order; `take` returns what changed as a `TurnUpdate`. Turns below the position that
`freeze_before` sets leave memory, so a parser's state stays small however long the conversation
is. Each call costs O(1), `take` costs O(turns it returns).

`RecentIds` tests ids and times, in the order of the log, for repetition. A log repeats itself in two
ways: its last records (a retry), or all of it from its first record on (a resumed session that
repeats its history). Both are seen with a memory that does not grow with the log: O(1) an id, at most
`LAST` numbers of 8 bytes to remember between feeds.
"""

import struct
from collections import deque
from collections.abc import Collection

from msgspec.structs import replace

from dejavu.model import Conversation, Part, Role, Span, Turn
from dejavu.model.blake2 import blake2b
from dejavu.model.conversation import title_from

from .protocol import TurnUpdate


class ConversationBuilder:
    """Turns of one conversation; `seq` counts from 0 and never moves.

    The head's `turn_count`, `vectors`, `started_at`, `ended_at` and (unless the agent gave one)
    `title` follow from the turns.
    """

    __slots__ = ("_changed", "_named", "_settled", "_start", "_tail", "_touched", "head")

    def __init__(
        self,
        head: Conversation,
        start: int = 0,
        tail: tuple[Turn, ...] = (),
        named: int | None = None,
    ) -> None:
        self.head = head
        self._start = start
        self._tail = list(tail)
        self._settled = start
        self._changed: int | None = None
        self._touched = False
        self._named = named  # the seq of the prompt that the title was taken from

    def __len__(self) -> int:
        return self._start + len(self._tail)

    def append(self, turn: Turn) -> int:
        """Append a turn and return its seq."""
        seq = self._start + len(self._tail)
        self._tail.append(turn if turn.seq == seq else replace(turn, seq=seq))
        if self._changed is None:
            self._changed = seq
        return seq

    def get(self, seq: int) -> Turn | None:
        """The turn at `seq`, if it is still in memory."""
        index = seq - self._start
        return self._tail[index] if 0 <= index < len(self._tail) else None

    def replace(self, seq: int, turn: Turn) -> None:
        """Replace the turn at `seq`.

        Raises:
            IndexError: the turn at `seq` left memory or does not exist.
        """
        index = seq - self._start
        if not 0 <= index < len(self._tail):
            raise IndexError(seq)
        self._tail[index] = turn if turn.seq == seq else replace(turn, seq=seq)
        self._changed = seq if self._changed is None else min(seq, self._changed)

    def extend(self, span: Span, part: Part) -> bool:
        """Add a part to the turns read from `span`; return whether there is one."""
        turns = [
            (seq, turn) for seq, turn in enumerate(self._tail, self._start) if span in turn.spans
        ]
        for seq, turn in turns:
            self.replace(seq, replace(turn, parts=(*turn.parts, part)))
        return bool(turns)

    def truncate(self, seq: int) -> None:
        """Drop the turns from `seq` on, in memory or not; the caller appends them again."""
        if seq < self._start:
            self._start, self._tail = seq, []
        else:
            del self._tail[seq - self._start :]
        self._settled = min(self._settled, seq)
        self._changed = seq if self._changed is None else min(seq, self._changed)

    def freeze_before(self, seq: int) -> None:
        """Declare the turns below `seq` final; `take` then drops them from memory."""
        if seq > self._settled:
            self._settled = seq

    def set_summary(self, head: Conversation) -> None:
        """Replace the head; `take` returns it even if no turn changed."""
        if head != self.head:
            if head.title != self.head.title:
                self._named = None
            self.head = head
            self._touched = True

    def take(self) -> TurnUpdate | None:
        """What changed since the last call; None if nothing did, or while there are no turns."""
        if self._changed is None and not (self._touched and len(self)):
            return None
        start = len(self) if self._changed is None else self._changed
        turns = tuple(self._tail[start - self._start :])
        self._changed, self._touched = None, False
        self._derive(turns)
        if (settled := min(self._settled, len(self))) > self._start:
            del self._tail[: settled - self._start]
            self._start = settled
        return TurnUpdate(self.head, start, turns)

    def dump(self) -> tuple[Conversation, int, tuple[Turn, ...], int | None]:
        """The arguments of `ConversationBuilder` that continue from here; call it after `take`."""
        keep = max(min(self._settled, len(self)), self._start)
        return self.head, keep, tuple(self._tail[keep - self._start :]), self._named

    def _derive(self, turns: tuple[Turn, ...]) -> None:
        """Update the head from `turns`, the last ones."""
        head = self.head
        started, ended, title = head.started_at, head.ended_at, head.title
        vectors = set(head.vectors)
        if self._named is not None and turns and turns[0].seq <= self._named:
            title, self._named = "", None  # the prompt it was taken from may have changed
        for turn in turns:
            vectors.add(turn.vector)
            if (at := turn.at) is not None:
                started = at if started is None or at < started else started
                ended = at if ended is None or at > ended else ended
            if title or turn.role is not Role.USER:
                continue
            if title := title_from(turn.text):
                self._named = turn.seq
        self.head = replace(
            head,
            turn_count=len(self),
            vectors=tuple(sorted(vectors, key=lambda vector: vector.rank)),
            started_at=started,
            ended_at=ended,
            title=title,
        )


FIRST, LAST = 64, 4096


class RecentIds:
    """The ids of a log."""

    def __init__(self, first: bytes = b"", last: bytes = b"", newest: float = 0.0) -> None:
        self._first = _numbers(first)
        self._last = deque(_numbers(last), maxlen=LAST)
        self._known = {*self._first, *self._last}
        self._newest = newest
        self._repeating = False
        self._asked = ("", 0)  # the id asked for last, and its number: it is added next

    def __contains__(self, name: str) -> bool:
        """Whether the id is remembered."""
        return number(name) in self._known

    def is_replay(self, name: str, at: float | None) -> bool:
        """Whether a record says nothing new: known, or of a history that is being repeated."""
        index = number(name)
        self._asked = (name, index)
        if index in self._known:
            self._repeating = True
            return True
        if not self._repeating:
            return False
        # Repeated records keep their time; the first that is newer ends the repetition.
        self._repeating = len(self._last) == LAST and at is not None and at < self._newest
        return self._repeating

    def add(self, name: str, at: float | None) -> None:
        """Remember a record."""
        cached_name, index = self._asked
        if cached_name != name:
            index = number(name)
        if index in self._known:
            return
        if at is not None and at > self._newest:
            self._newest = at
        self._known.add(index)
        if len(self._first) < FIRST:
            self._first.append(index)
            return
        if len(self._last) == LAST:
            self._known.discard(self._last[0])
        self._last.append(index)

    def dump(self) -> tuple[bytes, bytes, float]:
        """What `Recent(*...)` needs to go on."""
        return _packed(self._first), _packed(self._last), self._newest


def number(name: str) -> int:
    """64 bits for an id: the random end of a UUID, any other id's digest."""
    if len(name) == 36:
        try:
            return int(name[19:23] + name[24:], 16)
        except ValueError:
            pass
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _packed(numbers: Collection[int]) -> bytes:
    return struct.pack(f">{len(numbers)}Q", *numbers)


def _numbers(packed: bytes) -> list[int]:
    return list(struct.unpack(f">{len(packed) // 8}Q", packed))
