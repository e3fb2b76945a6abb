"""QClaw: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="qclaw",
    title="QClaw",
    history="OpenClaw's form",
    store=Store(
        form="pi.files:PiParser",
        base=".qclaw",
        paths=("agents/*/sessions/*.jsonl",),
        excluded=("*.checkpoint.*",),
    ),
    observed=False,
)
