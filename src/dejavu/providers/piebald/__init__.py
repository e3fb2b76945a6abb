"""Piebald: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="piebald",
    title="Piebald",
    files="files:PROVIDER",
    history="chats in a database",
    observed=False,
    marks=("data:piebald", "Library/Application Support/piebald"),
    moved_by=("XDG_DATA_HOME",),
)
