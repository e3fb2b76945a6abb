"""Pi: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="pi",
    title="Pi",
    executables=("pi",),
    install="npm install -g @mariozechner/pi-coding-agent",
    resume=("pi", "--session"),
    begin=("pi",),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=(".pi/agent",),
    history=("entries in a tree"),
    moved_by=(
        "PI_CODING_AGENT_DIR",
        "PI_CODING_AGENT_SESSION_DIR",
    ),
    stream="stream:STREAM",
    hooks="hooks:HOOK",
    tested="0.84.4",
    integration="integration:INTEGRATION",
)
