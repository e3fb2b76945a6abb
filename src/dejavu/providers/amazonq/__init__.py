"""Amazon Q Developer CLI: its command; nothing of it is read but its screen."""

from ..agent import Agent

AGENT = Agent(name="amazonq", title="Amazon Q", executables=("q",))
