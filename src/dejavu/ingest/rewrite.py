"""A source that its agent rewrote: turns that are missing from it now do not leave the archive.

Takes the turns held of a conversation and what a parser finds in the rewritten source; gives the
turns as they shall stand: the source's, and between them those that only its earlier writing had
(marked `meta["rewritten"]`, without spans, for the raw they stood in is an older generation).

A parser counts its own turns only, so `Kept` says where the others stand between them; it is kept
with the parser's state, in the same transaction. Appending costs nothing more, unless a turn that
was missing comes back: then O(turns after it).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from dejavu.model import Turn, TurnUpdate

MARK = "rewritten"
_TAG = "rewritten/1"


class Kept(msgspec.Struct, array_like=True, frozen=True):
    """A turn that only an earlier writing had: it stands before the parser's turn `at`."""

    at: int
    native_id: str = ""


Places = Mapping[str, tuple[Kept, ...]]
"""By conversation, in the order they stand."""


class _State(msgspec.Struct, array_like=True, frozen=True):
    tag: str
    parser: bytes
    places: dict[str, tuple[Kept, ...]]


_HEAD = msgspec.msgpack.encode(_State(_TAG, b"", {}))[: len(_TAG) + 2]


def wrapped(parser: bytes, places: Places) -> bytes:
    """A parser's state, with the places of what was kept beside it, if any."""
    if not any(places.values()):
        return parser
    return msgspec.msgpack.encode(_State(_TAG, parser, {k: v for k, v in places.items() if v}))


def unwrapped(state: bytes | None) -> tuple[bytes | None, dict[str, tuple[Kept, ...]]]:
    """The inverse of `wrapped`."""
    if state is None or not state.startswith(_HEAD):
        return state, {}
    kept = msgspec.msgpack.decode(state, type=_State)
    return kept.parser, kept.places


def merged(
    old: Iterable[Turn], fresh: Sequence[Turn], wanted: Callable[[Turn], bool]
) -> tuple[list[Turn], tuple[Kept, ...]]:
    """`fresh` with those `wanted` turns of `old` that it lacks, each after the one it stood after.

    A turn is the same if it has the same native id, or says the same. O(old + fresh).
    """
    by_id = {turn.native_id: seq for seq, turn in enumerate(fresh) if turn.native_id}
    by_text: dict[bytes, list[int]] = {}
    for seq, turn in enumerate(fresh):
        by_text.setdefault(_said(turn), []).append(seq)
    told = Counter({said: len(seqs) for said, seqs in by_text.items()})
    missing: list[tuple[int, Turn]] = []
    after = 0
    for turn in old:
        said = _said(turn)
        if turn.native_id in by_id:
            after = by_id[turn.native_id] + 1
            told[_said(fresh[after - 1])] -= 1
        elif told[said] > 0:
            told[said] -= 1
            after = by_text[said][-1 - told[said]] + 1
        elif wanted(turn):
            missing.append((after, _marked(turn)))
    missing.sort(key=lambda one: one[0])
    places = tuple(Kept(at, turn.native_id or "") for at, turn in missing)
    return list(_woven(0, fresh, missing)), places


def placed(
    update: TurnUpdate, source: str, kept: tuple[Kept, ...], held: Callable[[int], Iterable[Turn]]
) -> tuple[TurnUpdate, tuple[Kept, ...]]:
    """The update where the turns stand in the archive, and what is kept after it.

    `held` gives the archive's turns from a seq on; it is asked only where kept turns stand at or
    after the update, or where one of them is told again by it.
    """
    ids = {turn.native_id for turn in update.turns}
    back = [one.at for one in kept if one.native_id in ids]
    start = update.start
    if not back and all(one.at <= start for one in kept):
        return TurnUpdate(update.conversation, start + len(kept), update.turns, source), kept
    low = min([start, *back])
    first = low + sum(one.at < low for one in kept)
    standing = {one.at + place: one for place, one in enumerate(kept)}
    before: list[Turn] = []
    missing: list[tuple[int, Turn]] = []
    end = start + len(update.turns)
    for seq, turn in enumerate(held(first), first):
        one = standing.get(seq)
        if one is None:
            before.append(turn)
        elif one.native_id not in ids:
            missing.append((min(one.at, end), turn))
    fresh = [*before[: start - low], *update.turns]
    places = [one for one in kept if one.at < low]
    places += [Kept(at, turn.native_id or "") for at, turn in missing]
    woven = list(_woven(low, fresh, missing))
    return TurnUpdate(update.conversation, first, woven, source), tuple(places)


def is_kept(turn: Turn) -> bool:
    """Whether a turn stands only in an earlier writing of its source."""
    return bool(turn.meta.get(MARK))


def _marked(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, spans=(), meta={**turn.meta, MARK: True})


def _said(turn: Turn) -> bytes:
    return msgspec.json.encode((turn.role, turn.parts))


def _woven(low: int, fresh: Sequence[Turn], missing: list[tuple[int, Turn]]) -> Iterator[Turn]:
    """`fresh`, numbered by its parser from `low`, with each missing turn before its place."""
    place = 0
    for seq, turn in enumerate(fresh, low):
        while place < len(missing) and missing[place][0] <= seq:
            yield missing[place][1]
            place += 1
        yield turn
    for _, turn in missing[place:]:
        yield turn
