"""MiMo Code: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="mimocode",
    title="MiMo Code",
    executables=("mimo",),
    files="files:PROVIDER",
    history="OpenCode's database and trees",
    observed=False,
    marks=("data:mimocode",),
    moved_by=("XDG_DATA_HOME",),
)
