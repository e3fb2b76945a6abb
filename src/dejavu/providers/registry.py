"""The one list of agents, and access to their parts by an agent's name.

Importing this module loads no agent. `agents()` loads the folders' `__init__` modules (small, the
standard library alone); a part such as a parser is loaded when it is first asked for.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from .agent import Agent, EventServer

if TYPE_CHECKING:
    from .base_urls import BaseUrlOverride
    from .formats.hooks import Hook
    from .formats.otlp.protocol import Telemetry
    from .formats.streams import Stream
    from .integration import Integration
    from .protocol import Home, Provider

FOLDERS = (
    "claude", "codex", "amp", "kimi", "kimi_cli", "opencode", "gemini", "antigravity", "qwen",
    "copilot", "pi", "cline", "cursor", "droid", "aider", "nanocoder", "amazonq", "kiro", "demo",
)  # fmt: skip
"""One an agent, in the order in which they are synchronised and listed."""

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
    agent: Agent = import_module(f".{folder}", __package__).AGENT
    return agent


class AgentParts(Mapping[str, T]):
    """One part of every agent that has it, by the agent's name; `field` of `Agent` refers to it."""

    def __init__(self, field: str) -> None:
        self._field = field
        self._loaded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            module, _, attribute = self._reference(name).partition(":")
            if not module:
                raise KeyError(name)
            folder = name.replace("-", "_")
            loaded = import_module(f".{folder}.{module}", __package__)
            self._loaded[name] = getattr(loaded, attribute)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._reference(name))

    def __iter__(self) -> Iterator[str]:
        return (name for name in agents() if self._reference(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _reference(self, name: str) -> str:
        agent = agents().get(name)
        return "" if agent is None else str(getattr(agent, self._field))


PROVIDERS: "Mapping[str, Provider]" = AgentParts("files")
CLI_EXPORTS: "Mapping[str, Callable[[], Provider]]" = AgentParts("cli_export")
STREAMS: "Mapping[str, Stream]" = AgentParts("stream")
HOOKS: "Mapping[str, Hook]" = AgentParts("hooks")
TELEMETRY: "Mapping[str, Telemetry]" = AgentParts("telemetry")
INTEGRATIONS: "Mapping[str, Integration]" = AgentParts("integration")
RETENTION: "Mapping[str, Callable[[Home], float | None]]" = AgentParts("retention")
BASE_URL_OVERRIDES: "Mapping[str, Callable[[Mapping[str, str], str | None], BaseUrlOverride]]" = (
    AgentParts("base_url_override")
)


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
