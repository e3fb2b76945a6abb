"""One exchange seen twice: which parts of the weaker vector's turns the better one lacks.

Returns the better one's turns, and between them turns that hold just the parts it lacks, under
their own vector. A piece is a text, a thought, a call, a result or an error. Pieces are the same by
their ids, else by their letters, wherever one vector has them in one text and the other in several.
Of pieces that are not, as many are taken for the same told in other words as both have: only what
is more is lacking. A text that breaks off, or that lost blanks and joiners, is repaired in its place.
Pure; O(pieces + letters).
"""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec

from dejavu.model import (
    Extension,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Vector,
    is_json_array,
    is_json_object,
)

_ENOUGH = 24  # letters from which on a text inside another is the same and no chance
_VERBATIM = (Vector.STREAM, Vector.WIRE)
SOURCE, REPAIRED_BY = "source", "mended_by"
"""In a turn's `meta`: the source it was read from, and the one a text of it is from, where those
are not the conversation's own."""
_FAMILY = re.compile(r"[A-Za-z]*")


class PartKey(NamedTuple):
    """One part: its turn's and its own place, what it is known by."""

    turn: int
    part: int
    kind: str
    text: str
    said: str
    id: str | None = None
    exact: bool = True
    """Whether it is word for word what was said."""


def part_keys(turns: Sequence[Turn], key: Callable[[str], str]) -> Iterator[PartKey]:
    """The pieces of an exchange; prompts and what a harness says around them are none."""
    for place, turn in enumerate(turns):
        exact = turn.meta.get("verbatim") is not False
        for number, part in enumerate(turn.parts):
            kind, text, name = _known_by(turn.role, part)
            if kind:
                yield PartKey(place, number, kind, key(text) or text.strip(), text, name, exact)


def _known_by(role: Role, part: Part) -> tuple[str, str, str | None]:
    match part:
        case Text(content) if role is Role.ASSISTANT:
            return "answer", content, None
        case Reasoning(content):
            return "reasoning", content, None
        case ToolCall(id, _, given):
            return "call", "\0".join(_strings(given)), id
        case ToolCallResponse(id, response):
            return "response", "\0".join(_strings(response)), id
        case Extension(kind, data) if kind.endswith(".error"):
            return "error", str(data.get("message", "")), None
        case Extension(kind, data) if kind.endswith(".permission"):
            return "permission", "\0".join(_strings(data)), None
        case _:
            return "", "", None


