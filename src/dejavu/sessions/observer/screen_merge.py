"""What only the screen showed of a conversation that a structured source holds.

At the end of a session a conversation of up to `WHOLE` turns is compared as a whole. Of a longer
one, and while the session runs, only what is around the screen's turns in time is in memory; at
the end it is read through once more, for old exchanges that an agent drew again (it resumed a
session). The screen's side is redacted, so texts are compared as if both were. Cost: O(turns
around), and where the screen has more than the source O(turns) time, once, at the end.

Tested in: tests/sessions/observer/test_capture_policy.py
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from dejavu.archive import Archive
from dejavu.ingest.merge.alignment import is_same, to_exchanges
from dejavu.ingest.merge.merge_turns import merge_turns
from dejavu.model import Conversation, Role, Turn
from dejavu.model.conversation import exchanges

WHOLE = 4000
"""Turns of a conversation that is compared as a whole."""

_AROUND = 900.0
"""Seconds before the screen's first turn from which a longer one is compared (see `alignment`)."""

Key = Callable[[str], str]


def merge_screen(
    archive: Archive,
    summary: Conversation,
    shown: Sequence[Turn],
    key: Key,
    *,
    earlier: Iterable[Turn] = (),
) -> tuple[int, tuple[Turn, ...], int]:
    """Return from which turn on the conversation has others, which, and how many are the screen's.

    `earlier` are turns shown before, those that `only_shown` returned among them.
    """
    if summary.turn_count <= WHOLE:
        stored, shown = list(archive.turns(summary.id)), [*earlier, *shown]
    else:
        shown = [*earlier, *only_shown(archive, summary, shown, key)[0]]
        shown = _not_drawn_again(archive, summary, shown, key)
        stored = _around(archive, summary, shown, 0)
    merged, added = merge_turns(stored, shown, key=key)
    return (stored[0].seq if stored else 0), merged, added


def only_shown(
    archive: Archive, summary: Conversation, shown: Sequence[Turn], key: Key, start: int = 0
) -> tuple[list[Turn], int]:
    """Return the exchanges of `shown` that merging would take turns of.

    With it, the turn that the comparison began at: the `start` for what is shown later.
    """
    stored = _around(archive, summary, shown, start)
    merged, _ = merge_turns(stored, shown, key=key)
    taken = {id(turn) for turn in merged}
    lacking = [
        exchange for exchange in exchanges(shown) if any(id(turn) in taken for turn in exchange)
    ]
    return [turn for exchange in lacking for turn in exchange], (stored[0].seq if stored else 0)


def _around(
    archive: Archive, summary: Conversation, shown: Sequence[Turn], start: int
) -> list[Turn]:
    """The conversation's turns from some time before those shown, looked for from `start` on."""
    since = min((turn.at for turn in shown if turn.at is not None), default=float("inf")) - _AROUND
    stored: list[Turn] = []
    for turn in archive.turns(summary.id, start):
        if turn.role is Role.USER and _is_before(turn, since):
            stored.clear()
        stored.append(turn)
    if start and not (stored and _is_before(stored[0], since)):
        return _around(archive, summary, shown, 0)  # it is not what it was
    return stored


def _is_before(turn: Turn, since: float) -> bool:
    return turn.at is not None and turn.at < since


def _not_drawn_again(
    archive: Archive, summary: Conversation, shown: Sequence[Turn], key: Key
) -> list[Turn]:
    """Leave out exchanges that stand in the conversation's older part."""
    around = _around(archive, summary, shown, 0)
    left = to_exchanges(shown, key)
    older = archive.turns(summary.id, 0, around[0].seq) if around else iter(())
    for exchange in _exchanges_of(older):
        if not left:
            break
        (mine,) = to_exchanges(exchange, key)
        left = [other for other in left if not is_same(mine, other)]
    return [turn for exchange in left for turn in exchange.turns]


def _exchanges_of(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    """`exchanges`, one at a time."""
    exchange: list[Turn] = []
    for turn in turns:
        if turn.role is Role.USER and exchange:
            yield exchange
            exchange = []
        exchange.append(turn)
    if exchange:
        yield exchange
