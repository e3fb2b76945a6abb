"""Amazon Q: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="amazonq",
    title="Amazon Q",
    executables=("q",),
    files="files:PROVIDER",
    history="one document a folder, in a database",
    observed=False,
    marks=("data:amazon-q", "Library/Application Support/amazon-q"),
    moved_by=("XDG_DATA_HOME",),
    integration="server",
)
