"""Antigravity: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="antigravity",
    title="Antigravity",
    executables=("agy",),
    files="files:PROVIDER",
    marks=(".gemini/antigravity-cli", ".gemini/antigravity"),
    history="the log of steps, whole where there is one",
    moved_by=("GEMINI_CLI_HOME",),
    observed=False,
    unread="its databases, which are encrypted",
    integration="integration:INTEGRATION",
)
