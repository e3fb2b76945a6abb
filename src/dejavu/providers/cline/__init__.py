"""Cline: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="cline",
    title="Cline",
    executables=("cline",),
    install="npm install -g cline",
    resume=("cline", "--id"),
    files="files:PROVIDER",
)
