"""Where a program itself leaves something out: chopped words, hidden middles, cut edges, missing rows.

The mark is the evidence: what is next to it is a piece of something, and is judged as one. Words,
names and paths are none. Whether a piece of a secret is left there is not judged here
(`cut_runs.py`). No I/O. Cost: linear in the rows.

Tested in: tests/redact/test_cut_runs.py
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from .cut_values import has_secret_name, is_harmless, is_id, is_named_path, looks_random_enough
from .random_runs import (
    has_odd_letter_pairs,
    has_random_piece,
    is_file_name,
    is_hexadecimal,
    is_numbered_words,
    is_words,
)

__all__ = [
    "is_chopped",
    "program_cuts",
    "unpaired",
]

_PART = r"""[^\s"'`|│┃<>(){}\[\]*•●∙█▓▒░…⋯·‥‹›\x1f\U000f0000-\U0010ffff]"""
# What a program puts in place of what it hides on purpose, and of what has no room.
_HIDDEN = (
    r"\*{2,}|[•●∙]{2,}|[█▓▒░]{2,}|(?:(?<=[^Xx])|^)(?:x{4,}|X{4,})|#{3,}"
    r"|[\[(<](?:(?:is |was )?(?:hidden|masked|redacted|removed|secret|sensitive|filtered|censored|private"
    r"|elided|obfuscated|snip|snipped|concealed)"
    r"|HIDDEN|MASKED|REDACTED|REMOVED|SECRET|FILTERED|SNIP)[\])>]"
)
_LEFT, _RIGHT = r"[\[({<⟨⟪【«‹]", r"[\])}>⟩⟫】»›]"
_OMITTED = (
    r"(?:trunc|trim|cut|clip|snip|omit|abbrev|abridg|shorten|elid|ellip|skip|drop|strip|collaps|withheld|more"
    r"|rest)[a-z]*"
)
_SAID = (
    rf" ?{_LEFT}(?:\.{{2,}}|…)? ?(?:(?i:{_OMITTED})(?: [a-z]+){{0,2}}|(?:\.{{2,}}|…) ?[a-z][a-z ]{{2,40}}"
    r"|\+? ?[0-9]+ (?:more|char|byte|letter|symbol)[a-z]*(?: [a-z]+)?"
    rf") ?(?:\.{{2,}}|…)?{_RIGHT}"
    rf"|(?<=[^\s>]){_LEFT}\+ ?[0-9]{{1,6}}(?: ?[a-z]+)?{_RIGHT}…?"
    r"|(?<=[A-Za-z0-9])!(?i:trunc[a-z]*|cut)\b"
    rf"|(?<=[\U000f0000-\U0010ffff]) (?:more|char|byte|letter|symbol)[a-z]*(?: [a-z]+)?{_RIGHT}"
    # Between two strings or in one: `" ⋯ 23 bytes ⋯ "`.
    r"|[\"'`]? ?(?:\.{2,}|[…⋯]) ?\+? ?[0-9]{1,7} ?(?:more|char|byte|letter|symbol|code)[a-z]*(?: [a-z]+)?"
    r" ?(?:\.{2,}|[…⋯])? ?[\"'`]?"
)
# A sign that is repeated between two runs, with a pair of scissors in it or not.
_FILLED = (
    r"(?<=[A-Za-z0-9])(?P<fill>[-_=%?+~^@&!/])(?P=fill){3,}"
    r"(?:[^\sA-Za-z0-9]{0,3}[0-9xX]?[^\sA-Za-z0-9]{1,8})?(?=[A-Za-z0-9])"
)
_SHORTENED = (
    r"(?<=[A-Za-z0-9_-]{5})~(?=[A-Za-z0-9_-]{5})"
    r"|[\"'`](?:\.{3}|…|\+[0-9]{1,6}(?![0-9]))"
    r"|[\[{(]?(?:\.{2,}(?!/)|…|⋯)[\]})]?|⟨…⟩|[·‥]{1,4}"
)
_MARK = re.compile(
    rf"(?P<said>{_SAID})|(?P<hidden>{_HIDDEN}|{_FILLED})|(?P<shortened>{_SHORTENED})"
)
_BEFORE = re.compile(rf"{_PART}{{1,256}}\Z")
_AFTER = re.compile(rf"{_PART}{{1,256}}")
_RIGHT_EDGE = re.compile(
    rf"(?P<run>{_PART}{{4,}}?)(?:[>$›»~+\\‥→▶⇒]{{1,3}}|[^\x00-\x7f\w\s│┃])?"
    r"(?P<words> ?[(\[](?:truncated|cut(?: off)?|more|snipped|clipped)[)\]])?\s*$"
)
_CHOPPED = re.compile(
    r"(?:[>$›»~‥→▶⇒]|[\u2190-\u21ff\u25a0-\u25ff\u2794-\u27bf\u2800-\u28ff\u2900-\u297f]"
    r"| ?[(\[][a-z ]+[)\]])\s*$"
)
_INNER_EDGE = re.compile(rf"(?:^|(?<=\s))(?P<run>(?:(?![«‹]){_PART}){{4,}})[›»→▶⇒](?=\s)")
_LEFT_EDGE = re.compile(
    r"(?:^|(?<=\s))(?!<[^<>\s]*[@>]|(?<=\S )[<$~]|«[^«]*»|‹[^‹]*›)(?:[<$‹«~‥←◀]|(?<![^\n])[<‹] )"
    rf"(?P<run>{_PART}{{4,}})"
)
_NAMED_END = re.compile(
    r"\b(?:(?:ends|ending|end|starts|starting|begins|beginning)(?: (?:with|in|on))?|suffix|tail"
    rf"|last(?: \w+){{0,3}}|first(?: \w+){{1,3}})[:=]?\s{{0,2}}[\"'`(…]{{0,3}}(?P<run>{_PART}{{5,}})",
    re.IGNORECASE,
)
_ELLIPSIS = r"(?:\.{2,}|[…⋯‥]+|·{2,})"
_APART_LEFT = re.compile(rf"(?:^|(?<=\s))[^\w\s]?{_ELLIPSIS}[^\w\s]? (?P<run>{_PART}{{4,}})")
_APART_RIGHT = re.compile(rf"(?P<run>{_PART}{{4,}}) [^\w\s]?{_ELLIPSIS}[^\w\s]?\s*$")
_IN_BRACKETS = re.compile(rf"\s*[<‹«](?P<run>{_PART}{{8,}})[>›»]\s*$")
# What is looked for first, since hardly a row has it.
_SIGNS_OF_MARKS = re.compile(
    r"[\U000f0000-\U0010ffff] [mcbls]"
    r"|[•●∙█▓▒░…⋯⟨⟪【·‥]|[A-Za-z0-9](?:([-_=%?+~^@&!/])\1{3}|!(?i:trunc|cut))|[A-Za-z0-9_-]~[A-Za-z0-9_-]|['\"`]\+[0-9]"
    r"|[.*#xX](?:(?<=\.)\.|(?<=\*)\*|(?<=#)##|(?<=x)xxx|(?<=X)XXX)"
)
_BRACKET = re.compile(
    r"[\[({<](?:[.+0-9 …]|(?i:hi|ma|re|se|fi|ce|pr|el|ob|sn|co|is|wa|tr|cu|cl|om|ab|sh|mo|sk|dr|st|wi))"
)
_WORDS_OF_ENDS = ("end", "start", "begin", "suffix", "tail", "last", "first")
_OPENING = "<$‹«~‥←◀…"
_CLOSING = ">›»$~‥→▶⇒"
_BRACKETS = {">": "<", "»": "«", "›": "‹"}
_OPENS = re.compile(f"[{_OPENING}]")
_EDGES = ">$~+\\)]"
_ODD_SIGN = re.compile(r"(?<=[\w?@~}|`])[`|{}](?=[\w?@~{|`])")
_MOST_DOTS = 3  # of a token and the sentence around it; the characters of a dump have more
_NEAR = 64  # characters of a word that are looked at on either side of a mark
_LONG_WORD = 8  # letters that may be a piece of a secret
_LONG_ID, _DIGEST = (
    20,
    8,
)  # characters in hexadecimal that are no id; a digest has a multiple of these
_NAME = re.compile(r"^.*[=:,;](?=.{4,}$)")
_SHORTEST = 5
_MANY_DIGITS = 6
_SIGNS = re.compile("[=:,;&@?]+")
_OPEN = re.compile(r"(?!~/|<[A-Za-z][\w-]* [\w:@-]+=)[<$‹«~‥←◀…](?=[^\s<>])")
_CLOSED = re.compile(r"(?<=[^\s<>-])(?:[>›»~‥→▶⇒]|(?<![)\]}*+?/])\$)$")
_TAG = re.compile(
    r"<[^<>\s@]{1,200}@[A-Za-z0-9.-]*>?|</?[A-Za-z][A-Za-z:.-]*(?:\s+(?:[\w:@.-]+=(?:\"[^\"]*\"|'[^']*'|[^\s<>]*)|[A-Za-z][\w:@.-]*))*\s*/?>"
)


_PAIR = re.compile(r"<([^<>]{6,200})>")
_IN_PAIR = re.compile(r"[^\s()\[\]{}'\"]{6,}")
_OPEN_PAIR = re.compile(r"<([^\s<>]{1,128})\s*\Z")
_PAIR_ABOVE = re.compile(r"([^\w<>]{0,16}?)([^\s<>]{1,128})>")


def unpaired(rows: Sequence[str]) -> list[str]:
    """Return rows in which brackets around an id or words are round ones: they are no marks of a cut.

    A bracket that a row opens may be closed by the next one.
    """
    found = [_PAIR.sub(_rounded, row) if "<" in row else row for row in rows]
    for number, (above, below) in enumerate(pairwise(found)):
        opened = _OPEN_PAIR.search(above) if "<" in above else None
        closed = _PAIR_ABOVE.match(below) if opened is not None else None
        if opened is not None and closed is not None and is_id(opened[1] + closed[2]):
            at = opened.start()
            found[number] = f"{above[:at]}({above[at + 1 :]}"
            found[number + 1] = f"{below[: closed.end() - 1]}){below[closed.end() :]}"
    return found


def _rounded(pair: re.Match[str]) -> str:
    runs = _IN_PAIR.findall(pair[1])
    if not runs or not all(is_id(run.strip("#@,;=")) or is_numbered_words(run) for run in runs):
        return pair[0]
    return f"({pair[1]})" if any(map(str.isdigit, pair[1])) else pair[0]


def program_cuts(
    row: str, begins: Callable[[str], bool], *, is_open: bool = True
) -> Iterator[tuple[int, int]]:
    """Yield where in a row pieces of a secret stand next to a mark of a cut.

    `begins`: whether a run begins as a known kind of secret does; is_open: whether a bracket that closes at
    the row's end closes none that was opened above.
    """
    for mark in _MARK.finditer(row) if _may_have_mark(row) else ():
        if mark["shortened"] and _in_other_text(row, *mark.span()):
            continue
        sides = _sides_of(row, mark, begins)
        if any(is_piece for *_, is_piece in sides):
            for start, end, is_piece in sides:
                goes_on = not row[end:].strip() or not row[:start].strip()
                if is_piece or goes_on or (end - start > 3 and not is_words(row[start:end])):
                    yield start, end
    yield from _edges_apart(row, begins)
    for cut in _INNER_EDGE.finditer(row) if not row.isascii() else ():
        start, end = _value(row, *cut.span("run"), is_end=False)
        if _is_piece(row[start:end], begins, hidden=False):
            yield start, end
    last = row.rstrip()[-1:]
    may_be_chopped = last in _EDGES or not last.isascii()
    if (
        may_be_chopped
        and (edge := _RIGHT_EDGE.search(row)) is not None
        and _CHOPPED.search(row, edge.end("run"))
    ):
        closes = last in _BRACKETS and (_BRACKETS[last] in row or not is_open)
        start, end = _value(row, *edge.span("run"), is_end=False)
        if not closes and _is_piece(row[start:end], begins, hidden=False):
            yield start, end
    has_left = _OPENS.search(row) is not None
    lower = row.lower()
    has_name = any(word in lower for word in _WORDS_OF_ENDS)
    for pattern, may in ((_LEFT_EDGE, has_left), (_NAMED_END, has_name)):
        for cut in pattern.finditer(row) if may else ():
            start, end = _value(row, *cut.span("run"), is_end=True)
            is_name = not is_open and row[cut.start()] == "$"
            if not is_name and _is_piece(row[start:end], begins, hidden=False):
                yield start, end


def _in_other_text(row: str, start: int, end: int) -> bool:
    """Whether a mark is in a word with signs that no token has: a polyline, an expression."""
    first = row.rfind(" ", 0, start) + 1
    last = row.find(" ", end)
    word = row[max(first, start - _NEAR) : end + _NEAR if last < 0 else min(last, end + _NEAR)]
    mark = row[start:end]
    if (mark == "~" and word.count("~") > 1) or word.count(".") - mark.count(".") > _MOST_DOTS:
        return True
    return len(_ODD_SIGN.findall(word)) > (mark != "~")


def _sides_of(
    row: str, mark: re.Match[str], begins: Callable[[str], bool]
) -> list[tuple[int, int, bool]]:
    """Return where the runs before and behind a mark are, and whether each is a piece of a secret."""
    sides: list[tuple[int, int, bool]] = []
    first, stop = mark.span()
    if mark["shortened"] and row[:first].endswith(" ") and row.startswith(" ", stop):
        first, stop = first - 1, stop + 1
    elif mark["said"] and row.startswith(" ", stop):
        stop += 1
    left = _BEFORE.search(row, max(0, first - 256), first)
    for run in (left, _AFTER.match(row, stop)):
        if run is not None:
            start, end = _value(row, *run.span(), is_end=run is not left)
            is_piece = _is_piece(row[start:end], begins, hidden=bool(mark["hidden"]))
            if is_piece and not mark["hidden"]:
                # What is left out of a digest is its end, or its middle.
                is_shown = run is left or (bool(sides) and not sides[0][2])
                is_piece = not (
                    is_shown and is_id(run[0]) and not has_secret_name(row[: run.start()])
                )
            sides.append((start, end, is_piece))
    return sides


def _edges_apart(row: str, begins: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the runs at the edges of a row that a blank parts from an ellipsis; and one in brackets."""
    both = _IN_BRACKETS.match(row)
    if both is not None and looks_random_enough(both["run"]) and "@" not in both["run"]:
        yield both.span("run")
    if ".." not in row and row.isascii():
        return
    cuts = [cut for cut in (_APART_LEFT.search(row), _APART_RIGHT.search(row)) if cut is not None]
    for cut in cuts:
        start, end = _value(row, *cut.span("run"), is_end=cut.re is _APART_LEFT)
        run = row[start:end]
        is_id = is_hexadecimal(run) and (
            cut.re is _APART_RIGHT or len(run) < _LONG_ID or not len(run) % _DIGEST
        )
        if (len(cuts) > 1 or begins(run) or not is_id) and _is_piece(run, begins, hidden=False):
            yield start, end


def is_chopped(row: str, start: int, above: str = "") -> bool:
    """Whether a row, whose text begins at `start`, shows a part of a longer line.

    A bracket that closes one before it, in the row or in the text `above`, is no mark.
    """
    text = row[start:].rstrip()
    if text[:1] not in _OPENING and _closes_bracket(above + text):
        return False
    if text[:1] not in _OPENING and text[-1:] not in _CLOSING:
        return False
    if _OPEN.match(text) is None and _CLOSED.search(text) is None:
        return False
    rest = _TAG.sub("", text)
    return _OPEN.match(rest) is not None or _CLOSED.search(rest) is not None


def _closes_bracket(text: str) -> bool:
    opening = _BRACKETS.get(text[-1:])
    if opening is None:
        return False
    depth = 0
    for char in reversed(text):
        depth += (char == text[-1]) - (char == opening)
        if depth <= 0:
            return True
    return False


def _may_have_mark(row: str) -> bool:
    return _SIGNS_OF_MARKS.search(row) is not None or _BRACKET.search(row) is not None


def _value(row: str, start: int, end: int, *, is_end: bool) -> tuple[int, int]:
    """Return a run without the name before it and the signs behind it.

    is_end: the run follows a mark, and what follows it is more likely to be something else.
    """
    name = None if is_end else _NAME.match(row[start:end])
    start += name.end() if name is not None else 0
    return start, start + max(len(row[start:end].rstrip(".,:;")), 1)


def _is_piece(run: str, begins: Callable[[str], bool], *, hidden: bool) -> bool:
    """Whether a run, or what is between the signs in it, is a piece of a secret."""
    if len(run) < _SHORTEST or is_file_name(run) or is_named_path(run) or is_harmless(run):
        return False
    parts = [part for part in _SIGNS.split(run) if len(part) >= _SHORTEST]
    return begins(run) or any(_is_random_piece(part, hidden=hidden) for part in parts)


def _is_random_piece(run: str, *, hidden: bool) -> bool:
    if is_file_name(run):
        return False
    digits, letters = sum(map(str.isdigit, run)), sum(map(str.isalpha, run))
    if hidden and digits >= _MANY_DIGITS:
        return True
    if is_words(run) or (is_numbered_words(run) and not hidden):
        return len(run) >= _LONG_WORD and has_odd_letter_pairs(run)
    return hidden or has_random_piece(run) or has_odd_letter_pairs(run) or (digits >= 2 <= letters)
