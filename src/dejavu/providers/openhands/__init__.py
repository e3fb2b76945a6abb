"""OpenHands: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="openhands",
    title="OpenHands",
    executables=("openhands",),
    install="uv tool install openhands",
    resume=("openhands", "--resume"),
    files="files:PROVIDER",
    history="a document an event, a folder a conversation",
    tested="1.16.0",
    marks=(".openhands",),
    moved_by=("OPENHANDS_CONVERSATIONS_DIR",),
    integration="server",
)
