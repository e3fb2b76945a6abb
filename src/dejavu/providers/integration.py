"""How an agent is registered with, as data: which of its files hold what of ours.

An agent's folder says `INTEGRATION = Integration(...)`, or `servers.toml` has a table of it.
`dejavu.integrations` plans, makes and takes back what it describes, and is the only one that
touches files. LAUNCHER in a value means the path of the program that agents call.

Tested in: tests/providers/test_agent_folders.py
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .protocol import Home

ASSIST = "{assist}"
GUARD = "{guard}"
LAUNCHER = "{launcher}"
"""Placeholder for the launcher's path, as a whole value or (within JSON's quotes) in an `OwnFile`."""


@dataclass(frozen=True, slots=True)
class HookGroups:
    """Hooks in groups: `{"hooks": {EVENT: [{"hooks": [{"type": "command", "command": ...}]}]}}`.

    A capture for every event, and an injection at the event `inject`. An agent whose session files
    are read needs no capture: it has no events.
    """

    events: tuple[str, ...]
    inject: str
    options: Mapping[str, Any]
    """What is next to the command, such as its time limit."""
    what = "hooks"


@dataclass(frozen=True, slots=True)
class FlatHooks:
    """Hooks that stand in the events themselves: `{"version": 1, "hooks": {EVENT: [ENTRY]}}`."""

    events: tuple[str, ...]
    command_key: str
    options: Mapping[str, Any]
    what = "hooks"


@dataclass(frozen=True, slots=True)
class JsonServer:
    """Our MCP server in the object `key` of a JSON file; a tuple is a path of keys."""

    key: str | tuple[str, ...]
    entry: Mapping[str, Any]
    what = "MCP server"


@dataclass(frozen=True, slots=True)
class YamlServer:
    """Our MCP server below the top-level `key` of a YAML file."""

    key: str
    entry: Mapping[str, Any]
    what = "MCP server"


@dataclass(frozen=True, slots=True)
class TomlHooks:
    """Hooks as `[[hooks]]` tables with `event`, `command` and `timeout` (seconds)."""

    events: tuple[str, ...]
    inject: str
    timeout: int
    what = "hooks"


@dataclass(frozen=True, slots=True)
class TomlServer:
    """Our MCP server as a table `[mcp_servers.NAME]`.

    With `fields` it is an item of `[[mcp_servers]]` with a `name` and these fields besides.
    """

    fields: Mapping[str, str] | None = None
    what = "MCP server"


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file of ours, such as a plugin; one that does not begin with `mark` is someone else's.

    GUARD and ASSIST in it stand for the words that call either, empty where it is not wanted.
    """

    text: str
    mark: str
    what: str
    memory: bool = False
    """Whether it asks for past answers with each prompt; it always captures."""


@dataclass(frozen=True, slots=True)
class Skill:
    """Our skill, in its own folder below the agent's folder of skills."""

    what = "skill"


Content = (
    HookGroups | FlatHooks | JsonServer | YamlServer | TomlHooks | TomlServer | OwnFile | Skill
)


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file, below the agent's configuration or where a function says, and what it gets.

    The path of a `Skill` is the folder of skills.
    """

    path: str | Callable[[Home], Path]
    contents: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class Plugin:
    """A folder that the agent installs with its own command; `make plugins` writes it.

    It holds the manifest, our skill, a script that finds Déjà Vu, and the hooks and the server that
    `Integration.edits` describe, without guard and assistance.
    """

    manifest: str
    """The manifest's path in the folder."""
    install: str
    """The command that installs it, with FOLDER for the folder."""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the manifest holds besides name, version and description."""
    root: str = ""
    """The placeholder for the plugin's folder in commands; empty if they run in it."""
    hooks: str = ""
    """The path of the hooks' file; `*` for a list in the manifest, empty for none."""
    servers: str = ""
    """The path of the file with servers; empty for the manifest itself, `-` for none."""
    program: str = ""
    """The path of the `OwnFile` among the edits, where the plugin brings it; it calls the script."""
    text: str = ""
    """The program's text, where no edit has it."""
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Other JSON files of the plugin by path; each gets the plugin's name and version."""
    server: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a server's entry holds besides its command."""
    catalogue: str = ""
    """The path, next to the folder, of a list of plugins that names it."""
    entry: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What its entry in that list holds besides its name."""


@dataclass(frozen=True, slots=True)
class Integration:
    """An agent's registration."""

    folder: Callable[[Home], Path]
    """Its configuration, whose presence says that the agent is in use."""
    edits: tuple[FileEdit, ...]
    note: str = ""
    """What the user has to do; empty if nothing."""
    assist_events: tuple[str, ...] = ()
    """The events at which a hook may add context: before a tool, after one, at a start."""
    assist_limits: str = ""
    """What its hooks do not let the assistance do, as a sentence's end; without events: why none."""
    guard_event: str = ""
    """The event at which a tool's result can be replaced; its hook is the guard's, if one is wanted."""
    guard_limits: str = ""
    """What the guard cannot keep from this agent or its files, as a sentence's end."""
    plugin: Plugin | None = None


def server_entry(**more: Any) -> dict[str, Any]:
    """Our MCP server in the form most agents share."""
    return {**more, "command": LAUNCHER, "args": ["mcp"]}


def application_folder(home: Home, name: str) -> Path:
    """Where a desktop program keeps its settings: macOS's folder if it is there, else XDG's."""
    macos = home.path / "Library" / "Application Support" / name
    return macos if macos.is_dir() else home.folder("XDG_CONFIG_HOME", ".config") / name
