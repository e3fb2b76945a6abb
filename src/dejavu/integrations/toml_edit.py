"""TOML as text: one marked block of ours at the end of a file.

A block behind everything else leaves every other byte alone, comments
included, and is cut out again as it was put in. If a program has rewritten the file meanwhile and
lost the marks, our entries are found by what they say and taken out with tomlkit. O(text).

Raises `UnreadableFileError` for what is not TOML, and where our tables cannot stand behind what is there.
"""

import tomllib
from collections.abc import Callable
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array

from .json_edit import UnreadableFileError, items, mapping
from .marked_block import append_block


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
    whole = append_block(text, block)
    try:
        parse(whole)
    except UnreadableFileError as error:
        raise UnreadableFileError(f"our tables do not fit behind what is there: {error}") from None
    return whole


def rewrite(text: str, ours: tuple[tuple[str, str], ...], is_ours: Any) -> str:
    """`text` without the tables named `ours` and the items of `[[hooks]]` that are ours.

    Where a table is a list of tables, its items with that `name` go.
    """
    document: Any = tomlkit.parse(text)
    for table, name in ours:

        def is_named(item: dict[str, Any], name: str = name) -> bool:
            return item.get("name") == name

        held = document.get(table, {})
        if isinstance(held, AoT | Array):
            _drop_items(document, table, is_named)
        elif name in held:
            del held[name]
            if not held:
                del document[table]
    _drop_items(document, "hooks", lambda item: is_ours(str(item.get("command", ""))))
    return tomlkit.dumps(document)


def _drop_items(document: Any, key: str, unwanted: Callable[[dict[str, Any]], bool]) -> None:
    """Drop items of a list of tables, and the list if nothing is left of it."""
    held = document.get(key)
    if not isinstance(held, AoT | Array):
        return
    entries = items(held.unwrap())
    for index in range(len(entries) - 1, -1, -1):
        if unwanted(mapping(entries[index])):
            del held[index]
    if entries and not held:  # a list that was empty before is the user's
        del document[key]
