"""ZCode: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="zcode",
    title="ZCode",
    files="files:PROVIDER",
    marks=(".zcode/cli",),
    history="a flat JSONL file a session, and OpenCode's tables",
    store=Store(
        form="zcode.files:FlatParser",
        base=".zcode",
        paths=("projects/*/*.jsonl",),
    ),
    observed=False,
)
