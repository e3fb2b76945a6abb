"""Rule packs as a release of the agent makes them: its words are others, or its signs are.

Patterns alone are changed, so structure (where a block ends, how far it may reach) stays.
"""

import re
from collections.abc import Callable

from dejavu.scrapers.packs import built_in_texts
from dejavu.scrapers.rule_candidates import is_signs

_LINE = re.compile(r"(?m)^(?:first|last|inner|has|any|all|not|lacks|next) = .*$")
_PATTERN = re.compile(r"'([^'\n]*)'")
# What of a pattern is no word of the agent's: escapes, groups' names and flags, classes.
_SYNTAX = re.compile(
    r"\\[pP]\{\w+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|\(\?P<\w+>|\(\?[a-z]+[:)]"
    r"|\[(?:\\.|[^\]\\])*\]|\{[\d,]+\}"
)
_WORD = re.compile(r"[A-Za-z]{2,}")
_SIGN = re.compile(r"[^\x00-\x7f\u2500-\u257f]")


def without_words(text: str) -> str:
    """A pack (TOML) whose words stand on no screen any more."""

    def blind(pattern: str) -> str:
        parts: list[str] = []
        last = 0
        for match in _SYNTAX.finditer(pattern):
            parts += [_WORD.sub("(?!)", pattern[last : match.start()]), match.group()]
            last = match.end()
        return "".join([*parts, _WORD.sub("(?!)", pattern[last:])])

    return _edited(text, blind)


def other_signs(text: str) -> str:
    """A pack whose signs (pointers, bullets, spinners) stand on no screen any more."""
    signs = sorted(set(_SIGN.findall(text)))
    others = {sign: chr(0x1D800 + number) for number, sign in enumerate(signs)}

    def change(pattern: str) -> str:
        def of_class(match: re.Match[str]) -> str:
            atom = match.group()
            if atom.startswith("[^") or not is_signs(atom):
                return atom
            return "[\U0001d9ff]"

        pattern = re.sub(r"\[(?:\\.|[^\]\\])*\]", of_class, pattern)
        return "".join(others.get(character, character) for character in pattern)

    return _edited(text, change)


def stale(change: str) -> dict[str, str]:
    """The built-in packs, changed: `words`, `signs` or `both`."""
    edits = {
        "words": (without_words,),
        "signs": (other_signs,),
        "both": (without_words, other_signs),
    }
    result = built_in_texts().copy()
    for file, text in result.items():
        for edit in edits[change]:
            text = edit(text)
        result[file] = text
    return result


def _edited(text: str, edit: Callable[[str], str]) -> str:
    """Return a pack with every pattern edited."""

    def of_line(match: re.Match[str]) -> str:
        return _PATTERN.sub(lambda found: f"'{edit(found.group(1))}'", match.group())

    return _LINE.sub(of_line, text)
