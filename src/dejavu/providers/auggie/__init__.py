"""Auggie: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="auggie",
    title="Auggie",
    executables=("auggie",),
    install="npm install -g @augmentcode/auggie",
    resume=("auggie", "--resume"),
    history="a document of exchanges a session",
    store=Store(
        form="auggie.files:AuggieParser",
        base=".augment",
        paths=("sessions/*.json",),
    ),
    observed=False,
    integration="server",
)
