"""Terms: what texts are compared by: stems, trigrams, names, and the words that carry nothing.

Stems come from tantivy's English stemmer, so memories and the index agree on what one word is.
`entities` are the names a prompt uses for things: identifiers, paths, quoted and backticked terms,
lower-cased, each once, in the order met. Only shapes that prose does not have are believed, so that
a capitalised word is no entity. Does no I/O. Costs O(text).
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from typing import TypeVar

import tantivy

from dejavu.model.blake2 import blake2b
from dejavu.model.edit_distance import distance
from dejavu.model.json_values import strings_in
from dejavu.model.late_pattern import split_case


def listed(words: str) -> list[str]:
    """The words of a list that is written as one text."""
    return words.split()


_STOP = (
    "ok okay yes yeah sure thanks s t d m ll re ve "
    "another whether something anything everything much many still yet else upon across "
    "a about above after again all also am an and any are as at be because been before "
    "being below between both but by can could did do does doing down during each few for "
    "from further had has have having he her here hers him his how i if in into is it its "
    "itself just let me more most my no nor not now of off on once only or other our ours "
    "out over own please same she should so some such than that the their theirs them "
    "then there these they this those through to too under until up us very was we were "
    "what when where which while who whom why will with would you your yours"
)
STOP = frozenset(_STOP.split())
T = TypeVar("T")
STEMS = "stems"
"""The name of the index's tokeniser."""
_BETWEEN = re.compile(r"[\W_]+")


@cache
def analyzer() -> tantivy.TextAnalyzer:
    """Words, lower-cased and stemmed, as every question has them."""
    return _lowered().filter(tantivy.Filter.stemmer("english")).build()


@cache
def index_analyzer() -> tantivy.TextAnalyzer:
    """The same without the words that carry nothing: no question asks for them in the index."""
    carrying = _lowered().filter(tantivy.Filter.custom_stopword(sorted(STOP)))
    return carrying.filter(tantivy.Filter.stemmer("english")).build()


def _lowered() -> tantivy.TextAnalyzerBuilder:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    return builder.filter(tantivy.Filter.remove_long(64)).filter(tantivy.Filter.lowercase())


def stems(text: str) -> list[str]:
    """The stems of every word of `text`, in order; identifiers are cut at their seams."""
    return analyzer().analyze(seams(text))


def seams(text: str) -> str:
    """`text` with a space at every seam the analyser does not see, and no lone surrogate."""
    spaced = split_case(text)
    return spaced if spaced.isascii() else encodable(spaced)


