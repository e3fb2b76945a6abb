"""Pi: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="pi",
    title="Pi",
    executables=("pi",),
    install="npm install -g @mariozechner/pi-coding-agent",
    resume=("pi", "--session"),
    files="files:PROVIDER",
    stream="stream:STREAM",
)
