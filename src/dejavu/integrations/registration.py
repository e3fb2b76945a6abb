"""What an agent's `Integration` means for a home: which files, and how each is edited.

The agents say it as data (`dejavu.providers.integration`); here each kind of content becomes an edit
of text, so that a dry run, an installation and its undoing are the same code. Reading and writing
files is the business of `changes`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dejavu.providers import INTEGRATIONS, Home
from dejavu.providers.integration import (
    LAUNCHER,
    Content,
    FileEdit,
    FlatHooks,
    HookGroups,
    JsonServer,
    OwnFile,
    Skill,
    TomlHooks,
    TomlServer,
)
from dejavu.recall.skill import skill_text

from .json_edit import UnreadableFileError, items, mapping
from .json_entries import flat_hooks, hook_groups, json_server
from .launcher import hook_command, launcher
from .text_edit import SERVER, TextEdit, chain
from .toml_entries import hooks_block, server_block, toml_block

_SKILL_NAME = f"name: {SERVER}\n"


@dataclass(frozen=True, slots=True)
class Edit:
    """One file, what of ours goes into it (for people), and how: see `TextEdit`."""

    path: Path
    what: str
    add: Callable[[str], str]
    remove: Callable[[str, str], str]


def registrable_agents() -> list[str]:
    """The agents that can be registered with, by name."""
    return sorted(INTEGRATIONS)


def edits(agent: str, home: Home) -> list[Edit]:
    """The files of one agent, and what is done to each."""
    integration = INTEGRATIONS[agent]
    folder = integration.folder(home)
    return [_edit(agent, edit, folder, home) for edit in integration.edits]


def _edit(agent: str, edit: FileEdit, folder: Path, home: Home) -> Edit:
    path = folder / edit.path if isinstance(edit.path, str) else edit.path(home)
    if any(isinstance(content, Skill) for content in edit.contents):
        path = path / SERVER / "SKILL.md"
    what = " and ".join(content.what for content in edit.contents)
    return Edit(path, what, *chain([_text_edit(agent, content) for content in edit.contents]))


def _text_edit(agent: str, content: Content) -> TextEdit:
    match content:
        case HookGroups():
            return hook_groups(_commands(agent, content), content.options)
        case FlatHooks():
            command = hook_command("capture", agent)
            entry = {"type": "command", content.command_key: command, **content.options}
            return flat_hooks(dict.fromkeys(content.events, entry), content.command_key)
        case JsonServer():
            return json_server(content.key, _with_launcher(content.entry))
        case TomlHooks():
            return toml_block(hooks_block(_commands(agent, content), content.timeout))
        case TomlServer():
            return toml_block(server_block())
        case OwnFile():
            path = json.dumps(str(launcher()))
            text = content.text.replace(json.dumps(LAUNCHER), path)
            return _own_file(text, lambda present: present.startswith(content.mark))
        case Skill():
            return _own_file(skill_text(), lambda present: _SKILL_NAME in present)


def _commands(agent: str, hooks: HookGroups | TomlHooks) -> list[tuple[str, str]]:
    """Events with their commands: a capture for all, an injection besides at one."""
    captures = [(event, hook_command("capture", agent)) for event in hooks.events]
    return [*captures, (hooks.inject, hook_command("inject", agent))]


def _with_launcher(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with the launcher's path where LAUNCHER stands."""

    def filled(value: Any) -> Any:
        if value == LAUNCHER:
            return str(launcher())
        if isinstance(value, list):
            return [filled(item) for item in items(value)]
        return _with_launcher(mapping(value)) if isinstance(value, dict) else value

    return {key: filled(value) for key, value in entry.items()}


def _own_file(text: str, is_ours: Callable[[str], bool]) -> TextEdit:
    """A whole file of ours; another's of that name is left alone."""

    def add(present: str) -> str:
        if present.strip() and not is_ours(present):
            raise UnreadableFileError("somebody else's file")
        return text

    def remove(present: str, before: str) -> str:
        del before
        return "" if is_ours(present) else present

    return TextEdit(add, remove)
