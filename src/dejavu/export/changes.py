"""Changes to files, line by line: unified diffs, patches, and edits that have the old and the new text.

How they are drawn is each form's own matter; the signs stay in the text, so nothing is said by
colour alone. Nothing here is sanitised. O(lines), but O(lines squared) at worst for an edit of at most
`_COMPARED` lines; a larger one is shown as all removed, all added.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, cast

_COMPARED = 1200
_START = re.compile(
    r"\A(?:diff --git |--- [^\n]+\n\+\+\+ |\*\*\* Begin Patch|Index: |@@ -\d+(?:,\d+)? \+\d+)"
)
_PAIRS = (("old_string", "new_string"), ("oldString", "newString"), ("old_str", "new_str"))
LineKind = Literal["", "file", "at", "add", "del"]
_KINDS: tuple[tuple[tuple[str, ...], LineKind], ...] = (
    (("+++ ", "--- ", "diff --git ", "index ", "*** ", "Index: "), "file"),
    (("@@",), "at"),
    (("+",), "add"),
    (("-",), "del"),
)


class Change(NamedTuple):
    """The lines of a diff, and how many of them add and remove one."""

    lines: tuple[str, ...]
    added: int
    removed: int


def line_kind(line: str) -> LineKind:
    """What a line of a diff is: it names a file, a place, adds, removes, or (empty) is context."""
    for starts, kind in _KINDS:
        if line.startswith(starts):
            return kind
    return ""


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
            from difflib import unified_diff  # not every conversation has an edit

            # The two file lines come first and would be empty; line numbers inside a fragment lie.
            compared = list(unified_diff(removed, added, lineterm="", n=2))[3:]
            yield from (line if not line.startswith("@@") else "@@" for line in compared)
            return


def _change(lines: Iterable[str]) -> Change:
    whole = tuple(lines)
    kinds = [line_kind(line) for line in whole]
    return Change(whole, kinds.count("add"), kinds.count("del"))
