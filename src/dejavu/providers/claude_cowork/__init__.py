"""Claude Cowork: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="claude-cowork",
    title="Claude Cowork",
    history="Claude Code's form, in the desktop's folders",
    store=Store(
        form="claude.parser:ClaudeParser",
        home=(".config/Claude/local-agent-mode-sessions/**/.claude/projects/*/*.jsonl",),
    ),
    observed=False,
    integration="integration:INTEGRATION",
)
