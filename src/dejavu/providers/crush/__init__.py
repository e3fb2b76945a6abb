"""Crush: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="crush",
    title="Crush",
    executables=("crush",),
    install="npm install -g @charmland/crush",
    resume=("crush", "--session"),
    files="files:PROVIDER",
    history="a database a project",
    observed=False,
    marks=(".crush", "data:crush"),
    moved_by=("XDG_DATA_HOME",),
    integration="server",
)
