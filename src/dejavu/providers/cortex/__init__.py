"""Cortex Code: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="cortex",
    title="Cortex Code",
    executables=("cortex",),
    files="files:PROVIDER",
    history="a document a conversation, and its history next to it",
    store=Store(
        form="cortex.files:CortexParser",
        base=".snowflake/cortex",
        paths=("conversations/*.json", "conversations/*.history.jsonl"),
    ),
    observed=False,
)
