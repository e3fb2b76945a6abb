"""Devin CLI: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="devin",
    title="Devin CLI",
    executables=("devin",),
    history="a trajectory a session",
    store=Store(
        form="formats.atif:AtifParser",
        data=("devin/cli/transcripts/**/*.json",),
    ),
    observed=False,
    unread="its database, which repeats the transcripts",
    integration="integration:INTEGRATION",
)
