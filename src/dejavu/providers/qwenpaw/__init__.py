"""QwenPaw: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="qwenpaw",
    title="QwenPaw",
    history="the agent's memory, a document a session",
    store=Store(
        form="qwenpaw.files:QwenPawParser",
        base=".qwenpaw",
        paths=("workspaces/*/sessions/*.json",),
    ),
    observed=False,
)
