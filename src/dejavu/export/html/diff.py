"""Changes to files in colour: unified diffs, patches, and edits that have the old and the new text.

The signs stay in the text, so nothing is said by colour alone. O(lines), but O(lines squared) at
worst for an edit of at most `_COMPARED` lines; a larger one is shown as all removed, all added.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from typing import Any, NamedTuple, cast

from markupsafe import Markup

from .markup import join, tag

_COMPARED = 1200
_START = re.compile(
    r"\A(?:diff --git |--- [^\n]+\n\+\+\+ |\*\*\* Begin Patch|Index: |@@ -\d+(?:,\d+)? \+\d+)"
)
_PAIRS = (("old_string", "new_string"), ("oldString", "newString"), ("old_str", "new_str"))
_CLASS = (
    (("+++ ", "--- ", "diff --git ", "index ", "*** ", "Index: "), "file"),
    (("@@",), "at"),
    (("+",), "add"),
    (("-",), "del"),
)


class Change(NamedTuple):
    """A diff to show, and how many lines it adds and removes."""

    html: Markup
    added: int
    removed: int


def is_diff(content: str) -> bool:
    """Whether the text is a unified diff or a patch from its first line on."""
    return _START.match(content.lstrip("\n")) is not None


def as_change(content: str) -> Change:
    """A unified diff or patch, line by line."""
    return _change(content.strip("\n").splitlines())


def change_of(arguments: Any) -> Change | None:
    """The change a tool call asks for, however the agent words it; None where it asks for none."""
    if isinstance(arguments, str):
        return as_change(arguments) if is_diff(arguments) else None
    if not isinstance(arguments, Mapping):
        return None
    fields = cast("Mapping[str, Any]", arguments)
    edits = fields.get("edits")
    steps: list[Any] = [*edits] if isinstance(edits, list) else [fields]  # pyright: ignore[reportUnknownVariableType] - JSON of any agent
    lines = [line for step in steps if isinstance(step, dict) for line in _edit(step)]  # pyright: ignore[reportUnknownArgumentType] - JSON of any agent
    if lines:
        return _change(lines)
    for value in fields.values():
        if isinstance(value, str) and is_diff(value):
            return as_change(value)
    return None


def _edit(step: Mapping[str, Any]) -> Iterator[str]:
    for old, new in _PAIRS:
        before, after = step.get(old), step.get(new)
        if isinstance(before, str) and isinstance(after, str):
            removed, added = before.splitlines(), after.splitlines()
            if len(removed) + len(added) > _COMPARED:
                yield from ("-" + line for line in removed)
                yield from ("+" + line for line in added)
                return
            # The two file lines come first and would be empty; line numbers inside a fragment lie.
            compared = list(unified_diff(removed, added, lineterm="", n=2))[3:]
            yield from (line if not line.startswith("@@") else "@@" for line in compared)
            return


def _change(lines: Iterable[str]) -> Change:
    pieces: list[Markup] = []
    added = removed = 0
    for line in lines:
        kind = next((name for starts, name in _CLASS if line.startswith(starts)), None)
        added += kind == "add"
        removed += kind == "del"
        pieces.append(tag("span", line, class_=kind))
    body = tag("code", join(pieces))
    html = tag("pre", body, class_="diff", tabindex="0", role="group", aria_label="Changes")
    return Change(html, added, removed)
