"""Mistral Vibe: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="vibe",
    title="Mistral Vibe",
    executables=("vibe",),
    install="pip install mistral-vibe",
    resume=("vibe", "--resume"),
    files="files:PROVIDER",
    history="messages and a description, a folder a session",
    store=Store(
        form="vibe.files:VibeParser",
        base=".vibe",
        variable="VIBE_HOME",
        paths=("logs/session/*/messages.jsonl", "logs/session/*/agents/*/messages.jsonl"),
        native=1,
    ),
    observed=False,
)
