"""Hook files whose events hold commands themselves, without groups: Copilot's and Cursor's.

Takes text; gives text, as `api.Edit` wants it: `{"version": 1, "hooks": {EVENT: [ENTRY, ...]}}`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from . import json_edit as jsontext
from .json_edit import items, mapping
from .launcher import is_ours


def flat_hooks(
    wanted: Mapping[str, Mapping[str, Any]], key: str
) -> tuple[Callable[[str], str], Callable[[str, str], str]]:
    """(add, remove) for one entry an event, whose command stands under `key`."""

    def ours(entry: Any) -> bool:
        return is_ours(str(mapping(entry).get(key, "")))

    def ours_in(text: str) -> dict[str, list[Any]]:
        hooks = mapping(mapping(jsontext.parse(text).value).get("hooks"))
        found = {event: [one for one in items(held) if ours(one)] for event, held in hooks.items()}
        return {event: entries for event, entries in found.items() if entries}

    def add(text: str) -> str:
        text = text if text.strip() else "{}\n"
        if ours_in(text) == {event: [dict(entry)] for event, entry in wanted.items()}:
            return text
        text = remove(text, text)
        if "version" not in mapping(jsontext.parse(text).value):
            text = jsontext.put(text, ("version",), 1)
        for event, entry in wanted.items():
            text = jsontext.append(text, ("hooks", event), dict(entry))
        return text

    def remove(text: str, before: str) -> str:
        touched = ours_in(text) if text.strip() else {}
        if not touched:
            return text
        had = mapping(jsontext.parse(before if before.strip() else "{}").value)
        known = mapping(had.get("hooks"))
        text = jsontext.drop(
            text, lambda path, value: len(path) == 3 and path[0] == "hooks" and ours(value)
        )
        text = jsontext.drop(
            text,
            lambda path, value: len(path) == 2 and path[0] == "hooks" and path[1] in touched
            and value == [] and (path[1] not in known or bool(ours_in(before))),
        )  # fmt: skip
        if "hooks" not in had:
            text = jsontext.drop(text, lambda path, value: path == ("hooks",) and value == {})
            if "version" not in had and "hooks" not in mapping(jsontext.parse(text).value):
                text = jsontext.drop(text, lambda path, _: path == ("version",))
        return text

    return add, remove