def _strings(value: Any) -> list[str]:
    """Every text and number inside a JSON value; a text that is JSON itself is looked into."""
    if isinstance(value, str) and value[:1] in "{[":
        try:
            value = json.loads(value)
        except ValueError:
            return [value]
    if is_json_object(value):
        return [text for name in sorted(value) for text in _strings(value[name])]
    if is_json_array(value):
        return [text for item in value for text in _strings(item)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


@dataclass(slots=True)
class _Unmatched:
    """One of ours, and what of its letters was not met yet."""

    piece: PartKey
    text: str


class _PartPool:
    """The better vector's pieces of one kind, struck out letter by letter as they are met again."""

    def __init__(self, found: list[PartKey]) -> None:
        self.all = found
        self._left = [_Unmatched(piece, piece.text) for piece in found]

    def take(self, theirs: PartKey) -> PartKey | None:
        """Ours that is `theirs`, or that `theirs` is a part of; None if it is none."""
        named = theirs.id is not None and any(_family(theirs, mine) for mine in self.all)
        for place, rest in enumerate(self._left):
            mine = rest.piece
            if mine.id == theirs.id if named else mine.text == rest.text == theirs.text:
                del self._left[place]
                return mine
        return None if named else self._match_across(theirs)

    def match_any(self, theirs: PartKey) -> PartKey | None:
        """Ours that may be `theirs` in other words: the first that is left."""
        if not self._left or any(_family(theirs, mine) for mine in self.all):
            return None
        return self._left.pop(0).piece

    def last(self) -> PartKey:
        """The last of ours, met or not."""
        return self.all[-1]

    def take_truncated(self, theirs: PartKey) -> PartKey | None:
        """The last of ours, if nothing met it and `theirs` continues where it ends."""
        mine = self._left[-1].piece if self._left else None
        if mine is None or mine is not self.all[-1] or not theirs.text.startswith(mine.text):
            return None
        self._left.pop()
        return mine

    def _match_across(self, theirs: PartKey) -> PartKey | None:
        """`theirs` across several of ours that were cut apart, or within one of them."""
        for place in range(len(self._left)):
            text, end = theirs.text, place
            while text and end < len(self._left) and text.startswith(self._left[end].text):
                text = text.removeprefix(self._left[end].text)
                end += 1
            if not text and end > place + 1:
                first = self._left[place].piece
                del self._left[place:end]
                return first
        for rest in self._left if len(theirs.text) >= _ENOUGH else ():
            if theirs.text in rest.text:
                rest.text = rest.text.replace(theirs.text, "", 1)
                return rest.piece
        return None


def _family(one: PartKey, other: PartKey) -> bool:
    """Whether both have ids, given by the same: `toolu_...` and `item_3` are not."""
    first, second = (_FAMILY.match(piece.id) if piece.id else None for piece in (one, other))
    return first is not None and second is not None and first[0] == second[0]


def complete_exchange(
    ours: list[Turn],
    theirs: list[Turn],
    key: Callable[[str], str],
    *,
    last: bool,
    counts: Counter[str],
) -> tuple[list[Turn], int]:
    """`ours` with what only `theirs` has, and how many turns that made.

    In the `last` exchange of a trace an answer may break off: then the longer one is taken, if it
    is word for word what was said.
    """
    mine = {kind: _PartPool(found) for kind, found in _by_kind(ours, key).items()}
    places: dict[PartKey, int] = {}
    unmatched: list[PartKey] = []
    lacking: list[PartKey] = []
    instead: dict[PartKey, PartKey] = {}
    for kind, found in _by_kind(theirs, key).items():
        met = _alike(mine[kind].all, found) if kind in mine else {}
        for piece in found:
            other = met.get(piece) or (mine[kind].take(piece) if kind in mine else None)
            if other is None:
                unmatched.append(piece)
                continue
            places[piece] = other.turn
            if _repairs(piece, other, theirs[piece.turn].vector):
                instead[piece] = other
    for piece in unmatched:
        pool = mine.get(piece.kind)
        may_go_on = last and piece.exact and piece.kind == "answer"
        short = pool.take_truncated(piece) if pool and may_go_on else None
        other = pool.match_any(piece) if pool and not short else None
        if pool and not piece.exact:
            other = other or pool.last()
        if short:
            places[piece] = short.turn
            instead[piece] = short
        elif other:
            places[piece] = other.turn
            counts[f"differs {piece.kind}"] += 1
        else:
            lacking.append(piece)
            counts[f"lacked {piece.kind}"] += 1
    for piece, other in instead.items():
        counts[f"mended {piece.kind}"] += 1
        ours = _repaired(ours, theirs[piece.turn], piece, other)
    if not lacking:
        return ours, 0
    return _interleave(ours, theirs, lacking, places)


def _by_kind(turns: Sequence[Turn], key: Callable[[str], str]) -> dict[str, list[PartKey]]:
    kinds: dict[str, list[PartKey]] = {}
    for piece in part_keys(turns, key):
        kinds.setdefault(piece.kind, []).append(piece)
    return kinds


def _alike(ours: list[PartKey], theirs: list[PartKey]) -> dict[PartKey, PartKey]:
    """Which of ours each of `theirs` begins in, if both tell the same letters, cut otherwise."""
    if "".join(piece.text for piece in ours) != "".join(piece.text for piece in theirs):
        return {}
    if any(_family(one, other) for one in ours for other in theirs):
        return {}
    ends = list(accumulate(len(piece.text) for piece in ours))
    begins = accumulate((len(piece.text) for piece in theirs[:-1]), initial=0)
    places = (min(bisect_right(ends, begin), len(ours) - 1) for begin in begins)
    return {piece: ours[place] for piece, place in zip(theirs, places, strict=True)}


def _interleave(
    ours: list[Turn],
    theirs: list[Turn],
    lacking: list[PartKey],
    places: dict[PartKey, int],
) -> tuple[list[Turn], int]:
    """`ours`, and each lacking part behind what came before it."""
    wanted = {(piece.turn, piece.part) for piece in lacking}
    met = {(piece.turn, piece.part): turn for piece, turn in places.items()}
    behind: dict[int, list[Turn]] = {}
    after = added = 0
    for place, turn in enumerate(theirs):
        parts: list[Part] = []
        for number, part in enumerate(turn.parts):
            if (place, number) in wanted:
                parts.append(part)
            elif (at := met.get((place, number))) is not None:
                if parts:
                    behind.setdefault(min(after, at), []).append(_only(turn, parts))
                    added, parts = added + 1, []
                after = max(after, at)
        if parts and turn.role is Role.SYSTEM:  # an error, and the words that show it
            parts = [*turn.parts]
        if parts:
            behind.setdefault(after, []).append(_only(turn, parts))
            added += 1
    result: list[Turn] = []
    for place, turn in enumerate(ours):
        result += (turn, *behind.get(place, ()))
    return result, added


def _repairs(theirs: PartKey, mine: PartKey, vector: Vector) -> bool:
    """Whether the same letters stand in `theirs` as the model said them, and in ours they do not.

    Files of some agents lose joiners, and the blanks between the pieces of a thought.
    """
    whole = theirs.text == mine.text and theirs.said.strip() != mine.said.strip()
    return whole and vector in _VERBATIM and theirs.kind in ("answer", "reasoning")


def _repaired(ours: list[Turn], theirs: Turn, piece: PartKey, mine: PartKey) -> list[Turn]:
    """`ours` with the text of one part as `theirs` has it; the turn stays, and says what repaired it."""
    turn = ours[mine.turn]
    parts = list(turn.parts)
    parts[mine.part] = theirs.parts[piece.part]
    by = theirs.meta.get(SOURCE) or str(theirs.vector)
    turn = msgspec.structs.replace(turn, parts=tuple(parts), meta={**turn.meta, REPAIRED_BY: by})
    return [*ours[: mine.turn], turn, *ours[mine.turn + 1 :]]


def _only(turn: Turn, parts: list[Part]) -> Turn:
    """A turn with these parts alone. What it cost is kept with the turn that has the rest."""
    whole = len(parts) == len(turn.parts)
    return turn if whole else msgspec.structs.replace(turn, parts=tuple(parts), usage=None)
