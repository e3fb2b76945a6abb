"""Omnigent: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="omnigent",
    title="Omnigent",
    history="its database, kept as it is",
    store=Store(
        base=".omnigent",
        paths=("chat.db",),
    ),
    observed=False,
    unread="everything",
)
