"""The numbers, times and dates that a sentence states, each with the kind of thing it counts.

`4 shards` and `2 replicas` count different things, `30 minutes` and `8 hours` do not. Does no I/O.

Tested in: tests/recall/memory/test_contradiction.py
"""

from typing import NamedTuple

from ..terms import listed, stems, stop_stems

_UNITS = {
    "time": "second seconds sec s ms minute minutes min hour hours h day days week weeks month "
    "months year years daily weekly monthly hourly nightly yearly night forever",
    "date": "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays",
    "size": "b kb mb gb tb kib mib gib bytes byte",
    "share": "% percent",
}
_KIND = {unit: kind for kind, units in _UNITS.items() for unit in listed(units)}
_ALONE = frozenset(
    listed("daily weekly monthly hourly nightly yearly forever night minute hour day week")
    + listed(_UNITS["date"])
)
"""Words of time that are a value without a number next to them (`every night`, `weekly`)."""
_NUMBERS = {
    word: number
    for number, word in enumerate(
        listed(
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen"
        ),
        1,
    )
}
_COUNTED = frozenset(listed("number step part phase item chapter issue ticket task option case"))
"""What is one of several: `step 3` and `step 4` are both there."""
_AFTER = frozenset(listed("at on in by from to and or"))
_ORDINALS = ("st", "nd", "rd", "th")


class Quantity(NamedTuple):
    """One of them: `value` as written, `kind` (empty: unknown), the words it is made of."""

    value: str
    kind: str
    places: tuple[int, ...]


def quantities(words: list[str]) -> list[Quantity]:
    """The quantities in the words of a sentence (lower case), in their order."""
    found: list[Quantity] = []
    taken: set[int] = set()
    for at in range(len(words)):
        if at in taken:
            continue
        one = _numbered(words, at) or _bare(words, at)
        if one is not None:
            found.append(one)
            taken.update(one.places)
    return found


def _numbered(words: list[str], at: int) -> Quantity | None:
    word = words[at]
    if word == "one" and at + 1 == len(words):
        return None
    digits = str(_NUMBERS[word]) if word in _NUMBERS else word
    if word == "first" and "month" in words[at:]:
        digits = "1st"
    if not digits[:1].isdigit():
        return None
    if digits.endswith(_ORDINALS) and digits[:-2].isdigit():
        return Quantity(digits[:-2], "date", (at,))
    if ":" in digits:
        return Quantity(digits, "clock", (at,))
    number = digits.rstrip("abcdefghijklmnopqrstuvwxyz%")
    glued = digits[len(number) :]
    if glued:
        return Quantity(digits, _KIND.get(glued, ""), (at,))
    if words[at - 1 : at] and words[at - 1] in _COUNTED:
        return Quantity(number, "which", (at,))
    unit = words[at + 1] if at + 1 < len(words) else ""
    if unit in _KIND:
        return Quantity(f"{number} {unit}", _KIND[unit], (at, at + 1))
    noun = stems(unit)
    if len(noun) == 1 and noun[0] not in stop_stems() and unit.isalpha():
        return Quantity(number, noun[0], (at, at + 1))
    return Quantity(number, "", (at,))


def _bare(words: list[str], at: int) -> Quantity | None:
    word = words[at]
    if word not in _ALONE:
        return None
    if word in ("night", "minute", "hour", "day", "week") and words[at - 1 : at] not in (
        ["every"],
        ["a"],
        ["an"],
        ["each"],
    ):
        return None
    if (
        word.endswith("ly")
        and at + 1 < len(words)
        and stems(words[at + 1])
        and words[at + 1] not in _AFTER
    ):
        return None  # `the weekly report`
    return Quantity(word, _KIND[word], (at,))


def of_one_kind(first: Quantity, second: Quantity) -> bool:
    """Whether two quantities count one kind of thing, as far as their sentences say."""
    if "which" in (first.kind, second.kind):
        return False
    return not first.kind or not second.kind or first.kind == second.kind
