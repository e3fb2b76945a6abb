"""TRAE: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="trae",
    title="TRAE",
    executables=("traex", "traecli"),
    resume=("traex", "resume"),
    files="files:PROVIDER",
    history="Codex's rollouts of its command line",
    store=Store(
        form="codex.parser:CodexParser",
        base=".trae/cli",
        variable="TRAECLI_HOME",
        paths=("sessions/**/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl"),
    ),
    observed=False,
    unread="chats of the editor, which are encrypted",
)
