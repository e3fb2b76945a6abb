"""Zed: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="zed",
    title="Zed",
    files="files:PROVIDER",
    history="threads of its agent, packed in a database",
    observed=False,
    marks=("data:zed", "Library/Application Support/Zed"),
    moved_by=("XDG_DATA_HOME",),
    integration="server",
)
