"""Whether a sentence is another one turned round: the same words, and each does the same.

Three ways are known: the second part comes first (`in Go, use tabs`), the two sides of `is` change places
(`Trunk is the default branch`), and the passive voice (`The parser is owned by Ann`). Other changes of
order carry meaning: `Bob reports to Ann`. Does no I/O. Costs O(words squared).
"""

from collections.abc import Sequence

from ..terms import listed, stems

_TENSES = {"is": "now", "are": "now", "was": "then", "were": "then"}
_OWNERS = frozenset(listed("the our my your his her their its this that these those s"))
"""Words that say which one is meant; `s` is what is left of `Ann's`."""
_ANY = frozenset(listed("a an all every each any some no most many few several"))
"""Words that speak of a kind: `a tiger is a cat`, and no cat need be a tiger."""
_ARTICLES = _OWNERS - {"s"} | frozenset(listed("a an we i you"))
_RELATIVE = frozenset(listed("what where"))
_PLACE = frozenset(listed("in on at"))
"""What `where` means: `secrets are in Vault`, `Vault is where secrets are`."""
_FEWEST = 3  # words of a sentence whose second part can come first
_FORMS = (
    "begin began begun", "break broke broken", "build built", "buy bought", "catch caught",
    "choose chose chosen",
    "do did done", "draw drew drawn", "drive drove driven", "feed fed", "find found", "give gave given",
    "grow grew grown", "hold held", "keep kept", "know knew known", "lead led", "make made",
    "own owner ownership belong",
    "pay paid", "run ran", "see saw seen", "sell sold", "send sent", "show shown", "speak spoke spoken",
    "take took taken", "teach taught", "tell told", "throw threw thrown", "write wrote written",
    "hide hid hidden", "split splitting", "freeze froze frozen", "shrink shrank shrunk",
)  # fmt: skip


def _base_forms() -> dict[str, str]:
    made = [[stems(word)[0] for word in listed(forms)] for forms in _FORMS]
    return {form: forms[0] for forms in made for form in forms}


BASE = _base_forms()
"""The stem of a verb by those of its other forms, where they do not begin alike."""


def base(stem: str) -> str:
    """The stem of a verb, for that of one of its forms."""
    return BASE.get(stem, stem)


def is_passive(words: Sequence[str]) -> bool:
    """Whether a sentence says what is done by someone: `is owned by`."""
    at = _verb(words)
    return at >= 0 and "by" in words[at + 2 :]


def is_turned(
    first: Sequence[str], second: Sequence[str], carried: tuple[Sequence[str], Sequence[str]]
) -> bool:
    """Whether one is the other turned round.

    first, second: their words, lower case, without punctuation. carried: the stems of those that carry
    something, in order.
    """
    return (
        _rotated(*carried)
        or _sides_changed(first, second)
        or _in_passive(first, second)
        or _in_passive(second, first)
    )


def _rotated(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the second part comes first; `x over y` is not `y over x`."""
    dropped = _RELATIVE | (_PLACE if "where" in (*first, *second) else frozenset[str]())
    left, right = (tuple(w for w in order if w not in dropped) for order in (first, second))
    return len(left) >= _FEWEST and _is_rotation(left, right)


def _is_rotation(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    if sorted(left) != sorted(right):
        return False
    return any(right == left[at:] + left[:at] for at in range(1, len(left)))


def _sides_changed(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether what is left of `is` in one is on its right in the other, and names one thing."""
    one, other = _sides(first), _sides(second)
    if one is None or other is None or one[0] != other[0]:
        return False
    (_, left, right), (_, other_left, other_right) = one, other
    if not (_is_definite(left) or _is_definite(right)) or _is_kind(left) or _is_kind(right):
        return False
    return _one(left, other_right) and _one(right, other_left)


def _sides(words: Sequence[str]) -> tuple[str, Sequence[str], Sequence[str]] | None:
    """The tense of a sentence's one `is`, and what is on its sides; None without, or with more."""
    at = _verb(words)
    if at <= 0 or at + 1 == len(words) or sum(word in _TENSES for word in words) > 1:
        return None
    return _TENSES[words[at]], words[:at], words[at + 1 :]


def _is_definite(side: Sequence[str]) -> bool:
    return not _OWNERS.isdisjoint(side)


def _is_kind(side: Sequence[str]) -> bool:
    """Whether it is a kind of thing: `a cat`, `cats`."""
    if not _ANY.isdisjoint(side):
        return True
    last = side[-1]
    return not _is_definite(side) and last.endswith("s") and not last.endswith("ss")


def _one(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two sides are one, whichever part of theirs comes first."""
    one, other = _stems(left), _stems(right)
    return one == other or _is_rotation(one, other)


def _in_passive(active: Sequence[str], passive: Sequence[str]) -> bool:
    """Whether the second says in the passive voice what the first says; `we` may be left out."""
    at, said = _verb(passive), _stems(active)
    if at <= 0 or "by" in active or _verb(active) >= 0:
        return False
    by = passive.index("by", at + 2) if is_passive(passive) else len(passive)
    done_to, verb, rest = (
        _stems(part) for part in (passive[:at], passive[at + 1 : by], passive[by + 1 :])
    )
    if not verb or bool(rest) != (by < len(passive)):
        return False
    for end in range(min(1, len(rest)), len(rest) + 1):
        doer, more = rest[:end], rest[end:]
        core = (*doer, verb[0], *done_to)
        if said in ((*core, *verb[1:], *more), (*core, *more, *verb[1:]), (*more, *core)):
            return True
    return False


def another_doer(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the two name two who do one thing: `Ann owns the parser`, `It is owned by Bob`."""
    return _does_otherwise(first, second) or _does_otherwise(second, first)


def _does_otherwise(active: Sequence[str], passive: Sequence[str]) -> bool:
    at = _verb(passive)
    if at <= 0 or not is_passive(passive) or _verb(active) >= 0:
        return False
    by = passive.index("by", at + 2)
    done_to, verb, doer = (
        _stems(part) for part in (passive[:at], passive[at + 1 : by], passive[by + 1 :])
    )
    said = _stems(active)
    end = len(said) - len(done_to)
    if not (done_to and doer and len(verb) == 1 and end > 1 and said[end - 1] == verb[0]):
        return False
    return said[end:] == done_to and said[: end - 1] != doer


def _verb(words: Sequence[str]) -> int:
    """The place of the first `is`; -1 for nowhere."""
    return next((at for at, word in enumerate(words) if word in _TENSES), -1)


def _stems(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(base(stem) for word in words if word not in _ARTICLES for stem in stems(word))
