"""Nanocoder: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="nanocoder",
    title="Nanocoder",
    executables=("nanocoder",),
    files="files:PROVIDER",
    marks=("data:nanocoder",),
    history="a document a session; it notes no times for messages",
    moved_by=("NANOCODER_DATA_DIR", "XDG_DATA_HOME"),
    tested="1.25.2",
)
