"""Plandex: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="plandex",
    title="Plandex",
    executables=("plandex",),
    history="its server's folder, kept as it is",
    store=Store(
        home=(".plandex-home-v2/**/*.json", ".plandex-home/**/*.json"),
    ),
    observed=False,
    unread="everything: plans stand on its server",
)
