"""iFlow: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="iflow",
    title="iFlow",
    executables=("iflow",),
    history="Claude Code's form",
    store=Store(
        form="claude.parser:ClaudeParser",
        base=".iflow",
        paths=("projects/*/*.jsonl",),
    ),
    observed=False,
    integration="integration:INTEGRATION",
)
