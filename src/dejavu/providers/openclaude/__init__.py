"""OpenClaude: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="openclaude",
    title="OpenClaude",
    executables=("openclaude",),
    resume=("openclaude", "--resume"),
    history="Claude Code's form",
    store=Store(
        form="claude.parser:ClaudeParser",
        base=".openclaude",
        paths=("projects/*/*.jsonl", "projects/*/*/subagents/**/*.jsonl"),
        parent=2,
    ),
    observed=False,
)
