"""OpenClaw: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="openclaw",
    title="OpenClaw",
    executables=("openclaw",),
    install="npm install -g openclaw",
    history="Pi's form, an agent a folder",
    store=Store(
        form="pi.files:PiParser",
        base=".openclaw",
        variable="OPENCLAW_STATE_DIR",
        paths=("agents/*/sessions/*.jsonl",),
        excluded=("*.checkpoint.*",),
    ),
    observed=False,
    unread="checkpoints before a compaction, and transcripts it deleted or reset",
)
