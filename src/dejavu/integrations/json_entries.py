"""Our entries in agents' JSON files: hooks in groups, hooks in a list, the MCP server.

All edits go through `json_edit`, so that everything else keeps its bytes. O(text) an entry.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import json_edit
from .json_edit import items, mapping
from .launcher import is_ours
from .text_edit import SERVER, TextEdit

_EMPTY = "{}\n"


def hook_groups(hooks: list[tuple[str, str]], options: Mapping[str, Any]) -> TextEdit:
    """A separate group for each event and command.

    A name among the options gets the command's verb: some agents run one hook of a name.
    """
    wanted: dict[str, list[dict[str, Any]]] = {}
    for event, command in hooks:
        hook = {"type": "command", "command": command, **options}
        if "name" in hook:
            hook["name"] = f"{hook['name']} {_verb(command)}"
        wanted.setdefault(event, []).append(hook)

    def add(text: str) -> str:
        text = text if text.strip() else _EMPTY
        present = {event: _group_hooks(groups) for event, groups in _hooks(text).items()}
        if {event: list(map(_identity, ours)) for event, ours in present.items() if ours} == {
            event: list(map(_identity, ours)) for event, ours in wanted.items()
        }:
            return text
        text = remove_hook_groups(text, "")
        for event, ours in wanted.items():
            for hook in ours:
                text = json_edit.append(text, ("hooks", event), {"hooks": [hook]})
        return text

    return TextEdit(add, remove_hook_groups)


def remove_hook_groups(text: str, before: str) -> str:
    """The text without our hooks, and without the containers that were made for them."""
    if not text.strip():
        return text

    def unwanted(path: tuple[str | int, ...], value: Any) -> bool:
        if path[:1] != ("hooks",):
            return False
        if len(path) == 3:
            inner = items(mapping(value).get("hooks"))
            return bool(inner) and len(_group_hooks([value])) == len(inner)
        if len(path) != 5 or path[3] != "hooks":
            return False
        return is_ours(str(mapping(value).get("command", "")))

    touched = {event for event, groups in _hooks(text).items() if _group_hooks(groups)}
    text = json_edit.drop(text, unwanted)
    if not touched:
        return text
    original = _hooks(before)
    preexisting = {event for event, groups in original.items() if not _group_hooks(groups)}
    return _drop_if_empty(_drop_empty_events(text, touched - preexisting), ("hooks",), before)


def _group_hooks(groups: Any) -> list[dict[str, Any]]:
    """The hooks of ours in the groups of one event."""
    inner = [hook for group in items(groups) for hook in items(mapping(group).get("hooks"))]
    return [mapping(hook) for hook in inner if is_ours(str(mapping(hook).get("command", "")))]


def _verb(command: str) -> str:
    """What a command of ours does: `capture`, `inject`, `guard` or `assist`."""
    return command.rpartition(" hook ")[2].partition(" ")[0]


def _identity(hook: Mapping[str, Any]) -> tuple[Any, Any]:
    """What of a hook must be as it is; the rest, such as a time limit, is the user's."""
    return hook.get("command"), hook.get("name")


def flat_hooks(entries: Mapping[str, Sequence[Mapping[str, Any]]], command_key: str) -> TextEdit:
    """Entries of each event, without a group; their commands stand under `command_key`."""

    def ours(entry: Any) -> bool:
        return is_ours(str(mapping(entry).get(command_key, "")))

    def ours_in(text: str) -> dict[str, list[Any]]:
        present = {
            event: [entry for entry in items(listed) if ours(entry)]
            for event, listed in _hooks(text).items()
        }
        return {event: listed for event, listed in present.items() if listed}

    def add(text: str) -> str:
        text = text if text.strip() else _EMPTY
        if ours_in(text) == {event: list(map(dict, listed)) for event, listed in entries.items()}:
            return text
        text = remove(text, text)
        if "version" not in _object(text):
            text = json_edit.put(text, ("version",), 1)
        for event, listed in entries.items():
            for entry in listed:
                text = json_edit.append(text, ("hooks", event), dict(entry))
        return text

    def remove(text: str, before: str) -> str:
        touched = set(ours_in(text)) if text.strip() else set[str]()
        if not touched:
            return text
        original = _object(before)
        preexisting = set[str]() if ours_in(before) else set(mapping(original.get("hooks")))
        text = json_edit.drop(
            text, lambda path, value: len(path) == 3 and path[0] == "hooks" and ours(value)
        )
        text = _drop_if_empty(_drop_empty_events(text, touched - preexisting), ("hooks",), before)
        if not {"hooks", "version"} & set(original) and "hooks" not in _object(text):
            text = json_edit.drop(text, lambda path, _: path == ("version",))
        return text

    return TextEdit(add, remove)


def json_server(key: str | tuple[str, ...], entry: Mapping[str, Any]) -> TextEdit:
    """Our server in the object `key`, or at that path of keys."""
    above = (key,) if isinstance(key, str) else key

    def add(text: str) -> str:
        text = text if text.strip() else _EMPTY
        present = json_edit.value_at(_object(text), (*above, SERVER))
        if present is not None and not calls_launcher(present):
            return text  # someone else's server of that name
        return json_edit.put(text, (*above, SERVER), dict(entry))

    def remove(text: str, before: str) -> str:
        present = json_edit.value_at(_object(text), (*above, SERVER))
        if present is None or not calls_launcher(present):
            return text
        text = json_edit.drop(text, lambda path, _: path == (*above, SERVER))
        for depth in range(len(above), 0, -1):
            text = _drop_if_empty(text, above[:depth], before)
        return text

    return TextEdit(add, remove)


def calls_launcher(entry: Any) -> bool:
    """Whether a server's entry, of any form, is ours."""
    command = mapping(entry).get("command", mapping(entry).get("cmd"))
    program = next(iter(items(command)), command)
    return isinstance(program, str) and Path(program).name == SERVER


def _object(text: str) -> dict[str, Any]:
    return mapping(json_edit.parse(text if text.strip() else _EMPTY).value)


def _hooks(text: str) -> dict[str, Any]:
    return mapping(_object(text).get("hooks"))


def _drop_empty_events(text: str, events: set[str]) -> str:
    """Drops the lists of these events that are empty."""

    def unwanted(path: tuple[str | int, ...], value: Any) -> bool:
        return len(path) == 2 and path[0] == "hooks" and path[1] in events and value == []

    return json_edit.drop(text, unwanted)


def _drop_if_empty(text: str, keys: tuple[str, ...], before: str) -> str:
    """Drops the object at `keys` if it is empty and was not there before us."""
    if json_edit.value_at(_object(before), keys) is not None:
        return text
    return json_edit.drop(text, lambda path, value: path == keys and value == {})
