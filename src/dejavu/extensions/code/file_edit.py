"""One change of one file, as a tool call states it. Data only.

Tested in: tests/extensions/code/test_tool_arguments.py
"""

from enum import StrEnum
from typing import NamedTuple


class EditKind(StrEnum):
    """How a file was changed."""

    REPLACE = "replace"
    """Lines in the place of others."""
    WRITE = "write"
    """The whole file; what stood there before is not in the call."""
    APPEND = "append"
    DELETE = "delete"
    MOVE = "move"
    TOUCH = "touch"
    """Changed in a way that the call does not state (`sed -i`, a redirected output)."""


class Hunk(NamedTuple):
    """Lines (without their ends) that stood at one place before and after."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class FileEdit(NamedTuple):
    """A change of `path` as it was named; a MOVE came from `source`."""

    path: str
    kind: EditKind
    hunks: tuple[Hunk, ...] = ()
    source: str = ""


def split_lines(text: str) -> tuple[str, ...]:
    r"""The lines of a file's text, without `\n` or `\r\n`; no empty one after the last end."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return tuple(line.removesuffix("\r") for line in lines)


def replacement(before: str, after: str) -> Hunk:
    """The hunk of a replaced text."""
    return Hunk(split_lines(before), split_lines(after))
