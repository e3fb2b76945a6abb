"""What is known of each agent: one folder an agent, what they share next to them, one registry.

Finds session files and databases, follows what is appended or edited, and parses bytes into
conversations. Never writes into an agent's folder, never talks to a network.
"""

from dejavu import names_on_first_use

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
        ".registry",
    ),
    "StaleStateError": ".parsing",
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


# On first use: `dejavu-run` asks for the agents' names alone and must not load their parsers.
__getattr__ = names_on_first_use(__name__, {**dict.fromkeys(__all__, ".protocol"), **_MODULES})
