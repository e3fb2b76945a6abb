"""Zencoder: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="zencoder",
    title="Zencoder",
    history="a JSONL file a session",
    store=Store(
        form="entry_parsers:LineEntries",
        base=".zencoder",
        paths=("sessions/*.jsonl", "sessions/*/*.jsonl"),
    ),
    observed=False,
)
