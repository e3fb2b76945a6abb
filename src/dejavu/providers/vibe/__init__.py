"""Mistral Vibe: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="vibe",
    title="Mistral Vibe",
    executables=("vibe",),
    install="pip install mistral-vibe",
    resume=("vibe", "--resume"),
    files="files:PROVIDER",
    history="what was said and done, a folder a session; of versions before 3 a JSONL file each",
    store=Store(
        form="vibe.files:VibeParser",
        base=".vibe",
        variable="VIBE_HOME",
        paths=("logs/session/*/messages.jsonl", "logs/session/*/agents/*/messages.jsonl"),
        native=1,
    ),
    tested="3.0.2",
    unread="tokens of a single answer, which its folders do not tell",
    integration="server",
)
