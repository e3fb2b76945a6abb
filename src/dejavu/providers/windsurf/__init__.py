"""Windsurf: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="windsurf",
    title="Windsurf",
    history="a folder of encrypted conversations, kept as it is",
    store=Store(
        home=(".codeium/windsurf/cascade/*.pb",),
    ),
    observed=False,
    unread="everything: its conversations are encrypted",
    integration="integration:INTEGRATION",
)
