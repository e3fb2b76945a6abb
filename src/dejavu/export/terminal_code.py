"""Code and changes for a terminal: lines whose pieces are painted.

Takes sanitised lines and gives lines of the same text. O(lines).

Tested in: tests/export/test_text.py
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from .changes import is_diff, line_kind
from .highlight import Kind, pieces

Paint = Callable[[str, str], str]
"""Paints a text by an SGR code such as "1;36"."""

_PIECE: dict[Kind, str] = {
    "keyword": "35",
    "string": "32",
    "comment": "3;2",
    "number": "33",
    "name": "34",
}
_LINE = {"add": "32", "del": "31", "at": "36", "file": "1"}
_FENCES = ("```", "~~~")


def painted_code(lines: Sequence[str], language: str, paint: Paint, tone: str) -> Iterator[str]:
    """Lines of code in `language`; what has no kind is painted by `tone`."""
    if language.lower() in ("diff", "patch") or is_diff("\n".join(lines)):
        yield from painted_diff(lines, paint, tone)
        return
    line: list[str] = []
    for kind, text in pieces("\n".join(lines), language):
        first, *more = text.split("\n")
        line.append(_piece(first, kind, paint, tone))
        for follows in more:
            yield "".join(line)
            line = [_piece(follows, kind, paint, tone)]
    yield "".join(line)


def painted_diff(lines: Iterable[str], paint: Paint, tone: str) -> Iterator[str]:
    """Lines of a diff, each in the colour of its kind."""
    for line in lines:
        yield paint(line, _LINE.get(line_kind(line), tone))


def painted_markdown(lines: Iterable[str], paint: Paint, tone: str) -> Iterator[str]:
    """Lines of markdown as they are, the code in their fences painted."""
    fence, language, code = "", "", list[str]()
    for line in lines:
        mark = line.lstrip()
        if not fence:
            yield paint(line, tone)
            if mark.startswith(_FENCES) and len(line) - len(mark) < 4:
                fence = mark[: len(mark) - len(mark.lstrip(mark[0]))]
                language = next(iter(mark[len(fence) :].split()), "")
        elif (
            mark.rstrip() and set(mark.rstrip()) == {fence[0]} and len(mark.rstrip()) >= len(fence)
        ):
            if code:
                yield from painted_code(code, language, paint, tone)
            yield paint(line, tone)
            fence, code = "", []
        else:
            code.append(line)
    if code:
        yield from painted_code(code, language, paint, tone)


def _piece(text: str, kind: Kind, paint: Paint, tone: str) -> str:
    return paint(text, _PIECE.get(kind, tone)) if text else ""
