"""Antigravity: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(name="antigravity", title="Antigravity", executables=("agy",), files="files:PROVIDER")
