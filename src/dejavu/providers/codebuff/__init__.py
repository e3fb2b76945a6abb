"""Codebuff: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="codebuff",
    title="Codebuff",
    executables=("codebuff",),
    install="npm install -g codebuff",
    history="a document of messages a chat",
    store=Store(
        form="codebuff.files:CodebuffParser",
        home=(".config/manicode/projects/*/chats/*/chat-messages.json",),
        native=1,
    ),
    observed=False,
)
