"""What is new in a conversation, in the order in which it was said.

Reads the archive's turns of the session that runs and yields each part once: of a text that grows
what is new of it. Prompts are left out, for who reads this has asked them. O(turns of the exchange)
a look.

Tested in: tests/extensions/acp/test_agent.py
"""

from collections.abc import Iterator
from contextlib import suppress

from dejavu.archive.access import open_archive
from dejavu.model import DejavuError, Extension, Part, Reasoning, Role, Text, Turn


class TurnUpdates:
    """One session's conversation from `mark` on."""

    def __init__(self) -> None:
        self._conversation: str | None = None
        self._start = 0
        self._sent: dict[tuple[int, int], Part] = {}

    def mark(self, conversation: str | None) -> None:
        """What is there by now is not new."""
        self._conversation = conversation
        self._start = len(_turns(conversation, 0))
        self._sent.clear()

    def take(self, conversation: str | None) -> list[Part]:
        """The parts that are new."""
        if conversation != self._conversation:  # it got a conversation, or began another
            self._conversation, self._start = conversation, 0
            self._sent.clear()
        return list(self._new(_turns(conversation, self._start)))

    @property
    def any_said(self) -> bool:
        """Whether anything was told since `mark`."""
        return bool(self._sent)

    def _new(self, turns: tuple[Turn, ...]) -> Iterator[Part]:
        for turn in turns:
            if turn.role is Role.USER:
                continue
            for place, part in enumerate(turn.parts):
                if turn.role is Role.SYSTEM and not is_error(part):
                    continue  # what a harness says around the conversation
                before = self._sent.get((turn.seq, place))
                if part == before:
                    continue
                self._sent[turn.seq, place] = part
                yield part if before is None else _rest(before, part)


def is_error(part: Part) -> bool:
    """Whether a part is an error that the agent met."""
    return isinstance(part, Extension) and part.kind.endswith(".error")


def _rest(before: Part, part: Part) -> Part:
    """What a text has grown by; another text as a whole."""
    for kind in (Text, Reasoning):
        if isinstance(before, kind) and isinstance(part, kind):
            return kind(part.content.removeprefix(before.content))
    return part


def _turns(conversation: str | None, start: int) -> tuple[Turn, ...]:
    if conversation is not None:
        with suppress(DejavuError, OSError), open_archive() as archive:
            return tuple(archive.turns(conversation, start))
    return ()
