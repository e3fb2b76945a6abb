"""Nanocoder: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="nanocoder", title="Nanocoder", executables=("nanocoder",), files="files:PROVIDER"
)
