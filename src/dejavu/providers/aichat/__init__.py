"""aichat: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="aichat",
    title="aichat",
    executables=("aichat",),
    history="sessions in YAML, kept as they are",
    store=Store(
        home=(".config/aichat/sessions/*.yaml", ".config/aichat/messages.md"),
    ),
    observed=False,
    unread="everything",
)
