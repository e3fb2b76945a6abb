"""Goose: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="goose",
    title="Goose",
    executables=("goose",),
    resume=("goose", "session", "--resume", "--session-id"),
    files="files:PROVIDER",
    history="a database of sessions; before 1.10 a JSONL file each",
    store=Store(
        form="goose.files:GooseLinesParser",
        data=("goose/sessions/*.jsonl",),
        home=("Library/Application Support/Block/goose/sessions/*.jsonl",),
    ),
    observed=False,
    moved_by=("GOOSE_PATH_ROOT", "XDG_DATA_HOME"),
    integration="integration:INTEGRATION",
)
