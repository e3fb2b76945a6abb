"""What an agent's `Integration` means for a home: which files, and how each is edited.

The agents say it as data (`dejavu.providers.integration`); here each kind of content becomes an edit
of text, so that a dry run, an installation and its undoing are the same code. Reading and writing
files is the business of `changes`.
"""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.config.files import read_regular_file
from dejavu.model.json_values import map_strings
from dejavu.providers import INTEGRATIONS, Home
from dejavu.providers.integration import (
    ASSIST,
    GUARD,
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
    YamlServer,
)
from dejavu.recall.skill import skill_text

from .json_edit import UnreadableFileError
from .json_entries import flat_hooks, hook_groups, json_server
from .launcher import Guard, guard_in, guard_words, hook_command, launcher
from .text_edit import SERVER, TextEdit, chain
from .toml_entries import hooks_block, server_block, toml_block
from .yaml_edit import yaml_server

_SKILL_NAME = f"name: {SERVER}\n"


@dataclass(frozen=True, slots=True)
class Edit:
    """One file, what of ours goes into it (for people), and how: see `TextEdit`."""

    path: Path
    what: str
    add: Callable[[str], str]
    remove: Callable[[str, str], str]


class Hooks(NamedTuple):
    """What an agent's hooks do besides capturing."""

    guard: Guard
    assist: bool


def registrable_agents() -> list[str]:
    """The agents that can be registered with, by name."""
    return sorted(INTEGRATIONS)


def edits(
    agent: str, home: Home, guard: Guard | None = None, assist: bool | None = None
) -> list[Edit]:
    """The files of one agent, and what is done to each.

    guard: whether tools' results are checked; assist: whether it gets things at the moment of
    action (None: as it is now).
    """
    integration = INTEGRATIONS[agent]
    folder = integration.folder(home)
    if guard is None:
        guard = installed_guard(agent, home)
    if assist is None:
        assist = installed_assist(agent, home)
    return [_edit(agent, edit, folder, home, Hooks(guard, assist)) for edit in integration.edits]


def installed_assist(agent: str, home: Home) -> bool:
    """Whether an agent's files call the assistance now."""
    integration = INTEGRATIONS[agent]
    folder = integration.folder(home)
    for edit in integration.edits if integration.assist_events else ():
        path = folder / edit.path if isinstance(edit.path, str) else edit.path(home)
        try:
            if f"hook assist --agent {agent}" in read_regular_file(path).decode("utf-8"):
                return True
        except (OSError, UnicodeDecodeError):
            continue
    return False


def installed_guard(agent: str, home: Home) -> Guard:
    """The guard that an agent's files call now."""
    integration = INTEGRATIONS[agent]
    folder = integration.folder(home)
    for edit in integration.edits if integration.guard_event else ():
        path = folder / edit.path if isinstance(edit.path, str) else edit.path(home)
        try:
            guard = guard_in(read_regular_file(path).decode("utf-8"), agent)
        except (OSError, UnicodeDecodeError):
            continue
        if guard is not Guard.OFF:
            return guard
    return Guard.OFF


def _edit(agent: str, edit: FileEdit, folder: Path, home: Home, hooks: "Hooks") -> Edit:
    path = folder / edit.path if isinstance(edit.path, str) else edit.path(home)
    if any(isinstance(content, Skill) for content in edit.contents):
        path = path / SERVER / "SKILL.md"
    what = " and ".join(content.what for content in edit.contents)
    text_edits = [_text_edit(agent, content, hooks) for content in edit.contents]
    return Edit(path, what, *chain(text_edits))


def _text_edit(agent: str, content: Content, hooks: "Hooks") -> TextEdit:
    guard = hooks.guard
    match content:
        case HookGroups():
            return hook_groups(_commands(agent, content, hooks), content.options)
        case FlatHooks():
            commands = [*_events(agent, content.events, guard), *_assistance(agent, hooks)]
            entries: dict[str, list[dict[str, Any]]] = {}
            for event, command in commands:
                entry = {"type": "command", content.command_key: command, **content.options}
                entries.setdefault(event, []).append(entry)
            return flat_hooks(entries, content.command_key)
        case JsonServer():
            return json_server(content.key, _with_launcher(content.entry))
        case TomlHooks():
            return toml_block(hooks_block(_commands(agent, content, hooks), content.timeout))
        case TomlServer():
            return toml_block(server_block(content.fields))
        case YamlServer():
            return yaml_server(content.key, _with_launcher(content.entry))
        case OwnFile():
            path = json.dumps(str(launcher()))
            words = json.dumps(guard_words(agent, guard))
            text = content.text.replace(json.dumps(LAUNCHER), path)
            text = text.replace(json.dumps(GUARD), words)
            words = json.dumps(f"hook assist --agent {agent}" if hooks.assist else "")
            text = text.replace(json.dumps(ASSIST), words)
            return _own_file(text, lambda present: present.startswith(content.mark))
        case Skill():
            return _own_file(skill_text(), lambda present: _SKILL_NAME in present)


def _commands(agent: str, content: HookGroups | TomlHooks, hooks: "Hooks") -> list[tuple[str, str]]:
    """Events with their commands: see `_events`; an injection besides at one, assistance at some."""
    events = _events(agent, content.events, hooks.guard)
    injection = (content.inject, hook_command("inject", agent))
    return [*events, injection, *_assistance(agent, hooks)]


def _assistance(agent: str, hooks: "Hooks") -> list[tuple[str, str]]:
    """The events at which an agent gets things, each with its command; none unless wanted."""
    events = INTEGRATIONS[agent].assist_events if hooks.assist else ()
    return [(event, hook_command("assist", agent)) for event in events]


def _events(agent: str, events: tuple[str, ...], guard: Guard) -> list[tuple[str, str]]:
    """Events with their commands: a capture for all, the guard in its place where one is wanted.

    The guard captures as well, what it has redacted: an agent runs all hooks of an event on what
    the tool returned.
    """
    guarded = INTEGRATIONS[agent].guard_event if guard is not Guard.OFF else ""
    capture = hook_command("capture", agent)
    check = f"{shlex.quote(str(launcher()))} {guard_words(agent, guard)}"
    return [(event, check if event == guarded else capture) for event in events]


def _with_launcher(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with the launcher's path in the place of LAUNCHER."""

    def filled(text: str) -> str:
        return str(launcher()) if text == LAUNCHER else text

    return {key: map_strings(value, filled) for key, value in entry.items()}


def _own_file(text: str, is_ours: Callable[[str], bool]) -> TextEdit:
    """A whole file of ours; another's of that name is left alone."""

    def add(present: str) -> str:
        if present.strip() and not is_ours(present):
            raise UnreadableFileError("someone else's file")
        return text

    def remove(present: str, before: str) -> str:
        del before
        return "" if is_ours(present) else present

    return TextEdit(add, remove)
