"""Grok Build: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="grok",
    title="Grok Build",
    executables=("grok",),
    install="npm install -g @xai-official/grok",
    files="files:PROVIDER",
    history="the session's ACP updates or its chat history, a JSONL file each",
    store=Store(
        form="grok.files:GrokParser",
        base=".grok",
        variable="GROK_HOME",
        paths=("sessions/*/*/updates.jsonl", "sessions/*/*/chat_history.jsonl"),
        native=1,
    ),
    tested="1.0.41",
    integration="server",
)
