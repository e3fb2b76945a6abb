"""Whether a new memory contradicts an old one, without a model.

The verdict comes with its reason. A paraphrase says the same, two facts of one subject stand
next to each other; only a fact that cannot hold together with the other is a contradiction. Three
signs are believed, each only where the two speak of the same thing:

* the new one says that something changed (`no longer`, `instead of`, `moved to`, `now`);
* one denies what the other says (`never` against `always`, `enabled` against `disabled`);
* they are one sentence with another value in the same place (`port 8080` against `port 9090`).

What says for whom or where (`for Go`, `in the web repo`) and the subject itself are no value:
other subjects, other facts. Does no I/O; costs O(text squared) of two sentences.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from dejavu.model.late_pattern import late_pattern

from ..terms import jaccard, listed, stems, stop_stems, trigrams
from .quantities import of_one_kind, quantities
from .similarity import CHANGED, NEGATIONS, features, with_names

_ANTONYMS = (
    "enable disable", "enabled disabled", "always never", "allow forbid", "allowed forbidden",
    "on off", "light dark", "before after", "sync async", "synchronous asynchronous", "true false",
    "public private", "required optional", "mandatory optional", "include exclude", "accept reject",
    "must mustnt", "add remove", "keep delete", "with without", "like dislike", "love hate",
    "prefer avoid", "use avoid", "safe unsafe", "strict lenient", "local remote", "first last",
    "manual automatic", "manually automatically", "ascending descending", "open closed",
    "tabs spaces", "tab space", "supported unsupported", "pinned floating", "single double",
    "merge rebase", "squash merge",
)  # fmt: skip
_FOR_WHOM = frozenset(listed("for when if during while whenever"))
_PREPOSITIONS = frozenset(listed("in on at to with by via from through under over into as using"))
_INNER = _PREPOSITIONS | _FOR_WHOM | frozenset(listed("before after per until between"))
_PARTICLES = frozenset(listed("out up off down back"))
_COUNTED = frozenset(stems("number step part phase item chapter issue ticket task option case"))
_COPULA = frozenset(listed("is are was were be"))
STATE = frozenset(
    stems(
        "live run listen deploy store keep write go set be configure host locate happen start "
        "end build name call expire use prefer like want need require default point belong "
        "stay sit serve save put log send release ship publish meet cost last take limit "
        "format indent style land work report depend written kept sent built held limited "
        "hashed formatted"
    )
)
"""The stems of verbs that say how things are: the value follows."""
_LATE_VERBS = frozenset(stems("use need run require prefer like own"))
_GENERIC = frozenset(
    stems(
        "use using used go get have make do put set want prefer like need please always "
        "should must remember note team project code user users everything every each one "
        "thing"
    )
)
_ADVERBS = frozenset(stems("always never please also only usually often must should"))
_PREFERENCE = frozenset(stems("prefer like want favour favourite default"))
_SYNONYMS = tuple(
    frozenset(stems(group))
    for group in (
        "use run choose pick employ rely",
        "keep store save hold put",
        "test tests testing suite",
        "deploy release ship publish rollout",
        "db database",
        "repo repository",
        "config configuration settings",
        "dir directory folder",
        "fix repair mend resolve",
        "error failure exception",
        "start begin launch",
        "end finish stop",
        "prefer like favour want",
        "live reside sit stay",
        "write author",
        "check verify validate inspect",
        "big large huge",
        "fast quick",
        "docs documentation",
        "delete remove drop",
        "make create build",
        "must should have need",
        "every each all",
        "env environment",
        "auth authentication",
        "dev development",
        "prod production",
        "function method routine",
        "message text",
        "review look",
        "happen occur go",
        "always every",
        "developer engineer person",
        "commit change",
        "merge land",
        "mandatory required",
    )
)
_NO_GROUP: frozenset[int] = frozenset()
_GROUPS: dict[str, frozenset[int]] = {
    stem: frozenset(number for number, other in enumerate(_SYNONYMS) if stem in other)
    for group in _SYNONYMS
    for stem in group
}
_LEAD = late_pattern(
    r"^\W*(?:(?:ok|okay|so|noted|note|decision|actually|updated?|changed|correction|right|done)\b[\s:,.!-]*|"
    r"(?:we|i)(?:['’]ve| have)? (?:decided|agreed|settled|chose)(?: that| to| on)?\b[\s:,]*|"
    r"let['’]?s\b\s*)+",
    re.IGNORECASE,
)
_VALUE = 4  # words that a value may have
_LOOKED_AT = 600  # characters of a text: a memory is a sentence or two
_WORD = re.compile(r"[\w./:@~'’+#-]*\w|[+#]", re.UNICODE)


class Verdict(NamedTuple):
    """Whether it is a contradiction, and the sign that was believed."""

    contradicts: bool
    reason: str = ""


_NONE = Verdict(False)


def contradiction(old: str, new: str) -> Verdict:
    """Whether `new` cannot hold together with `old`."""
    left, a, _ = _read(old)
    right, b, keys = _read(new)
    if not a or not b:
        return _NONE
    old_stems, new_stems = set(a), set(b)
    shared = old_stems & new_stems
    near = (x for x in old_stems - new_stems if not _keys(x).isdisjoint(keys))
    shared |= {x for x in near if any(same_thing(x, y) for y in new_stems)}
    share = len(shared) / min(len(old_stems), len(new_stems))
    telling = shared - _GENERIC
    if telling and share >= 0.25 and CHANGED.search(new) and not CHANGED.search(old):
        only_new = [
            y for y in new_stems - old_stems if not any(same_thing(x, y) for x in old_stems)
        ]
        named = _replaced_names(new)
        if named & set(a) or (share >= 0.5 and only_new) or features(new).negations:
            return Verdict(True, "changed")
    if telling and share >= 0.6 and _opposed(left, right):
        return Verdict(True, "denied")
    if (telling or shared & _PREFERENCE) and _other_value(left, right):
        return Verdict(True, "another value")
    return _NONE


@lru_cache(maxsize=4_096)
def _read(text: str) -> tuple[list[str], list[str], frozenset[int | str]]:
    """The words of a text without its lead-in, the stems that carry something, their keys."""
    words = words_of(with_names(_LEAD.sub("", text[:_LOOKED_AT])))
    carried = _carried(words)
    return words, carried, frozenset(key for stem in carried for key in _keys(stem))


@lru_cache(maxsize=20_000)
def _keys(stem: str) -> frozenset[int | str]:
    """What two stems must share to name one thing: a group of synonyms, or a beginning."""
    return frozenset((*_GROUPS.get(stem, ()), stem[:5]))


def words_of(text: str) -> list[str]:
    """The words of a text, lower case, with `not` spelled out."""
    spelled = re.sub(r"n['’]t\b", " not", text)
    return [
        word.strip(".,:;'’").casefold() for word in _WORD.findall(spelled) if word.strip(".,:;'’")
    ]


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    made = stems(word)
    return made[0] if len(made) == 1 else word


def _carried(words: list[str]) -> list[str]:
    stop = stop_stems()
    return [stem for word in words if (stem := _stem(word)) not in stop and word not in NEGATIONS]


@lru_cache(maxsize=100_000)
def same_thing(first: str, second: str) -> bool:
    """Whether two stems name one thing: equal, synonyms, or one word in two forms."""
    if first == second or not _GROUPS.get(first, _NO_GROUP).isdisjoint(
        _GROUPS.get(second, _NO_GROUP)
    ):
        return True
    if min(len(first), len(second)) < 4 or len(second) < 5 or not first.startswith(second[:5]):
        return False
    if any(character.isdigit() for character in first + second):
        return False
    return jaccard(trigrams(first), trigrams(second)) >= 0.4


def _replaced_names(new: str) -> set[str]:
    """What a sentence on a change says was there before: `from X`, `instead of X`."""
    phrases = re.findall(
        r"(?:instead of|rather than|in place of|from|replac\w+|no longer (?:use|using|on|in)?"
        r"|dropped|stopped using)\s+"
        r"((?:[\w./:@-]+\s*){1,3})",
        new,
        re.IGNORECASE,
    )
    return {stem for phrase in phrases for stem in _carried(words_of(phrase))}


def _opposed(left: list[str], right: list[str]) -> bool:
    """Whether one denies the other, over words that are otherwise shared."""
    first, second = set(left), set(right)
    if tells_apart(left, right) and tells_apart(right, left):
        return False  # each has a subject that the other does not have
    for pair in _ANTONYMS:
        a, b = pair.split()
        if (a in first - second and b in second - first) or (
            b in first - second and a in second - first
        ):
            return True
    negated = [word in NEGATIONS for word in left], [word in NEGATIONS for word in right]
    return any(negated[0]) != any(negated[1])


def tells_apart(one: list[str], other: list[str]) -> bool:
    """Whether a sentence has a word that tells and is in no form in the other, opposites aside."""
    opposites = {word for pair in _ANTONYMS for word in pair.split()}
    theirs = [_stem(word) for word in other]
    return any(
        not any(same_thing(_stem(word), y) for y in theirs)
        for word in one
        if word not in opposites and word not in NEGATIONS and _tells([_stem(word)])
    )


def _other_value(left: list[str], right: list[str]) -> bool:
    """Whether the two are one sentence with another value in one place."""
    from difflib import SequenceMatcher  # here, since every recall loads this module

    keep = [
        [w for w in words if w not in ("the", "a", "an", "our", "we", "i", "my", "to be")]
        for words in (left, right)
    ]
    a, b = ([_stem(word) for word in words] for words in keep)
    if max(_tells(list(set(a) - set(b))), _tells(list(set(b) - set(a)))) > _VALUE:
        return False
    blocks = [
        op for op in SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if op[0] != "equal"
    ]
    telling = [op for op in blocks if _tells(a[op[1] : op[2]]) or _tells(b[op[3] : op[4]])]
    if len(telling) != 1:
        return False
    _, start, stop, begin, end = telling[0]
    gone, came = a[start:stop], b[begin:end]
    if not (_tells(gone) and _tells(came)):
        return False  # only more is said, or less
    equal = _tells(a[:start]) + _tells(a[stop:])
    if equal < 1 or len(gone) > _VALUE or len(came) > _VALUE:
        return False
    if all(any(same_thing(x, y) for y in came) for x in gone if _tells([x])):
        return False  # the same thing in other words
    before = a[:start]
    if not before or set(before) <= _ADVERBS:
        return False  # another subject, or another thing to do ("always sign", "always squash")
    if not _tells(before) and not (set(before) & STATE):
        return False
    if not _is_value(before, gone, came, a[stop:]):
        return False
    counted = quantities(left), quantities(right)
    return not all(counted) or any(of_one_kind(x, y) for x in counted[0] for y in counted[1])


def _is_value(before: list[str], gone: list[str], came: list[str], after: list[str]) -> bool:
    """Whether what differs is what is said of the subject, not for whom or where it holds."""
    if set(after) & (_COPULA | _LATE_VERBS):
        return False  # the verb comes later: it is the subject that differs
    lead = before[-1]
    leads = {gone[0], came[0]} & (_PREPOSITIONS | _FOR_WHOM)
    if leads and not (gone[0] == came[0] or {gone[0], came[0]} <= _PREPOSITIONS):
        return False
    if lead in _COUNTED:
        return False  # one of several things of a kind
    if any(set(words[1:]) & _INNER for words in (gone, came)):
        return False  # another predicate, not another value
    numbers = [any(c.isdigit() for word in words for c in word) for words in (gone, came)]
    if all(numbers):
        return True
    if lead in _FOR_WHOM or leads & _FOR_WHOM:
        return False
    if any(numbers) and max(len(gone), len(came)) > 1 and lead in _COPULA:
        return False
    if max(_tells(gone), _tells(came)) > 2 and lead not in STATE | _COPULA | _PREPOSITIONS:
        return False
    if lead in _PREPOSITIONS or leads:
        rest = [
            w for w in (before[:-1] if lead in _PREPOSITIONS else before) if w not in _PARTICLES
        ]
        return bool(rest) and (rest[-1] in STATE or rest[-1] in _COPULA)
    return bool(set(before) & (STATE | _COPULA)) or bool(after)


def _tells(words: list[str]) -> int:
    """How many of the stems carry something."""
    stop = stop_stems()
    return sum(word not in stop or word in NEGATIONS for word in words)
