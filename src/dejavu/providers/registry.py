"""The one list of agents, and access to their parts by an agent's name.

Importing this module loads no agent. `agents()` loads the folders' `__init__` modules (small, the
standard library alone) and `stores.toml`; a part such as a parser is loaded when it is first asked for.
`agent_of` tells which agent a command line starts, by the names people type: `dejavu-run` asks this
before it starts the agent.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .agent import Agent, EventServer, Store

if TYPE_CHECKING:
    from .base_urls import BaseUrlOverride
    from .formats.hooks import Hook
    from .formats.otlp.protocol import Telemetry
    from .formats.streams import Stream
    from .integration import Integration
    from .protocol import Home, Provider
    from .restorer import Restorer

FOLDERS = (
    "claude", "codex", "amp", "kimi", "kimi_cli", "opencode", "gemini", "antigravity", "qwen",
    "copilot", "pi", "cline", "cursor", "droid", "aider", "nanocoder", "dsh", "hermes",
    "openhands", "goose", "warp", "vscode_copilot", "cursor_ide", "continue", "reasonix",
    "crush", "kilo", "grok", "omp", "openclaw", "qclaw", "prime", "mimocode", "zcode", "roo",
    "positron", "openclaude", "claude_cowork", "trae", "kimi_work", "zed", "kiro", "amazonq",
    "vibe", "qoder", "auggie", "codebuff", "devin", "iflow", "forge", "codebuddy", "workbuddy",
    "gptme", "mini_swe_agent", "deepseek_tui", "qwenpaw", "poolside", "posit_assistant",
    "zencoder", "cortex", "piebald", "commandcode", "windsurf", "plandex", "aichat",
    "omnigent", "demo",
)  # fmt: skip
"""One an agent, in the order in which they are synchronised and listed. An agent of which only a
store is known is in `stores.toml` instead, by the same name."""

EDITORS = (
    "Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Trae", "Kiro", "Positron",
)  # fmt: skip
"""The folders of VS Code and of the editors made from it."""

_STORE = "store"  # the files of an agent that says only where they lie
_SERVER = "server"  # the registration of an agent that has a table in `servers.toml`

T = TypeVar("T")


@cache
def agents() -> Mapping[str, Agent]:
    """Every agent by its name."""
    loaded = (_load(folder) for folder in FOLDERS)
    return MappingProxyType({agent.name: agent for agent in loaded})


def find_agent(name: str) -> Agent | None:
    """The agent that is called `name` or started by a program of that name."""
    if name in FOLDERS:  # the common case, without loading the others
        return _load(name)
    started = (agent for agent in agents().values() if name in agent.executables)
    return next(started, None) or agents().get(name)


def _load(folder: str) -> Agent:
    try:
        module = import_module(f".{folder}", __package__)
    except ModuleNotFoundError as error:
        if error.name != f"{__package__}.{folder}":
            raise
    else:
        if (
            module.__file__ is not None
        ):  # None: only compiled files are left of what an update removed
            agent: Agent = module.AGENT
            return agent
    return stored_agents()[folder]


@cache
def stored_agents() -> Mapping[str, Agent]:
    """The agents of `stores.toml`, of which only a store is known, by their names in `FOLDERS`."""
    import tomllib  # both of no use to the common case
    from pathlib import Path

    text = Path(__file__).with_name("stores.toml").read_text("utf-8")
    return {name: _stored_agent(name, table) for name, table in tomllib.loads(text).items()}


def _stored_agent(folder: str, table: dict[str, Any]) -> Agent:
    store = Store(**_tuples(table.pop("store")))
    return Agent(folder.replace("_", "-"), store=store, observed=False, **_tuples(table))


def _tuples(table: dict[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(cast("list[object]", value)) if isinstance(value, list) else value
        for key, value in table.items()
    }


def _folder(name: str) -> str:
    return name.replace("-", "_")


def _load_agent(name: str) -> Agent:
    return _load(_folder(name))


class AgentParts(Mapping[str, T]):
    """One part of every agent that has it, by the agent's name; `field` of `Agent` refers to it."""

    def __init__(self, field: str) -> None:
        self._field = field
        self._loaded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            reference = self._reference(name)
            if not reference:
                raise KeyError(name)
            self._loaded[name] = self._load(name, reference)
        return self._loaded[name]

    def _load(self, name: str, reference: str) -> T:
        if reference == _STORE:
            provider: T = import_module(".store_provider", __package__).provider_of(
                _load_agent(name)
            )
            return provider
        if reference == _SERVER:
            table: T = import_module(".server_table", __package__).integration_of(_folder(name))
            return table
        module, _, attribute = reference.partition(":")
        part: T = getattr(import_module(f".{_folder(name)}.{module}", __package__), attribute)
        return part

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._reference(name))

    def __iter__(self) -> Iterator[str]:
        return (name for name in agents() if self._reference(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _reference(self, name: str) -> str:
        if _folder(name) not in FOLDERS:
            return ""
        agent = _load_agent(name)
        reference = str(getattr(agent, self._field))
        return _STORE if not reference and self._field == "files" and agent.store else reference


PROVIDERS: "Mapping[str, Provider]" = AgentParts("files")
CLI_EXPORTS: "Mapping[str, Callable[[], Provider]]" = AgentParts("cli_export")
STREAMS: "Mapping[str, Stream]" = AgentParts("stream")
HOOKS: "Mapping[str, Hook]" = AgentParts("hooks")
TELEMETRY: "Mapping[str, Telemetry]" = AgentParts("telemetry")
INTEGRATIONS: "Mapping[str, Integration]" = AgentParts("integration")
RESTORERS: "Mapping[str, Restorer]" = AgentParts("restorer")
RETENTION: "Mapping[str, Callable[[Home], float | None]]" = AgentParts("retention")
BASE_URL_OVERRIDES: "Mapping[str, Callable[[Mapping[str, str], str | None], BaseUrlOverride]]" = (
    AgentParts("base_url_override")
)


def providers_in(home: "Home") -> "Iterator[Provider]":
    """The providers of agents that may have left something below `home`; the others stay unloaded."""
    for agent in agents().values():
        if (agent.files or agent.store is not None) and may_be_in(agent, home):
            yield PROVIDERS[agent.name]


def may_be_in(agent: Agent, home: "Home") -> bool:
    """Whether an agent may have left something below `home`; a store of empty folders is nothing.

    Loads nothing. Costs a few look-ups, and the entries of folders that hold folders alone.
    """
    store = agent.store
    if store is None and not agent.marks:
        return bool(agent.files)
    if any(name != "XDG_DATA_HOME" and home.environ.get(name) for name in _variables(agent)):
        return True
    return any(_holds_something(place) for place in places(agent, home))


def moving_variables() -> Iterator[str]:
    """The variables that move any agent's files."""
    for agent in agents().values():
        yield from filter(None, _variables(agent))


def _variables(agent: Agent) -> tuple[str, ...]:
    return (*agent.moved_by, agent.store.variable if agent.store is not None else "")


def places(agent: Agent, home: "Home") -> "Iterator[str]":
    """Where an agent's files would be, as its marks and its store say."""
    store, marks = agent.store, list(agent.marks)
    if store is not None:
        marks += [_fixed(pattern) for pattern in store.home]
        marks += [f"{store.base}/{_fixed(pattern)}" for pattern in store.paths if store.base]
        marks += [f"data:{_fixed(pattern)}" for pattern in store.data]
        marks += [f"vscode:{_fixed(pattern)}" for pattern in store.vscode]
    for mark in marks:
        yield from _places(mark, agent, home)


def _places(mark: str, agent: Agent, home: "Home") -> Iterator[str]:
    """The paths that a mark means."""
    kind, _, below = mark.rpartition(":")
    path = str(home.path)
    if kind == "data":
        yield f"{home.xdg_data('')}/{below}"
    elif kind == "vscode":
        editors = (agent.store.editors if agent.store is not None else ()) or EDITORS
        config = home.folder("XDG_CONFIG_HOME", ".config")
        for base in (config, f"{path}/Library/Application Support"):
            if os.path.lexists(base):
                yield from (f"{base}/{name}/User/{below}" for name in editors)
        yield f"{path}/.vscode-server/data/User/{below}"
    else:
        yield f"{path}/{below}"


def _holds_something(path: str, depth: int = 3) -> bool:
    """Whether anything but empty folders is there; what cannot be told counts as something."""
    try:
        with os.scandir(path) as entries:
            return any(
                not depth
                or not one.is_dir(follow_symlinks=False)
                or _holds_something(one.path, depth - 1)
                for one in entries
            )
    except FileNotFoundError:
        return False
    except OSError:  # a file, or one that may not be looked into
        return True


def _fixed(pattern: str) -> str:
    """A pattern's folders before the first with a wildcard."""
    head = pattern.partition("*")[0]
    return head if head == pattern else head.rpartition("/")[0]


def event_servers() -> dict[str, EventServer]:
    """The servers that tell their sessions' events, by agent."""
    registered = agents().values()
    return {
        agent.name: agent.event_server for agent in registered if agent.event_server is not None
    }


def agent_of_payload(payload: Mapping[str, Any]) -> Agent:
    """The agent whose hook payload this looks like, where the caller did not say."""
    marks = [(agent.payload_mark, agent) for agent in agents().values() if agent.payload_mark]
    fitting = [
        (len(prefix), agent)
        for (field, prefix), agent in marks
        if str(payload.get(field, "")).startswith(prefix)
    ]
    return max(fitting, key=lambda entry: entry[0])[1]


# Interpreters and launchers that stand before the agent's own name.
_LAUNCHERS = {"env", "node", "bun", "deno", "npx", "bunx", "uvx", "uv", "pipx", "python", "python3"}
_SUBCOMMANDS = {"run", "exec", "tool"}


def agent_of(argv: Sequence[str]) -> str:
    """The agent's id, read from a command line: `["/usr/bin/tool", "-x"]` is `tool`.

    Launchers such as `npx` and `env` are looked through; scopes and versions of packages
    (`@scope/tool@0.169.0`) are taken off. A program that is no agent is its own name.
    """
    for word in argv:
        if word.startswith("-") or "=" in word:
            continue
        name = word.rpartition("/")[2]
        name = Path(name.rpartition("@")[0] if name.find("@") > 0 else name).stem.lower()
        if name in _LAUNCHERS or name in _SUBCOMMANDS:
            continue
        agent = find_agent(name)
        return name if agent is None else agent.name
    return Path(argv[0]).stem.lower() if argv else ""


def command_of(argv: Sequence[str]) -> list[str]:
    """The command line to start; an agent that comes with Déjà Vu is no program on the PATH."""
    agent = find_agent(argv[0]) if argv else None
    if agent is None or not agent.module:
        return list(argv)
    from dejavu.config.own_program import own_program  # of use to the demo agent alone

    return [*own_program(agent.module), *argv[1:]]


def install_hint(command: str) -> str:
    """One sentence on how to get a missing agent; a general one for a command not known."""
    agent = find_agent(agent_of([command]))
    if agent is not None and agent.install:
        return f"install it with `{agent.install}`"
    from difflib import get_close_matches  # nothing runs that could be delayed

    name = agent_of([command])
    known = [program for agent in agents().values() for program in (agent.name, *agent.executables)]
    near = next(iter(get_close_matches(name, known, n=1, cutoff=0.75)), None)
    return f"did you mean {near!r}?" if near else "check the spelling and your PATH"
