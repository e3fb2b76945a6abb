"""OpenClaw: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="openclaw",
    title="OpenClaw",
    executables=("openclaw",),
    install="npm install -g openclaw",
    files="files:PROVIDER",
    history="Pi's form in a database an agent; of older versions a JSONL file a session",
    store=Store(
        form="pi.files:PiParser",
        base=".openclaw",
        variable="OPENCLAW_STATE_DIR",
        paths=("agents/*/sessions/*.jsonl",),
        excluded=("*.checkpoint.*",),
    ),
    tested="2026.9.6",
    unread="checkpoints before a compaction, and transcripts it archived, deleted or reset",
    integration="integration:INTEGRATION",
)
