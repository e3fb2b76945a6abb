"""The turns of a conversation until a moment. Asks for no index; O(turns until then).

Tested in: tests/extensions/code/test_moment.py
"""

from collections.abc import Iterable, Iterator

from .conversation import Turn


def turns_until(turns: Iterable[Turn], begun: float | None, at: float) -> Iterator[Turn]:
    """The turns with a time up to `at` (Unix seconds); one without a time has that of the turn before.

    begun: when the conversation began, the time of turns before the first that has one.
    """
    time = begun or 0.0
    for turn in turns:
        time = turn.at if turn.at is not None else time
        if time <= at:
            yield turn
