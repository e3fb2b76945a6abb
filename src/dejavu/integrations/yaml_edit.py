"""YAML as text: one entry of ours below a top-level key, between our marks.

There is no YAML parser here and none is needed: the entry is one line in flow style, which is JSON.
Only what is sure from the lines is edited. A file in a form that is not, or with our key in flow
style, is refused. Where a program has rewritten the file and lost the marks, our entry is found by
its name and its command. O(text).

Raises `UnreadableFileError` for what is not edited.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from .json_edit import UnreadableFileError
from .marked_block import BEGIN, END, append_block, cut_block, has_block
from .text_edit import SERVER, TextEdit

_KEY = re.compile(
    r"""(?P<name>"[^"\\]*"|'[^']*'|[^\s#'"&*!|>%@`\[\]{},?:-][^:#]*?)[ ]*:(?P<rest>([ ].*)?)$"""
)
_LAUNCHER = re.compile(
    rf"""\b(?:command|cmd)["']?[ ]*:[ ]*(?:\[[ ]*)?["']?[^"'\n]*[/\\]{SERVER}\b"""
)


def yaml_server(key: str, entry: Mapping[str, Any]) -> TextEdit:
    """Our server below the top-level `key`."""

    def add(text: str) -> str:
        return _add(text, key, f"{SERVER}: {json.dumps(dict(entry), ensure_ascii=False)}")

    def remove(text: str, before: str) -> str:
        del before
        keys = _top_level(text)
        if not has_block(text):
            return _drop_entry(text, key)
        cut = cut_block(text)
        if key in keys and key not in _top_level(cut) and _others(text, keys[key]):
            marks = (BEGIN, END)
            return _drop_entry(
                "".join(line for line in _lines(text) if not line.strip().startswith(marks)), key
            )
        return cut

    return TextEdit(add, remove)


def _add(text: str, key: str, line: str) -> str:
    lines = _lines(text)
    at = _top_level(text).get(key)
    if at is not None and (entry := _entry(lines, at)) is not None:
        body = "".join(lines[entry.start : entry.stop])
        if not _LAUNCHER.search(body) or line in body or not has_block(text):
            return text  # another's of that name, or ours already
        return _add(cut_block(text), key, line)
    if at is None:
        return append_block(text, f"{key}:\n  {line}")
    if lines[at].partition(":")[2].partition("#")[0].strip() or _is_list(lines, at):
        raise UnreadableFileError(
            f"`{key}` is not a mapping with a line for each key; add the server by hand"
        )
    if not lines[at].endswith("\n"):
        raise UnreadableFileError(f"`{key}` is the last line and has no end")
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = _indent_below(lines, at)
    ours = [f"{indent}{part}{newline}" for part in (BEGIN, line, END)]
    return "".join([*lines[: at + 1], *ours, *lines[at + 1 :]])


def _drop_entry(text: str, key: str) -> str:
    """`text` without our entry, which a program has written in its own way."""
    lines = _lines(text)
    at = _top_level(text).get(key)
    entry = None if at is None else _entry(lines, at)
    if (
        at is None
        or entry is None
        or not _LAUNCHER.search("".join(lines[entry.start : entry.stop]))
    ):
        return text
    rest = lines[: entry.start] + lines[entry.stop :]
    if not _below(rest, at):
        del rest[at]
    return "".join(rest)


def _others(text: str, at: int) -> bool:
    """Whether anything but our entry is below a key."""
    lines = _lines(text)
    entry = _entry(lines, at)
    return any(
        number not in (entry or ()) and lines[number].strip() and lines[number].strip()[0] != "#"
        for number in _below(lines, at)
    )


def _lines(text: str) -> list[str]:
    """The lines with their ends; of what Python takes for ends, YAML knows two alone."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _is_list(lines: list[str], at: int) -> bool:
    """Whether the first line below a key is an item of a list."""
    content = (line.strip() for line in lines[at + 1 :] if line.strip()[:1] not in ("", "#"))
    return next(content, "")[:1] == "-"


def _top_level(text: str) -> dict[str, int]:
    """The keys of the document's mapping, with the numbers of their lines.

    Raises:
        UnreadableFileError: it is no block mapping, or more than one document.
    """
    keys: dict[str, int] = {}
    begun = False
    for number, line in enumerate(_lines(text.removeprefix("\ufeff"))):
        if not line.strip() or line.strip()[0] == "#" or (line[0] == " " and keys):
            continue
        if line.startswith("---") and not begun:
            begun = True
            continue
        match = _KEY.match(line.rstrip())
        begun = True
        if match is None:
            if (
                line[0] == "-" and line[:3] != "---" and keys
            ):  # the items of a list may stand below their key
                continue
            raise UnreadableFileError(f"not a mapping of lines, at line {number + 1}")
        name = match["name"].strip("\"'")
        if name in keys:
            raise UnreadableFileError(f"`{name}` occurs twice, again at line {number + 1}")
        keys[name] = number
    return keys


def _below(lines: list[str], at: int) -> range:
    """The lines below a top-level key that are indented, without blanks and comments at the end."""
    end = at + 1
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.strip() and line[0] not in " #":
            break
        if line[:1] == " " and line.strip()[:1] != "#":
            end = number + 1
    return range(at + 1, end)


def _indent_below(lines: list[str], at: int) -> str:
    for number in _below(lines, at):
        line = lines[number]
        if line.strip() and line.strip()[0] != "#":
            return line[: len(line) - len(line.lstrip(" "))]
    return "  "


def _entry(lines: list[str], at: int) -> range | None:
    """The lines of the entry that has our name below a key."""
    indent = _indent_below(lines, at)
    below = _below(lines, at)
    own = re.compile(rf"""{indent}["']?{SERVER}["']?[ ]*:([ ]|$)""")
    start = next((number for number in below if own.match(lines[number].rstrip())), None)
    if start is None:
        return None
    end = start + 1
    while end in below and (
        not lines[end].strip() or lines[end].startswith((f"{indent} ", f"{indent}- "))
    ):
        end += 1
    return range(start, end)
