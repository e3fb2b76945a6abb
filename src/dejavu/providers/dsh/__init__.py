"""DeepSeek Harness: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="dsh",
    title="DeepSeek Harness",
    executables=("dsh",),
    install="npm install -g @deepseek-ai/dsh",
    files="files:PROVIDER",
    history="a log of events a session, plain or in zstd frames",
    store=Store(
        form="dsh.files:DshParser",
        base=".dsh",
        variable="DSH_HOME",
        paths=(
            "sessions/*/session-*/session*.jsonl",
            "sessions/*/session-*/session*.jsonl.zstd",
            "sessions/*/session-*/session*.jsonl.zst",
        ),
        native=1,
    ),
    observed=False,
)
