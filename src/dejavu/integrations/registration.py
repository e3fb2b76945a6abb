"""What an agent's registration is: files, and how our entries are put in and taken out of each.

Takes a home; gives `Edit`s. An `Edit` works on text alone, so that a dry run, an installation and
its undoing are the same code; reading and writing is `changes`' business.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dejavu.providers import Home
from dejavu.providers.formats.hooks import HOOKS

from . import json_edit as jsontext
from . import toml_edit as tomltext
from .json_edit import UnreadableFileError, items, mapping
from .launcher import hook_command, is_ours, launcher

SERVER = "dejavu"
"""Our MCP server's name in every agent's list."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One file. `add` and `remove` take its text ("" where there is none) and give the new one.

    `remove` gets, too, what was there before us ("" where nothing was), and keeps containers that
    were. Both raise `UnreadableFileError`.
    """

    path: Path
    what: str
    add: Callable[[str], str]
    remove: Callable[[str, str], str]


class Registration(Protocol):
    """One agent."""

    @property
    def agent(self) -> str:
        """Its name."""
        ...

    @property
    def note(self) -> str:
        """What the user has to do; empty if nothing."""
        ...

    def folder(self, home: Home) -> Path:
        """The folder whose presence says that the agent is in use."""
        ...

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """The files, and what is done to each."""
        ...


# -- JSON files ------------------------------------------------------------------------------------


def json_hooks(agent: str, prompt: str | None, shape: Mapping[str, Any]) -> Callable[[str], str]:
    """Adds our groups to `hooks`: a capture for every event, an injection at `prompt`."""
    wanted = {event: [hook_command("capture", agent)] for event in HOOKS[agent].events}
    if prompt is not None:
        wanted[prompt].append(hook_command("inject", agent))

    def add(text: str) -> str:
        text = text if text.strip() else "{}\n"
        had = {event: _ours_in(groups) for event, groups in _hooks(text).items()}
        if {event: ours for event, ours in had.items() if ours} == wanted:
            return text
        text = drop_hooks(text, "")
        for event, commands in wanted.items():
            for command in commands:
                one = {"type": "command", "command": command, **shape}
                text = jsontext.append(text, ("hooks", event), {"hooks": [one]})
        return text

    return add


def _ours_in(groups: Any) -> list[str]:
    """The commands of ours in the groups of one event."""
    inner = [one for group in items(groups) for one in items(mapping(group).get("hooks"))]
    commands = [str(mapping(one).get("command", "")) for one in inner]
    return [command for command in commands if is_ours(command)]


def drop_hooks(text: str, before: str) -> str:
    """Takes our hooks out, and the containers that were made for them."""
    if not text.strip():
        return text

    def unwanted(path: tuple[str | int, ...], value: Any) -> bool:
        if path[:1] != ("hooks",):
            return False
        if len(path) == 3:
            inner = items(mapping(value).get("hooks"))
            return bool(inner) and len(_ours_in([value])) == len(inner)
        if len(path) != 5 or path[3] != "hooks":
            return False
        return is_ours(str(mapping(value).get("command", "")))

    touched = {event for event, groups in _hooks(text).items() if _ours_in(groups)}
    text = jsontext.drop(text, unwanted)
    known = _hooks(before)
    text = jsontext.drop(
        text,
        lambda path, value: len(path) == 2 and path[0] == "hooks" and path[1] in touched
        and value == [] and not (path[1] in known and not _ours_in(known[path[1]])),
    )  # fmt: skip
    return _without_empty(text, "hooks", before) if touched else text


def _hooks(text: str) -> dict[str, Any]:
    return mapping(mapping(jsontext.parse(text if text.strip() else "{}").value).get("hooks"))


def _without_empty(text: str, key: str, before: str) -> str:
    """Drops the object `key` if it is empty and was not there before us."""
    if key in dict(jsontext.parse(before if before.strip() else "{}").value):
        return text
    return jsontext.drop(text, lambda path, value: path == (key,) and value == {})


def json_server(key: str, entry: Mapping[str, Any]) -> tuple[Any, Any]:
    """(add, remove) for our server in the object `key`."""

    def add(text: str) -> str:
        text = text if text.strip() else "{}\n"
        had = jsontext.value_at(jsontext.parse(text).value, (key, SERVER))
        if had is not None and not _calls_us(had):
            return text  # somebody else's server of that name
        return jsontext.put(text, (key, SERVER), dict(entry))

    def remove(text: str, before: str) -> str:
        had = jsontext.value_at(jsontext.parse(text if text.strip() else "{}").value, (key, SERVER))
        if had is None or not _calls_us(had):
            return text
        text = jsontext.drop(text, lambda path, _: path == (key, SERVER))
        return _without_empty(text, key, before)

    return add, remove


def _calls_us(entry: Any) -> bool:
    command = mapping(entry).get("command")
    program = next(iter(items(command)), command)
    return isinstance(program, str) and Path(program).name == "dejavu"


def server_entry(**more: Any) -> dict[str, Any]:
    """Our server in the form most agents share."""
    return {**more, "command": str(launcher()), "args": ["mcp"]}


def both(
    first: tuple[Callable[[str], str], Callable[[str, str], str]],
    second: tuple[Callable[[str], str], Callable[[str, str], str]],
) -> tuple[Callable[[str], str], Callable[[str, str], str]]:
    """Two edits of one file, as one."""
    return (
        lambda text: second[0](first[0](text)),
        lambda text, before: first[1](second[1](text, before), before),
    )


# -- TOML files ------------------------------------------------------------------------------------


def toml_block(block: str) -> tuple[Callable[[str], str], Callable[[str, str], str]]:
    """(add, remove) for `block` at the end of a TOML file."""

    def remove(text: str, before: str) -> str:
        del before
        wanted = _stripped(tomltext.parse(text))
        cut = tomltext.cut(text)
        try:
            if _stripped(tomltext.parse(cut)) == tomltext.parse(cut) == wanted:
                return cut
        except UnreadableFileError:
            pass
        return tomltext.rewrite(text, (("mcp_servers", SERVER),), is_ours)

    def add(text: str) -> str:
        had = tomltext.parse(text)
        wanted = tomltext.parse(block)
        if _ours_of(had) == _ours_of(wanted):
            return text
        return tomltext.add(remove(text, text) if _ours_of(had) else text, block)

    return add, remove


def _ours_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Our entries in a document."""
    found: dict[str, Any] = {"hooks": [one for one in items(document.get("hooks")) if _ours(one)]}
    server = mapping(document.get("mcp_servers")).get(SERVER)
    if _calls_us(server):
        found["server"] = {key: mapping(server).get(key) for key in ("command", "args")}
    return {key: value for key, value in found.items() if value}


def _stripped(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without our entries."""
    plain = dict(document)
    if hooks := items(plain.get("hooks")):
        plain["hooks"] = [one for one in hooks if not _ours(one)]
    servers = mapping(plain.get("mcp_servers"))
    if _calls_us(servers.get(SERVER)):
        plain["mcp_servers"] = {key: servers[key] for key in servers if key != SERVER}
    return {k: v for k, v in plain.items() if k not in ("hooks", "mcp_servers") or v}


def _ours(hook: Any) -> bool:
    return is_ours(str(mapping(hook).get("command", "")))
