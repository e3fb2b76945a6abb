"""The words that were meant, where a server searches: it has no list of words to compare with.

Of a word that no turn found holds, words that begin so are looked for, then all that are one mistake away:
a letter too many, too few, another, or swapped with its neighbour. Ends of long words may differ in more.
Short words, and any with a digit, are never taken for mistyped ones.

Costs one round trip for each such word, some hundred look-ups in each month's index there.
Tested in: tests/extensions/teams/test_postgres_far.py
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from dejavu.model.edit_distance import distance

from .corrections import may_be_mistyped, most_mistakes
from .query import Query, Word, tokens

Ask = Callable[[str], Sequence[str]]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def respelled(query: Query, found: Sequence[str], ask: Ask) -> tuple[Query, list[str]]:
    """Return the query with the words that were meant, and a sentence for each that was replaced.

    found: the texts that the query as it is found. ask: the newest texts that answer a tsquery.
    """
    known = {token for text in found for token in tokens(text)}
    words, notes = list[Word](), list[str]()
    for word in query.words:
        for place, token in enumerate(word.tokens if not (word.negative or word.prefix) else ()):
            if token in known or not (token.isascii() and may_be_mistyped(token)):
                continue
            meant = _meant(token, ask)
            single = len(word.tokens) == 1 and not word.phrase
            if meant and not meant.startswith(token):
                changed = (*word.tokens[:place], meant, *word.tokens[place + 1 :])
                word = replace(word, tokens=changed)
                notes.append(f"no turn has {token!r}: searched for {meant!r}")
            elif meant and single:
                word = replace(word, prefix=True)
                notes.append(f"no turn has {token!r}: searched for words that start with it")
        words.append(word)
    return (replace(query, words=words), notes) if notes else (query, [])


def _meant(token: str, ask: Ask) -> str:
    """A word that begins with the one asked for, else the nearest; empty where it is known, or none is near."""
    terms = [f"'{token}':*", *(f"'{other}'" for other in sorted(set(_one_away(token))) if other)]
    most = most_mistakes(token)
    if most > 1:
        terms.append(f"'{token[:-3]}':*")
    near = Counter(other for text in ask(" | ".join(terms)) for other in set(tokens(text)))
    if token in near:
        return ""
    begun = next((other for other in sorted(near) if other.startswith(token)), "")
    apart = {
        other: distance(token, other)
        for other in near
        if not begun and abs(len(other) - len(token)) <= most and other.isalpha()
    }
    return begun or min(
        (other for other in apart if apart[other] <= most),
        key=lambda other: (apart[other], -near[other], other), default="",
    )  # fmt: skip


def _one_away(token: str) -> Iterator[str]:
    """Every word that is one mistake away."""
    for place in range(len(token) + 1):
        head, tail = token[:place], token[place:]
        yield from (f"{head}{letter}{tail}" for letter in _LETTERS)
        if tail:
            yield head + tail[1:]
            yield from (f"{head}{letter}{tail[1:]}" for letter in _LETTERS)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
