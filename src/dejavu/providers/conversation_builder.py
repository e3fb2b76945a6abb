"""A conversation while its source is read: keeps the turns that may still change.

Appends turns in order; `take` returns what changed as a `TurnUpdate`. Turns below the position that
`freeze_before` sets leave memory, so a parser's state stays small however long the conversation
is. Each call costs O(1), `take` costs O(turns it returns).
"""

from msgspec.structs import replace

from dejavu.model import Conversation, Part, Role, Span, Turn
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
