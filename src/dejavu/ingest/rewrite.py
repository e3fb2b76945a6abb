"""A source that its agent rewrote: turns that are missing from it now do not leave the archive.

`merge` puts the turns that only an earlier writing had between those of the source as it is now,
marked `meta["rewritten"]` and without spans, for the raw they stood in is an older generation.

A parser counts its own turns only, so a `RetainedTurn` says where each of the others is
between them; they are kept with the parser's state, in the same transaction. Appending costs
nothing more, unless a turn that was missing comes back: then O(turns after it).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from dejavu.model import Turn, TurnUpdate

MARK = "rewritten"
_TAG = "rewritten/1"
_DIGESTED = 64 << 10  # bytes: a longer content is compared by its digest, not held once more


class RetainedTurn(msgspec.Struct, array_like=True, frozen=True):
    """A turn that only an earlier writing had: it comes before the parser's turn `at`."""

    at: int
    native_id: str = ""


Retained = Mapping[str, tuple[RetainedTurn, ...]]
"""By conversation, in the order they stand."""


class SourceState(NamedTuple):
    """What is kept of a source's parser; `stale`: raw was added that it has not parsed."""

    parser: bytes | None
    retained: dict[str, tuple[RetainedTurn, ...]]
    stale: bool = False


class _State(msgspec.Struct, array_like=True, frozen=True):
    tag: str
    parser: bytes
    retained: dict[str, tuple[RetainedTurn, ...]]
    stale: bool = False


_PREFIXES = tuple(bytes([0x90 + size]) + msgspec.msgpack.encode(_TAG) for size in (3, 4))


def encode_state(parser: bytes, retained: Retained, *, stale: bool = False) -> bytes:
    """A parser's state, with what else is known of its source, if anything."""
    if not stale and not any(retained.values()):
        return parser
    kept = {name: turns for name, turns in retained.items() if turns}
    return msgspec.msgpack.encode(_State(_TAG, parser, kept, stale))


def decode_state(state: bytes | None) -> SourceState:
    """The inverse of `encode_state`."""
    if state is None or not state.startswith(_PREFIXES):
        return SourceState(state, {})
    stored = msgspec.msgpack.decode(state, type=_State)
    return SourceState(stored.parser, stored.retained, stored.stale)


def merge(
    old: Iterable[Turn], fresh: Sequence[Turn], wanted: Callable[[Turn], bool]
) -> tuple[list[Turn], tuple[RetainedTurn, ...]]:
    """`fresh` with those `wanted` turns of `old` that it lacks, each after the one it stood after.

    A turn is the same if it has the same native id, or says the same. O(old + fresh).
    """
    by_id = {turn.native_id: seq for seq, turn in enumerate(fresh) if turn.native_id}
    by_content: dict[bytes, list[int]] = {}
    for seq, turn in enumerate(fresh):
        by_content.setdefault(_content(turn), []).append(seq)
    unmatched = Counter({content: len(seqs) for content, seqs in by_content.items()})
    missing: list[tuple[int, Turn]] = []
    after = 0
    for turn in old:
        content = _content(turn)
        if turn.native_id in by_id:
            after = by_id[turn.native_id] + 1
            unmatched[_content(fresh[after - 1])] -= 1
        elif unmatched[content] > 0:
            unmatched[content] -= 1
            after = by_content[content][-1 - unmatched[content]] + 1
        elif wanted(turn):
            missing.append((after, _marked(turn)))
    missing.sort(key=lambda entry: entry[0])
    retained = tuple(RetainedTurn(at, turn.native_id or "") for at, turn in missing)
    return list(_interleave(0, fresh, missing)), retained


def position(
    update: TurnUpdate,
    source: str,
    retained: tuple[RetainedTurn, ...],
    stored: Callable[[int], Iterable[Turn]],
) -> tuple[TurnUpdate, tuple[RetainedTurn, ...]]:
    """The update where its turns stand in the archive, and what is retained after it.

    `stored` returns the archive's turns from a seq on; it is called only where retained turns
    stand at or after the update, or where one of them comes back with it.
    """
    ids = {turn.native_id for turn in update.turns}
    back = [turn.at for turn in retained if turn.native_id in ids]
    start = update.start
    if not back and all(turn.at <= start for turn in retained):
        moved = start + len(retained)
        return TurnUpdate(update.conversation, moved, update.turns, source), retained
    low = min([start, *back])
    first = low + sum(turn.at < low for turn in retained)
    standing = {turn.at + place: turn for place, turn in enumerate(retained)}
    before: list[Turn] = []
    missing: list[tuple[int, Turn]] = []
    end = start + len(update.turns)
    for seq, turn in enumerate(stored(first), first):
        entry = standing.get(seq)
        if entry is None:
            before.append(turn)
        elif entry.native_id not in ids:
            missing.append((min(entry.at, end), turn))
    fresh = [*before[: start - low], *update.turns]
    left = [turn for turn in retained if turn.at < low]
    left += [RetainedTurn(at, turn.native_id or "") for at, turn in missing]
    turns = list(_interleave(low, fresh, missing))
    return TurnUpdate(update.conversation, first, turns, source), tuple(left)


def is_retained(turn: Turn) -> bool:
    """Whether a turn is only in an earlier writing of its source."""
    return bool(turn.meta.get(MARK))


def _marked(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, spans=(), meta={**turn.meta, MARK: True})


def _content(turn: Turn) -> bytes:
    """What tells a turn's content from others'; of a long one, its digest."""
    try:
        content = msgspec.json.encode((turn.role, turn.parts))
    except UnicodeEncodeError:  # a lone surrogate: some agents cut text inside a character
        content = repr((turn.role, turn.parts)).encode("utf-8", "surrogatepass")
    return content if len(content) < _DIGESTED else sha256(content).digest()


def _interleave(low: int, fresh: Sequence[Turn], missing: list[tuple[int, Turn]]) -> Iterator[Turn]:
    """`fresh`, numbered by its parser from `low`, with each missing turn before its place."""
    place = 0
    for seq, turn in enumerate(fresh, low):
        while place < len(missing) and missing[place][0] <= seq:
            yield missing[place][1]
            place += 1
        yield turn
    for _, turn in missing[place:]:
        yield turn
