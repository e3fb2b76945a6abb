"""Which turns of a conversation are meant: `ID#959`, `last#3`, `ID#10-20`, `--turns 10-20`.

Turns are counted from 1, as every command prints them; `TurnRange` holds `seq`, from 0. `last` is the
last turn: its `seq` is -1 until `within` says of how many.
"""

import re
from typing import NamedTuple

from dejavu.model import InvalidValueError
from dejavu.model.conversation import seq_of

AROUND = 2
"""Turns before and after the one that `ID#959` names."""


class TurnRange(NamedTuple):
    """Turns `start` to `stop`, that one left out (None: to the end); `at` is the one meant."""

    start: int
    stop: int | None
    at: int | None = None

    def within(self, count: int) -> "TurnRange":
        """The range in a conversation of `count` turns, counted from its beginning."""
        if self.start >= 0:
            return self
        at = None if self.at is None else max(0, self.at + count)
        return TurnRange(max(0, self.start + count), self.stop, at)


def parse_turns(text: str) -> TurnRange:
    """The range that `text` is: `10-20` (both included), `10`, `10-`, `-20`, `last`.

    Raises:
        InvalidValueError: it is none.
    """
    if text.strip() == "last":
        return TurnRange(-1, None)
    if text.strip() == "-1":
        raise InvalidValueError(
            "'-1' would be the turns up to 1; write 1, or last for the last turn"
        )
    match = re.fullmatch(r"\s*(\d{0,9})\s*(-?)\s*(\d{0,9})\s*", text, re.ASCII)
    first, dash, last = match.groups() if match else ("", "", "")
    start = seq_of(int(first or 1))
    stop = int(last) if last else None if dash else start + 1
    if not (first or last) or start < 0 or (stop is not None and stop <= start):
        raise InvalidValueError(
            f"{text!r} are no turns; write 10-20, 10, 10-, -20 or last (from 1)"
        )
    return TurnRange(start, stop)


def split_anchor(text: str) -> tuple[str, TurnRange | None]:
    """The conversation and the turns that `ID#...` names; no turns without `#`.

    Raises:
        InvalidValueError: what follows `#` is not a range of turns.
    """
    conversation, mark, turns = text.partition("#")
    if not mark:
        return text, None
    named = parse_turns(turns)
    if "-" in turns:
        return conversation, named
    at = named.start
    if at < 0:
        return conversation, TurnRange(at - AROUND, None, at)
    return conversation, TurnRange(max(0, at - AROUND), at + AROUND + 1, at)
