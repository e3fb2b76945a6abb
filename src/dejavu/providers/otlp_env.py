"""What to set so that agents send their telemetry to an endpoint, and the text to paste.

Each agent's settings stand in its folder. Prompts and texts are in an export only where the agent
is told to log them.
"""

from collections.abc import Mapping

from .agent import ENDPOINT
from .registry import agents


def telemetry_variables(endpoint: str) -> dict[str, dict[str, str]]:
    """Variables by agent."""
    return {
        agent.name: {
            name: value.replace(ENDPOINT, endpoint)
            for name, value in agent.telemetry_environment.items()
        }
        for agent in agents().values()
        if agent.telemetry_environment
    }


def instructions(endpoint: str) -> str:
    """All of it, as a person pastes it."""
    blocks = [f"receiving on {endpoint} until interrupted; set in the agent's shell:"]
    blocks += [_exports(name, pairs) for name, pairs in telemetry_variables(endpoint).items()]
    blocks += [
        agent.telemetry_settings.replace(ENDPOINT, endpoint)
        for agent in agents().values()
        if agent.telemetry_settings
    ]
    return "\n\n".join(blocks)


def _exports(agent: str, variables: Mapping[str, str]) -> str:
    lines = (f"export {name}={value}" for name, value in variables.items())
    return "\n".join([f"# {agent}", *lines])
