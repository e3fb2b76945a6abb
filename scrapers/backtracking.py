"""How long a text may be for a regular expression to be done with it at once, whatever it says.

A bound from the source alone: with `k` repetitions, whose lengths add up to `n` characters at most,
and `m` choices a match at one place tries about `n**k / k! * 2**m` ways, as long as no group is
repeated. Running `regex` under
a time limit costs a system call, several times what a short row takes. Cost: O(source), once a pattern.
"""

import math
import re

# Ways that take some ten milliseconds at most, far less than the time limit.
_WAYS = 1 << 20
# The pieces of a source: an escape, a set, a repetition with what makes it lazy or possessive, the
# opening of a group (which may be named, or look around), and single characters.
_PIECE = re.compile(
    r"\\(?:[pPN]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^\d\sgpPNRXLKGkux])"
    r"|\[\^?\]?(?:[^\]\[\\&|~-]|\\.|-(?!-)|\|(?!\|)|&(?!&)|~(?!~))*\]"
    r"|(?P<repeat>[*+]|\{\d+(?:,\d*)?\})[?+]?|(?P<choice>\?[?+]?|\|)"
    r"|\((?:(?!\?)|\?(?:P?<[A-Za-z_]\w*>|<?[=!]|[a-z]*:|>|[aimsu]+\)))|(?P<close>\))|[^\\\[\]{}*+?|()]"
)
_LEADING = re.compile(r"\^\\s\*(?=[^\s\\\[\]{}*+?|().$^](?![*+?{]))")
_REPEATED = re.compile(r"[*+{]")
_COUNTED = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
# Choices up to which `{a,b}` counts as so many of them, not as a repetition.
_FEW = 4


def safe_length(source: str, *, places: bool = False) -> int:
    """Return the number of characters up to which a text needs no time limit; -1: always needs one.

    `places`: for a search, which tries every place of the text.
    """
    repetitions, choices, index = int(places), 0, 0
    if not places and (leading := _LEADING.match(source)):
        index = leading.end()  # tried once, and no shorter one is followed by what has to follow
    while index < len(source):
        piece = _PIECE.match(source, index)
        if piece is None:
            return -1
        index = piece.end()
        if piece["close"] and _REPEATED.match(source, index):
            return -1
        if piece["choice"]:
            choices += 1
        elif piece["repeat"]:
            counted = _COUNTED.fullmatch(piece["repeat"])
            if counted is None or (counted[2] and not counted[3]):
                repetitions += 1
            elif counted[2]:
                more = int(counted[3]) - int(counted[1])
                repetitions, choices = (
                    (repetitions, choices + more) if more <= _FEW else (repetitions + 1, choices)
                )
    ways = _WAYS >> min(choices, 30)
    return int((ways * math.factorial(repetitions)) ** (1 / max(repetitions, 1)))
