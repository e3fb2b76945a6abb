"""Tables drawn with box characters or rules, converted back to markdown.

A table is what is between a top and a bottom border, or under a header with a rule of one dash
run a column; anything less regular is left as it is. Cost: O(characters).
"""

import re
from itertools import pairwise

from .rows import width

_TOP = re.compile(r"^\s*[┌╭╔┏][─━═]+([┬┳╦][─━═]+)*[┐╮╗┓]\s*$")
_COLUMNS = re.compile("[┬┳╦]")
_RULE = re.compile(r"^\s*[├╞╠┣][─━═┼╪╬╋┿╂┬┴]+[┤╡╣┫]\s*$")
_BOTTOM = re.compile(r"^\s*[└╰╚┗][─━═]+([┴┻╩][─━═]+)*[┘╯╝┛]\s*$")
_CELLS = re.compile(r"^\s*[│┃║].*[│┃║]\s*$")
_DASHES = re.compile(r"^\s*[━═]{2,}( {1,3}[━═]{2,})+\s*$")
_THIN = re.compile(r"^\s*─{2,}( {1,3}─{2,})+\s*$")


def restore_tables(lines: list[str]) -> list[str]:
    """Return the lines, with tables as markdown."""
    out: list[str] = []
    index = 0
    while index < len(lines):
        if _TOP.match(lines[index]):
            end, table = _boxed(lines, index)
        elif index + 1 < len(lines) and _DASHES.match(lines[index + 1]):
            end, table = _ruled(lines, index)
        else:
            end, table = index, []
        if table:
            out += table
            index = end
        else:
            out.append(lines[index])
            index += 1
    return out


def _boxed(lines: list[str], start: int) -> tuple[int, list[str]]:
    """Return the index after a boxed table and its markdown, or no lines if it never closes."""
    groups: list[list[list[str]]] = [[]]
    for index in range(start + 1, len(lines)):
        line = lines[index]
        if _BOTTOM.match(line):
            if len(groups) == 1 and not _COLUMNS.search(lines[start]):
                break  # A box around text: neither columns nor a rule under a header.
            return index + 1, _markdown(_rows(groups), _margin(lines[start]))
        if _RULE.match(line):
            groups.append([])
        elif _CELLS.match(line):
            inner = line.strip()[1:-1]
            groups[-1].append([cell.strip() for cell in re.split("[│┃║]", inner)])
        else:
            break
    return start, []


def _rows(groups: list[list[list[str]]]) -> list[list[str]]:
    """Return one list of cells a row.

    With a rule between all rows a group is one row whose cells were wrapped; with one rule only,
    under the header, every line is a row, except those whose first cell is empty.
    """
    header, *rest = [group for group in groups if group]
    if len(rest) == 1 and len(rest[0]) > 1 and len({len(row) for row in rest[0]}) == 1:
        body = rest[0]
        merged: list[list[str]] = []
        for row in body:
            if merged and not row[0]:
                merged[-1] = _merge([merged[-1], row])
            else:
                merged.append(row)
        return [_merge(header), *merged]
    return [_merge(group) for group in (header, *rest)]


def _merge(lines: list[list[str]]) -> list[str]:
    """Join the cells of one row whose text was wrapped over several lines."""
    count = max(len(line) for line in lines)
    padded = [line + [""] * (count - len(line)) for line in lines]
    return [" ".join(filter(None, column)) for column in zip(*padded, strict=True)]


def _ruled(lines: list[str], start: int) -> tuple[int, list[str]]:
    """Return the index after a borderless table (header, heavy rule, thin rules) and its markdown."""
    rule = lines[start + 1]
    spans = [match.span() for match in re.finditer("[━═]+", rule)]
    rows = [_slice(lines[start], spans)]
    index = start + 2
    starts_row = True
    while index < len(lines) and lines[index].strip():
        if _THIN.match(lines[index]):
            starts_row = True
        else:
            cells = _slice(lines[index], spans)
            if starts_row:
                rows.append(cells)
            else:
                rows[-1] = _merge([rows[-1], cells])
            starts_row = False
        index += 1
    return index, _markdown(rows, _margin(rule))


def _slice(line: str, spans: list[tuple[int, int]]) -> list[str]:
    """Cut a line into cells under the spans of a rule, by cell columns."""
    edges = [start for start, _ in spans] + [10**6]
    columns: list[int] = []
    position = 0
    for character in line:
        columns.append(position)
        position += width(character)
    cells: list[str] = []
    for left, right in pairwise(edges):
        cells.append(
            "".join(
                character
                for character, column in zip(line, columns, strict=True)
                if left <= column < right
            ).strip()
        )
    return cells


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _markdown(rows: list[list[str]], margin: str) -> list[str]:
    """Format rows of cells as a markdown table, the first as its header."""
    if not rows:
        return []
    count = max(len(row) for row in rows)
    lines = [f"{margin}| " + " | ".join(row + [""] * (count - len(row))) + " |" for row in rows]
    return [lines[0], f"{margin}|" + " --- |" * count, *lines[1:]]
