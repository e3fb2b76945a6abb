"""Rows of a block joined back into the text the agent drew them from.

Rows are joined where the terminal wrapped them, or where the agent's word wrap did: where the next
row's first word would not have fitted. Lists, tables and code keep their lines; tables become
markdown again, line numbers that an agent puts before code are dropped. `screen.reflow` rewraps
rows for another width and `redact.joined_text` joins any rows that may hold one secret; both keep cells
and neither decides where a line ends, so they share nothing with this. Cost: O(characters).
"""

import re
from collections.abc import Sequence

from .blocks import RowContent
from .rows import is_wide, width
from .tables import restore_tables

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


def unwrap_block(
    contents: Sequence[RowContent],
    margin: int,
    *,
    markdown: bool = True,
    numbered_code: bool = False,
    padded_code: bool = False,
) -> str:
    """Return the text of a block whose words the agent wrapped.

    `markdown`: the agent rendered markdown, so bullets, quotations and tables are restored to it.
    """
    pieces: list[list[str]] = []  # of each line: joined at the end, which costs its length once
    left = _common_left(contents)
    edges = _edges(contents)
    previous: RowContent | None = None
    quoted = False
    for content, edge in zip(contents, edges, strict=True):
        # What the terminal wrapped continues as it is, whatever mark the rest begins with.
        wrapped = previous is not None and previous.row.is_soft_wrapped
        marked = markdown and not wrapped
        inner = _inside_quote(content, previous, quoted) if marked else content
        is_quote = quoted if wrapped else inner is not content
        separator: str | None = None
        if previous is not None and is_quote is quoted:
            rest = inner
            if marked and pieces[-1][0].lstrip().startswith("> ") and inner.text.startswith("> "):
                rest = RowContent(inner.text[2:], inner.left + 2, inner.row)
            separator = _separator(previous, rest, margin + _QUOTE_MARGIN * is_quote, edge)
            inner = rest if separator is not None else inner
        if separator is None:
            indent = " " * max(0, content.left - left) * bool(pieces)
            if is_quote:
                indent += " " * _indent(content) + "> "
            pieces.append([indent + inner.text.rstrip()])
        else:
            pieces[-1].append(separator + inner.text.strip())
        previous, quoted = inner, is_quote
    lines = ["".join(line) for line in pieces]
    if padded_code:
        lines = [_PADDED.sub(r"`\1`", line) for line in lines]
    if numbered_code:
        lines = _drop_numbers(lines)
    return "\n".join(_trim(_as_markdown(lines) if markdown else lines))


def _inside_quote(content: RowContent, previous: RowContent | None, quoted: bool) -> RowContent:
    """Return the content without the bar of a quotation; itself if it has none."""
    match = _QUOTE.match(content.text)
    drawn = previous is not None and not quoted and previous.text.lstrip()[:1] in _BOX_DRAWN
    if match is None or (drawn and content.text.lstrip()[0] in _BOX_DRAWN):
        return content
    return RowContent(content.text[match.end() :], content.left + width(match.group()), content.row)


def _as_markdown(lines: list[str]) -> list[str]:
    """Convert drawn tables, bullets, check boxes and rules to markdown."""
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


def verbatim(contents: Sequence[RowContent]) -> str:
    """Return the text of a block whose rows are lines; only soft-wrapped rows are joined."""
    pieces: list[list[str]] = []
    previous: RowContent | None = None
    for content in contents:
        if previous is not None and previous.row.joined:
            pieces[-1].append(content.text.rstrip())
        elif previous is not None and previous.row.is_soft_wrapped:
            pieces[-1].append(_soft_separator(previous, content) + content.text.strip())
        else:
            pieces.append([content.text.rstrip()])
        previous = content
    return "\n".join(_trim(["".join(line) for line in pieces]))


def _separator(previous: RowContent, content: RowContent, margin: int, edge: int) -> str | None:
    """Return what separated two rows before wrapping ("" or a blank); None for a line's end."""
    if previous.row.joined:
        return ""
    text, after = previous.text.rstrip(), content.text.strip()
    if not text or not after:
        return None
    if previous.row.is_soft_wrapped:
        return _soft_separator(previous, content)
    if _ITEM.match(after) or text.lstrip()[:1] in _BOX or after[0] in _BOX:
        return None
    if not _aligned(previous, content) and not _fell_back(previous, content, edge):
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


def _soft_separator(previous: RowContent, content: RowContent) -> str:
    """Return what stood where the terminal wrapped: a blank before or behind the edge, or nothing.

    A wide character that did not fit leaves the last column empty, too.
    """
    full = width(previous.row.text) >= previous.row.width
    return "" if content.text[:1].strip() and (full or is_wide(content.text[0])) else " "


def _aligned(previous: RowContent, content: RowContent) -> bool:
    """Whether a row may be the rest of the one before: it starts where that one's text does."""
    start = content.left + _indent(content)
    before = previous.left + _indent(previous)
    item = _LEAD.match(previous.text.lstrip())
    # One column either way: agents and terminals differ about the width of some bullets.
    return abs(start - before) <= 1 or (item is not None and start == before + item.end())


def _fell_back(previous: RowContent, content: RowContent, edge: int) -> bool:
    """Whether a row may be the rest of an indented line of code, wrapped to the code's edge.

    A bracket that closes, or a keyword, starts its own line.
    """
    start, text = content.left + _indent(content), content.text.strip()
    deeper = previous.left + _indent(previous) > start
    return deeper and start == edge and not _OWN_LINE.match(text)


def _indent(content: RowContent) -> int:
    return len(content.text) - len(content.text.lstrip())


def _edges(contents: Sequence[RowContent]) -> list[int]:
    """Return, for each row, the column its paragraph starts at."""
    edges: list[int] = []
    run: list[int] = []
    for content in contents:
        if content.text.strip():
            run.append(content.left + _indent(content))
            continue
        edges += [min(run)] * len(run) if run else []
        edges.append(0)
        run = []
    return edges + ([min(run)] * len(run) if run else [])


def _common_left(contents: Sequence[RowContent]) -> int:
    """Return the column the block's content starts at."""
    return min((content.left for content in contents if content.text.strip()), default=0)


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
            match = _NUMBERED.match(lines[index + len(run)])
            first = int(match.group(1)) if match is not None and not run else first
            if match is None or int(match.group(1)) != first + len(run):
                break
            run.append(match.group(2) or "")
        if len(run) >= (2 if first == 1 else 3):
            out += ["```", *run, "```"]
            index += len(run)
        else:
            out.append(lines[index])
            index += 1
    return out


def _trim(lines: list[str]) -> list[str]:
    """Remove blank lines at either end, and all but one of consecutive ones."""
    trimmed: list[str] = []
    for line in lines:
        if line.strip() or (trimmed and trimmed[-1].strip()):
            trimmed.append(line.rstrip())
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    return trimmed
