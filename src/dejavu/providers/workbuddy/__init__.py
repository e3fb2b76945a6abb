"""WorkBuddy: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="workbuddy",
    title="WorkBuddy",
    history="CodeBuddy's form",
    store=Store(
        form="codebuddy.files:CodeBuddyParser",
        base=".workbuddy",
        variable="WORKBUDDY_CONFIG_DIR",
        paths=("projects/*/*.jsonl", "projects/*/*/subagents/*.jsonl"),
        home=(".workbuddy-ai/projects/*/*.jsonl",),
        parent=2,
    ),
    observed=False,
)
