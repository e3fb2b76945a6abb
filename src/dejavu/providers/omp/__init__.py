"""Oh My Pi: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="omp",
    title="Oh My Pi",
    executables=("omp",),
    install="npm install -g @oh-my-pi/pi-coding-agent",
    resume=("omp", "--session"),
    history="Pi's form",
    store=Store(
        separator="_",
        form="pi.files:PiParser",
        home=(".omp/agent/sessions/**/*.jsonl", ".omp/profiles/*/agent/sessions/**/*.jsonl"),
        data=("omp/sessions/**/*.jsonl", "omp/profiles/*/sessions/**/*.jsonl"),
    ),
    observed=False,
    integration="integration:INTEGRATION",
)
