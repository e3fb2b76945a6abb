"""Hermes: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="hermes",
    title="Hermes",
    executables=("hermes",),
    install="pip install hermes-agent",
    resume=("hermes", "--resume"),
    files="files:PROVIDER",
    history="a database of messages",
    tested="0.19.0",
    unread="sessions in PostgreSQL",
    marks=(".hermes",),
    moved_by=("HERMES_HOME",),
    integration="server",
)
