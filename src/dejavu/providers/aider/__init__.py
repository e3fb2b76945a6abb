"""Aider: everything that is known of this agent but its screen."""

from ..agent import Agent, BaseUrl

AGENT = Agent(
    name="aider",
    title="Aider",
    executables=("aider",),
    install="pipx install aider-chat",
    files="files:PROVIDER",
    base_urls=(
        BaseUrl("OPENAI_API_BASE", "https://api.openai.com/v1"),
        BaseUrl("ANTHROPIC_API_BASE", "https://api.anthropic.com"),
    ),
)
