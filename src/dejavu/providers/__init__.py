"""What is known of each agent: one folder an agent, what they share next to them, one registry.

Finds session files and databases, follows what is appended or edited, and parses bytes into
conversations. Never writes into an agent's folder, never talks to a network.
"""

TYPE_CHECKING = False  # as typing has it, which need not be loaded
if TYPE_CHECKING:
    from .parsing import StaleStateError
    from .protocol import (
        Cursor,
        Home,
        Kind,
        Parser,
        Provider,
        RawDelta,
        Source,
        TurnUpdate,
        search_roots,
    )
    from .registry import (
        CLI_EXPORTS,
        HOOKS,
        INTEGRATIONS,
        PROVIDERS,
        RESTORERS,
        RETENTION,
        STREAMS,
        TELEMETRY,
        agents,
        find_agent,
    )

_MODULES = {
    **dict.fromkeys(
        (
            "CLI_EXPORTS", "HOOKS", "INTEGRATIONS", "PROVIDERS", "RESTORERS", "RETENTION",
            "STREAMS", "TELEMETRY", "agents", "find_agent",
        ),
        "registry",
    ),
    "StaleStateError": "parsing",
}  # fmt: skip

__all__ = [
    "CLI_EXPORTS",
    "HOOKS",
    "INTEGRATIONS",
    "PROVIDERS",
    "RESTORERS",
    "RETENTION",
    "STREAMS",
    "TELEMETRY",
    "Cursor",
    "Home",
    "Kind",
    "Parser",
    "Provider",
    "RawDelta",
    "Source",
    "StaleStateError",
    "TurnUpdate",
    "agents",
    "find_agent",
    "search_roots",
]


def __getattr__(name: str) -> object:
    # On first use: `dejavu-run` asks for the agents' names alone and must not load their parsers.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f".{_MODULES.get(name, 'protocol')}", __name__)
    value = globals()[name] = getattr(module, name)
    return value
