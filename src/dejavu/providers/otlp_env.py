"""What to set so that agents send their telemetry to an endpoint, and the text to paste.

Each agent's settings stand in its folder. Prompts and texts are in an export only where the agent
is asked to log them. The text for people names the token's file, and does not hold the token.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path

from .agent import ENDPOINT, TOKEN
from .registry import agents


def telemetry_variables(endpoint: str, token: str) -> dict[str, dict[str, str]]:
    """Variables by agent."""
    return {
        agent.name: {
            name: value.replace(ENDPOINT, endpoint).replace(TOKEN, token)
            for name, value in agent.telemetry_environment.items()
        }
        for agent in agents().values()
        if agent.telemetry_environment
    }


def instructions(endpoint: str, token_file: Path) -> str:
    """All of it, as a person pastes it: the shell reads the token from its file."""
    reading = f"$(cat {shlex.quote(str(token_file))})"
    blocks = [f"receiving on {endpoint} until interrupted; set in the agent's shell:"]
    pairs = telemetry_variables(endpoint, reading)
    blocks += [_exports(name, variables, reading) for name, variables in pairs.items()]
    blocks += [
        f"# TOKEN is what {token_file} holds\n"
        + agent.telemetry_settings.replace(ENDPOINT, endpoint).replace(TOKEN, "TOKEN")
        for agent in agents().values()
        if agent.telemetry_settings
    ]
    return "\n\n".join(blocks)


def _exports(agent: str, variables: Mapping[str, str], reading: str) -> str:
    lines = (
        f'export {name}="{value}"' if reading in value else f"export {name}={value}"
        for name, value in variables.items()
    )
    return "\n".join([f"# {agent}", *lines])
