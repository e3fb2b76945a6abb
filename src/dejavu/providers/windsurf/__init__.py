"""Windsurf: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="windsurf",
    title="Windsurf",
    history="its conversations are encrypted; they are kept as they are",
    store=Store(
        home=(".codeium/windsurf/cascade/*.pb",),
    ),
    observed=False,
    unread="everything: its conversations are encrypted",
    integration="integration:INTEGRATION",
)
