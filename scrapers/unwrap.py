"""Pieces of rows back to the text the agent drew them from.

Takes the pieces of a block; gives logical lines joined by newlines. Rows are joined where the
terminal wrapped them, or where the agent's word wrap did: the next row's first word would not
have fitted. Lists, tables and code keep their lines; tables become markdown again, line numbers
that an agent puts before code are dropped. Cost: O(characters).
"""

import re
from collections.abc import Sequence

from .blocks import Piece
from .rows import Row
from .tables import restore_tables
from .width import is_wide, width

# Cells at the edge that a wrapped row may leave empty: a blank and half a wide character.
_EDGE = 2
# CJK commas, which end no paragraph: some agents break lines after them, wherever they are.
_COMMAS = "，、；"
# Columns that agents leave free at the right of a quotation, as they set it in at the left.
_QUOTE_MARGIN = 4
_ITEM = re.compile(r"(?:[-*+•◦▪‣·] |\d{1,3}[.)] |\[[ x✓]\] )")
_LEAD = re.compile(rf"{_ITEM.pattern}|> ")
_BULLET = re.compile(r"^(\s*)[•◦▪‣] ")
_TASK = re.compile(r"^(\s*)(?:- )?([☐☑☒]|\[[✓✔]\]) ")
# The bar before a quotation; a branch of a drawn tree and the side of a box are none.
_QUOTE = re.compile(r"^(\s*)(?:[▎▏▌]|[│┃](?!\s*[├└│┃─])(?!.*[│┃]$)) (?=\S)")
_OWN_LINE = re.compile(
    r"[)\]}]+[,;]?$|(?:def|class|if|for|while|return|import|from|fn|func|pub|@)\b"
)
_BREAK = re.compile(r"^\s*[─━═—]{3,}$")
_PADDED = re.compile("\u00a0([^\u00a0]+)(?:\u00a0|$)")
_BOX = frozenset("│┃┌├└╭╰╞╘┏┗┣━─═╌")
_BOX_DRAWN = frozenset("│┃├└")
_NUMBERED = re.compile(r"^\s*(\d+)(?: (.*))?$")


def reflow(
    pieces: Sequence[Piece],
    margin: int,
    *,
    markdown: bool = True,
    numbered_code: bool = False,
    padded_code: bool = False,
) -> str:
    """The text of a block whose words the agent wrapped.

    `markdown`: the agent drew it from markdown, so bullets, quotations, tables become it again.
    """
    lines: list[str] = []
    left = _common_left(pieces)
    edges = _edges(pieces)
    previous: Piece | None = None
    quoted = False
    for piece, edge in zip(pieces, edges, strict=True):
        inner = _inside_quote(piece, previous, quoted) if markdown else piece
        is_quote = inner is not piece
        glue: str | None = None
        if previous is not None and is_quote is quoted:
            rest = inner
            if markdown and lines[-1].lstrip().startswith("> ") and inner.text.startswith("> "):
                rest = Piece(inner.text[2:], inner.left + 2, inner.row)
            glue = _glue(previous, rest, margin + _QUOTE_MARGIN * is_quote, edge)
            inner = rest if glue is not None else inner
        if glue is None:
            indent = " " * max(0, piece.left - left) * bool(lines)
            if is_quote:
                indent += " " * _indent(piece) + "> "
            lines.append(indent + inner.text.rstrip())
        else:
            lines[-1] += glue + inner.text.strip()
        previous, quoted = inner, is_quote
    if padded_code:
        lines = [_PADDED.sub(r"`\1`", line) for line in lines]
    if numbered_code:
        lines = _drop_numbers(lines)
    return "\n".join(_trim(_as_markdown(lines) if markdown else lines))


def _inside_quote(piece: Piece, previous: Piece | None, quoted: bool) -> Piece:
    """The piece without the bar of a quotation before it; the piece itself if it has none."""
    found = _QUOTE.match(piece.text)
    drawn = previous is not None and not quoted and previous.text.lstrip()[:1] in _BOX_DRAWN
    if found is None or (drawn and piece.text.lstrip()[0] in _BOX_DRAWN):
        return piece
    return Piece(piece.text[found.end() :], piece.left + width(found.group()), piece.row)


def _as_markdown(lines: list[str]) -> list[str]:
    """Lines as drawn, with tables, bullets, boxes to tick and rules as markdown has them."""
    out: list[str] = []
    for line in restore_tables(lines):
        line = _BULLET.sub(r"\1- ", line)
        task = _TASK.match(line)
        if task is not None:
            box = "[ ]" if task.group(2) == "☐" else "[x]"
            line = f"{task.group(1)}- {box} {line[task.end() :]}"
        out.append(line)
    for index in range(1, len(out) - 1):
        if _BREAK.match(out[index]) and not out[index - 1].strip() and not out[index + 1].strip():
            out[index] = "---"
    return out


