"""Our entries in agents' JSON files: hooks in groups, hooks in a list, the MCP server.

All edits go through `json_edit`, so that everything else keeps its bytes. O(text) an entry.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import json_edit
from .json_edit import items, mapping
from .launcher import is_ours
from .text_edit import SERVER, TextEdit

_EMPTY = "{}\n"


def hook_groups(hooks: list[tuple[str, str]], options: Mapping[str, Any]) -> TextEdit:
    """A group of its own for each event and command."""
    commands: dict[str, list[str]] = {}
    for event, command in hooks:
        commands.setdefault(event, []).append(command)

    def add(text: str) -> str:
        text = text if text.strip() else _EMPTY
        present = {event: _group_commands(groups) for event, groups in _hooks(text).items()}
        if {event: ours for event, ours in present.items() if ours} == commands:
            return text
        text = remove_hook_groups(text, "")
        for event, wanted in commands.items():
            for command in wanted:
                hook = {"type": "command", "command": command, **options}
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
            return bool(inner) and len(_group_commands([value])) == len(inner)
        if len(path) != 5 or path[3] != "hooks":
            return False
        return is_ours(str(mapping(value).get("command", "")))

    touched = {event for event, groups in _hooks(text).items() if _group_commands(groups)}
    text = json_edit.drop(text, unwanted)
    if not touched:
        return text
    original = _hooks(before)
    preexisting = {event for event, groups in original.items() if not _group_commands(groups)}
    return _drop_if_empty(_drop_empty_events(text, touched - preexisting), "hooks", before)


def _group_commands(groups: Any) -> list[str]:
    """The commands of ours in the groups of one event."""
    inner = [hook for group in items(groups) for hook in items(mapping(group).get("hooks"))]
    commands = [str(mapping(hook).get("command", "")) for hook in inner]
    return [command for command in commands if is_ours(command)]


def flat_hooks(entries: Mapping[str, Mapping[str, Any]], command_key: str) -> TextEdit:
    """One entry an event, without a group; its command stands under `command_key`."""

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
        if ours_in(text) == {event: [dict(entry)] for event, entry in entries.items()}:
            return text
        text = remove(text, text)
        if "version" not in _object(text):
            text = json_edit.put(text, ("version",), 1)
        for event, entry in entries.items():
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
        text = _drop_if_empty(_drop_empty_events(text, touched - preexisting), "hooks", before)
        if not {"hooks", "version"} & set(original) and "hooks" not in _object(text):
            text = json_edit.drop(text, lambda path, _: path == ("version",))
        return text

    return TextEdit(add, remove)


def json_server(key: str, entry: Mapping[str, Any]) -> TextEdit:
    """Our server in the object `key`."""

    def add(text: str) -> str:
        text = text if text.strip() else _EMPTY
        present = json_edit.value_at(_object(text), (key, SERVER))
        if present is not None and not calls_launcher(present):
            return text  # somebody else's server of that name
        return json_edit.put(text, (key, SERVER), dict(entry))

    def remove(text: str, before: str) -> str:
        present = json_edit.value_at(_object(text), (key, SERVER))
        if present is None or not calls_launcher(present):
            return text
        text = json_edit.drop(text, lambda path, _: path == (key, SERVER))
        return _drop_if_empty(text, key, before)

    return TextEdit(add, remove)


def calls_launcher(entry: Any) -> bool:
    """Whether a server's entry, of JSON or TOML, is ours."""
    command = mapping(entry).get("command")
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


def _drop_if_empty(text: str, key: str, before: str) -> str:
    """Drops the object `key` if it is empty and was not there before us."""
    if key in _object(before):
        return text
    return json_edit.drop(text, lambda path, value: path == (key,) and value == {})
