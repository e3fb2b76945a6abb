"""Prime Agent: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="prime",
    title="Prime Agent",
    executables=("prime-agent",),
    resume=("prime-agent", "--resume"),
    history="Pi's form, a file a session and a child",
    store=Store(
        separator="_",
        form="pi.files:PiParser",
        base=".prime/agent",
        variable="PRIME_AGENT_CODING_AGENT_DIR",
        paths=("sessions/**/*.jsonl", "session-artifacts/*/*/*.jsonl"),
        excluded=("semantic-edges.jsonl",),
    ),
    observed=False,
)