def verbatim(pieces: Sequence[Piece]) -> str:
    """The text of a block whose rows are lines; only what the terminal wrapped is joined."""
    lines: list[str] = []
    previous: Piece | None = None
    for piece in pieces:
        if previous is not None and (_is_wrapped(previous.row) or previous.row.joined):
            lines[-1] += piece.text.rstrip()
        else:
            lines.append(piece.text.rstrip())
        previous = piece
    return "\n".join(_trim(lines))


def _glue(previous: Piece, piece: Piece, margin: int, edge: int) -> str | None:
    """What stood between two rows before they were wrapped; None for the end of a line."""
    if previous.row.joined:
        return ""
    text, after = previous.text.rstrip(), piece.text.strip()
    if not text or not after:
        return None
    if _is_wrapped(previous.row):
        return "" if len(previous.text) == len(text) else " "
    if _ITEM.match(after) or text.lstrip()[:1] in _BOX or after[0] in _BOX:
        return None
    if not _aligned(previous, piece) and not _fell_back(previous, piece, edge):
        return None
    limit = previous.row.width - margin
    end = previous.left + width(text)
    # CJK text breaks between any two characters, other text before a word.
    if is_wide(text[-1]) and is_wide(after[0]):
        return "" if end + 2 > limit or text[-1] in _COMMAS else None
    word = after.split(maxsplit=1)[0]
    if end + 1 + width(word) <= limit:
        return None
    if text[-1] == "-" and text[-2:-1].isalnum():
        return ""  # Broken at a hyphen.
    last = text.rsplit(maxsplit=1)[-1]
    whole = previous.left + _indent(previous) + width(last) + width(word) > limit
    # Two words too long for one row, and a row that is full: one word that was cut.
    return "" if whole and end >= limit else " "


def _is_wrapped(row: Row) -> bool:
    """Whether the terminal wrapped a row's words, not just the blanks it was padded with."""
    return row.wrapped and width(row.text) >= row.width - _EDGE


def _aligned(previous: Piece, piece: Piece) -> bool:
    """Whether a row may be the rest of the one before: it starts where that one's text does."""
    start = piece.left + _indent(piece)
    before = previous.left + _indent(previous)
    item = _LEAD.match(previous.text.lstrip())
    # One column either way: agents and terminals differ about the width of some bullets.
    return abs(start - before) <= 1 or (item is not None and start == before + item.end())


def _fell_back(previous: Piece, piece: Piece, edge: int) -> bool:
    """Whether a row may be the rest of an indented line of code, wrapped to the code's edge.

    A bracket that closes, or a keyword, starts a line of its own.
    """
    start, text = piece.left + _indent(piece), piece.text.strip()
    deeper = previous.left + _indent(previous) > start
    return deeper and start == edge and not _OWN_LINE.match(text)


def _indent(piece: Piece) -> int:
    return len(piece.text) - len(piece.text.lstrip())


def _edges(pieces: Sequence[Piece]) -> list[int]:
    """For each piece, the column its paragraph starts at."""
    edges: list[int] = []
    run: list[int] = []
    for piece in pieces:
        if piece.text.strip():
            run.append(piece.left + _indent(piece))
            continue
        edges += [min(run)] * len(run) if run else []
        edges.append(0)
        run = []
    return edges + ([min(run)] * len(run) if run else [])


def _common_left(pieces: Sequence[Piece]) -> int:
    """The column the block's content starts at."""
    return min((piece.left for piece in pieces if piece.text.strip()), default=0)


def _drop_numbers(lines: list[str]) -> list[str]:
    """Rows that count up before their text are code with line numbers.

    From 1 on two are enough; three that count on from elsewhere are code whose start went by.
    """
    out: list[str] = []
    index = 0
    while index < len(lines):
        run: list[str] = []
        first = 0
        while index + len(run) < len(lines):
            found = _NUMBERED.match(lines[index + len(run)])
            first = int(found.group(1)) if found is not None and not run else first
            if found is None or int(found.group(1)) != first + len(run):
                break
            run.append(found.group(2) or "")
        if len(run) >= (2 if first == 1 else 3):
            out += ["```", *run, "```"]
            index += len(run)
        else:
            out.append(lines[index])
            index += 1
    return out


def _trim(lines: list[str]) -> list[str]:
    """Without blank lines at either end, and never two in a row."""
    kept: list[str] = []
    for line in lines:
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line.rstrip())
    while kept and not kept[-1]:
        kept.pop()
    return kept
