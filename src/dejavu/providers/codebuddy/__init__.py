"""CodeBuddy Code: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="codebuddy",
    title="CodeBuddy Code",
    executables=("codebuddy",),
    install="npm install -g @tencent-ai/codebuddy-code",
    resume=("codebuddy", "-c", "-r"),
    history="items of the Responses API, a JSONL file a session",
    store=Store(
        form="codebuddy.files:CodeBuddyParser",
        base=".codebuddy",
        variable="CODEBUDDY_CONFIG_DIR",
        paths=("projects/*/*.jsonl", "projects/*/*/subagents/*.jsonl"),
        parent=2,
    ),
    observed=False,
    integration="integration:INTEGRATION",
)
