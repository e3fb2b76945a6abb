"""Lines of ours in a file whose comments begin with `#`, between two marks.

They leave every other byte alone and are cut out again as they were put in. O(text).

Tested in: tests/integrations/test_toml_edit.py
"""

import re

BEGIN = "# >>> dejavu: put here by `dejavu init`, taken out by `dejavu uninstall`"
END = "# <<< dejavu"
_TORN = " (the line above had no end)"
_BLOCK = re.compile(
    rf"(?P<cut>\r?\n)?^[ ]*{re.escape(BEGIN)}(?P<torn>{re.escape(_TORN)})?\r?$"
    rf".*?^[ ]*{END}\r?$\n?",
    re.DOTALL | re.MULTILINE,
)


def append_block(text: str, block: str) -> str:
    """`text` with `block` behind it, between our marks, with the line ends of `text`."""
    newline = "\r\n" if "\r\n" in text else "\n"
    torn = bool(text) and not text.endswith("\n")
    marked = f"{BEGIN}{_TORN if torn else ''}\n{block.strip()}\n{END}\n".replace("\n", newline)
    return text + (newline if torn else "") + marked


def has_block(text: str) -> bool:
    """Whether our marks are there."""
    return _BLOCK.search(text) is not None


def cut_block(text: str) -> str:
    """`text` without our block; unchanged where its marks are not there."""

    def before_block(match: re.Match[str]) -> str:
        torn = match["torn"] and match.end() == len(text)
        return "" if torn else match["cut"] or ""

    return _BLOCK.sub(before_block, text)