def encodable(text: str) -> str:
    """`text` without a lone surrogate, which tantivy does not take."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


@cache
def stop_stems() -> frozenset[str]:
    """The stems of the words that carry nothing."""
    return frozenset(stems(" ".join(STOP)))


def content_stems(text: str) -> list[str]:
    """The stems of the words that carry something, in order."""
    carried_not = stop_stems()
    return [stem for stem in stems(text) if stem not in carried_not]


def trigrams(word: str) -> frozenset[str]:
    """The trigrams of a word, its ends marked, as pg_trgm has them."""
    padded = f"  {word} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def jaccard(first: frozenset[T], second: frozenset[T]) -> float:
    """The Jaccard similarity of two sets, 0 to 1."""
    if not first or not second:
        return 0.0
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)


def normalise(text: str) -> str:
    """`text` without case, punctuation and spacing: equal for what only looks different."""
    return " ".join(_BETWEEN.sub(" ", text.casefold()).split())


def pairs(words: Iterable[str]) -> list[tuple[str, str]]:
    """Each word with the one after it; the first and the last have an edge next to them."""
    return list(pairwise(["", *words, ""]))


@lru_cache(maxsize=50_000)
def misspelt(word: str, indexed: str) -> bool:
    """Whether two stems may be one word, of which one is misspelt."""
    if (
        word[0] != indexed[0]
        or abs(len(word) - len(indexed)) > 4
        or min(len(word), len(indexed)) < 5
    ):
        return False
    if word[:5] == indexed[:5]:
        return min(len(word), len(indexed)) >= 0.65 * max(len(word), len(indexed))
    return distance(word, indexed) <= (1 if len(word) < 8 else 2)


_LONGEST = 80
_REMEMBERED = 100_000  # words known to be no name, some 6 MB
_QUOTED = re.compile(r"`([^`\n]{2,80})`|[\"“]([^\"”\n]{2,60})[\"”]")
# What tells a word that may be a name from prose, at a glance: most words are prose.
_ODD = re.compile(r"[_/#]|\w[.:]+\w|--[a-z]|[a-z0-9][A-Z]|[A-Z]{2}|[A-Z][-_]?\d\d")
_WORDS = (
    r"(?P<snake>[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)"
    r"|(?P<camel>[A-Z]?[a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z]{2,}[a-z]+(?:[A-Z]\w*)?)"
    r"|(?P<flag>(?<![\w-])--[a-z][a-z0-9-]+)"
    r"|(?P<code>\b[A-Z]{1,6}[-_]?\d{2,6}\b|\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b|#\d{2,7}\b)"
)
_NAME = re.compile(
    r"(?P<path>(?:[\w.@~-]+)?(?:/[\w.@-]+)+/?|[\w-]+\.(?:py|js|ts|tsx|jsx|rs|go|java|c|h|cc|cpp|"
    r"rb|php|sh|sql|toml|yaml|yml|json|md|html|css|lock|cfg|ini|txt|proto|swift|kt|scala|ex))\b"
    r"|(?P<dotted>[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+|[A-Za-z_]\w+::\w+(?:::\w+)*)"
    r"|" + _WORDS
)
_PLAIN = re.compile(_WORDS)  # five times as fast, for what has no dot, slash or colon in it
_JOINT = re.compile(r"/|\w[.:]+\w")
_EDGE = ".,:;()[]{}<>'\"!?"
_plain_words: set[str] = set()
_PATH = re.compile(r"[^\s\"'`<>|]*[\w.-]/[^\s\"'`<>|]*|[\w-]+\.[A-Za-z]\w{0,5}")


def entities(text: str, most: int = 64) -> list[str]:
    """The names in `text`, at most so many; a path also under its last part."""
    names_found: dict[str, None] = {}
    if "`" in text or '"' in text or "“" in text:
        names_found.update(
            dict.fromkeys(filter(None, (_kept(one or two) for one, two in _QUOTED.findall(text))))
        )
    for word in dict.fromkeys(text.split()):
        if word in _plain_words:  # most are, and come again and again
            continue
        if not _ODD.search(word):
            _remember(word)
            continue
        names_found.update(_names(word) if len(word) <= _LONGEST else _names.__wrapped__(word))
        if len(names_found) >= most:
            break
    return list(names_found)[:most]


def as_written(name: str, text: str) -> str:
    """A name of `entities` as `text` has it, with its capitals."""
    start = text.lower().find(name)
    return name if start < 0 else text[start : start + len(name)]


def _remember(plain_word: str) -> None:
    if len(plain_word) <= _LONGEST:
        if len(_plain_words) >= _REMEMBERED:
            _plain_words.clear()
        _plain_words.add(plain_word)


@lru_cache(maxsize=65_536)
def _names(word: str) -> dict[str, None]:
    """The names in one word, by their shape; the last part of a longer one is a name, too."""
    result: dict[str, None] = {}
    pattern = _NAME if _JOINT.search(word) else _PLAIN
    for match in pattern.finditer(word):
        name = _kept(match[0])
        candidates = [name]
        if match.lastgroup == "path" and "/" in name.strip("/"):
            candidates.append(_kept(name.rstrip("/").rsplit("/", 1)[1]))
        if match.lastgroup == "dotted" and "::" not in name:
            candidates.append(_kept(match[0].strip(_EDGE).removesuffix("()").rsplit(".", 1)[-1]))
        result.update(dict.fromkeys(filter(None, candidates)))
    return result


def _kept(text: str) -> str:
    """A name as it is kept; empty where it is too short or too long for one."""
    name = text.strip(_EDGE).strip().lower()
    return name.removesuffix("()") if 2 <= len(name) <= _LONGEST else ""


def files(arguments: object) -> list[str]:
    """What looks like the path of a file in the arguments of a tool."""
    return [leaf for leaf in strings_in(arguments) if len(leaf) < 300 and _PATH.fullmatch(leaf)]


# It begins at a word's beginning and never goes back in it, so that the cost is linear in the text.
_FOLDERS = re.compile(r"(?<![\w.@~-])[\w.@~-]*+(?:/[\w.@-]++)+/?")


def without_folders(text: str) -> str:
    """`text` with each path as one word and its last part, so that its folders are no words.

    `src/broker/client.rs` says nothing of brokers.
    """
    if "/" not in text:
        return text
    lines = text.split("\n")  # few have a slash, and the others cost nothing
    return "\n".join(_FOLDERS.sub(_shortened, line) if "/" in line else line for line in lines)


def _shortened(match: re.Match[str]) -> str:
    """A path as one word for the whole and its last part; two words with a slash stay two."""
    path = match[0]
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2 or (len(parts) == 2 and "." not in parts[1] and path[0] != "/"):
        return path
    return f"{parts[-1]} p{blake2b(path.lower().encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


@lru_cache(maxsize=8_192)
def path_suffixes(path: str) -> tuple[str, ...]:
    """A path as the names it may be called by: its ends, and the folders it is in."""
    parts = [part for part in path.lower().split("/") if part not in ("", ".", "..")]
    ends = ["/".join(parts[start:]) for start in range(max(0, len(parts) - 4), len(parts))]
    within = parts if path.endswith("/") else parts[:-1]
    folders = [part + "/" for part in within[-3:]]
    return tuple(dict.fromkeys([*ends, *folders]))
