"""An edit of a file's text that can be taken back: our entries put in, and out again.

Tested in: tests/integrations/test_yaml_edit.py
"""

from collections.abc import Callable
from typing import NamedTuple

SERVER = "dejavu"
"""Our MCP server's name in every agent's list."""


class TextEdit(NamedTuple):
    """Both take the file's text ("" where there is none) and raise `UnreadableFileError`."""

    add: Callable[[str], str]
    """The text with our entries; unchanged where they are there already."""
    remove: Callable[[str, str], str]
    """The text without them; the second argument is what was there before us ("" where nothing
    was): containers that were there are kept."""


def chain(edits: list[TextEdit]) -> TextEdit:
    """Several edits of one file, as one; they are taken back in the opposite order."""

    def add(text: str) -> str:
        for edit in edits:
            text = edit.add(text)
        return text

    def remove(text: str, before: str) -> str:
        for edit in reversed(edits):
            text = edit.remove(text, before)
        return text

    return TextEdit(add, remove)
