"""Reasonix: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="reasonix",
    title="Reasonix",
    executables=("reasonix",),
    install="npm install -g reasonix",
    resume=("reasonix", "--resume"),
    files="files:PROVIDER",
    history="a JSONL file a session; frames of events in 1.x",
    store=Store(
        form="reasonix.files:ReasonixParser",
        base=".reasonix",
        variable="REASONIX_STATE_HOME",
        paths=(
            "sessions/*.jsonl",
            "projects/*/sessions/*.jsonl",
            "sessions-v4/*/events.frames",
            "projects/*/sessions-v4/*/events.frames",
            "desktop-sessions-v5/by-id/*/events.frames",
        ),
        excluded=(
            "*.events.jsonl",
            "*.wire.jsonl",
            "*.guardian.jsonl",
            "*.conflicts.jsonl",
            "*.adjudication.jsonl",
            "*.execution.jsonl",
            "*.turns.jsonl",
            "subagent-*.jsonl",
        ),
    ),
    observed=False,
)
