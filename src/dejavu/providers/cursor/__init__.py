"""Cursor's command line agent: everything that is known of it but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="cursor",
    title="Cursor Agent",
    executables=("cursor-agent", "agent"),
    resume=("cursor-agent", "--resume"),
    begin=("cursor-agent",),
    files="files:PROVIDER",
    marks=(".cursor",),
    history=("the command line agent's transcripts"),
    moved_by=("CURSOR_DATA_DIR",),
    observed=False,
    integration="server",
)
