"""Qoder: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="qoder",
    title="Qoder",
    executables=("qodercli",),
    install="npm install -g @qoder-ai/qodercli",
    resume=("qodercli", "-r"),
    history="a JSONL file a session",
    store=Store(
        form="claude.parser:ClaudeParser",
        base=".qoder",
        paths=("projects/*/*.jsonl", "projects/*/*/subagents/*.jsonl"),
        home=(".qoderwork/projects/*/*.jsonl",),
        parent=2,
    ),
    observed=False,
    integration="integration:INTEGRATION",
)
