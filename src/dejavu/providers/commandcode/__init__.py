"""Command Code: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="commandcode",
    title="Command Code",
    executables=("commandcode",),
    history="a flat JSONL file a session",
    store=Store(
        form="zcode.files:FlatParser",
        base=".commandcode",
        paths=("projects/*/*.jsonl",),
        excluded=("*.checkpoints.jsonl",),
    ),
    observed=False,
)
