"""Forge: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="forge",
    title="Forge",
    executables=("forge",),
    files="files:PROVIDER",
    history="a document a conversation, in a database",
    observed=False,
    marks=("forge", ".forge"),
    moved_by=("FORGE_CONFIG",),
)
