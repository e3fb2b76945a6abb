"""Posit Assistant: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="posit-assistant",
    title="Posit Assistant",
    history="the model's messages, a folder a conversation",
    store=Store(
        form="entry_parsers:LineEntries",
        base=".posit/assistant",
        paths=(
            "workspaces/*/conversations/*/lm-messages.jsonl",
            "workspaces/*/*/lm-messages.jsonl",
        ),
        native=1,
    ),
    observed=False,
)
