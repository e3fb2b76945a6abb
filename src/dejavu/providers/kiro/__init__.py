"""Kiro: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="kiro",
    title="Kiro",
    executables=("kiro-cli",),
    resume=("kiro-cli", "chat", "--resume-id"),
    files="files:PROVIDER",
    history="a JSONL file a session of the command line and of the editor; a database before",
    store=Store(
        form="kiro.files:KiroParser",
        base=".kiro",
        paths=("sessions/cli/*.jsonl", "sessions/*/sess_*/messages.jsonl"),
    ),
    observed=False,
    unread="the editor's copies in its global storage",
    marks=("data:kiro-cli", "Library/Application Support/kiro-cli"),
    integration="server",
)
