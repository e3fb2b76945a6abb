"""Kiro CLI: its command; nothing of it is read but its screen."""

from ..agent import Agent

AGENT = Agent(name="kiro", title="Kiro", executables=("kiro-cli",))
