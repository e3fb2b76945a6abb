"""TOML as text: one marked block of ours at the end of a file.

A block behind everything else leaves every other byte alone, comments
included, and is cut out again as it was put in. If a program has rewritten the file meanwhile and
lost the marks, our entries are found by what they say and taken out with tomlkit. O(text).

Raises `UnreadableFileError` for what is not TOML, and where our tables cannot stand behind what is there.
"""

import re
import tomllib
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array

from .json_edit import UnreadableFileError, items, mapping

_BEGIN, _END = (
    "# >>> dejavu: put here by `dejavu init`, taken out by `dejavu uninstall`",
    "# <<< dejavu",
)
_TORN = " (the line above had no end)"
_BLOCK = re.compile(
    rf"(?P<cut>\r?\n)?^{re.escape(_BEGIN)}(?P<torn>{re.escape(_TORN)})?\r?$.*?^{_END}\r?$\n?",
    re.DOTALL | re.MULTILINE,
)


def parse(text: str) -> dict[str, Any]:
    """The document in `text`.

    Raises:
        UnreadableFileError: it is not TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFileError(f"not TOML: {error}") from None


def add(text: str, block: str) -> str:
    """`text` with `block` (whole tables) behind it, between our marks."""
    newline = "\r\n" if "\r\n" in text else "\n"
    torn = bool(text) and not text.endswith("\n")
    marked = f"{_BEGIN}{_TORN if torn else ''}\n{block.strip()}\n{_END}\n".replace("\n", newline)
    whole = text + (newline if torn else "") + marked
    try:
        parse(whole)
    except UnreadableFileError as error:
        raise UnreadableFileError(f"our tables do not fit behind what is there: {error}") from None
    return whole


def cut(text: str) -> str:
    """`text` without our block; unchanged where its marks are not there."""

    def before_block(match: re.Match[str]) -> str:
        torn = match["torn"] and match.end() == len(text)
        return "" if torn else match["cut"] or ""

    return _BLOCK.sub(before_block, text)


def rewrite(text: str, ours: tuple[tuple[str, str], ...], is_ours: Any) -> str:
    """`text` without the tables named `ours` and the items of `[[hooks]]` that are ours."""
    document: Any = tomlkit.parse(text)
    for table, name in ours:
        if name in document.get(table, {}):
            del document[table][name]
            if not document[table]:
                del document[table]
    hooks = document.get("hooks")
    if isinstance(hooks, AoT | Array):
        entries = items(hooks.unwrap())
        for index in range(len(entries) - 1, -1, -1):
            if is_ours(str(mapping(entries[index]).get("command", ""))):
                del hooks[index]
        if not hooks:
            del document["hooks"]
    return tomlkit.dumps(document)
