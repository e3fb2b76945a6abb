"""Droid (Factory): everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="droid",
    title="Droid",
    executables=("droid",),
    resume=("droid", "--resume"),
    begin=("droid",),
    files="files:PROVIDER",
    marks=(".factory/sessions",),
    history=("a JSONL file a session"),
    moved_by=("FACTORY_HOME_OVERRIDE",),
    observed=False,
    integration="integration:INTEGRATION",
)
