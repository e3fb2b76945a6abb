"""kimi-cli, Kimi's older command line: the sessions it left; its program is read as Kimi Code."""

from ..agent import Agent

AGENT = Agent(
    name="kimi-cli",
    title="kimi-cli",
    files="files:PROVIDER",
    marks=(".kimi",),
    history="the wire's log, or the context and what was rotated away of it",
    moved_by=("KIMI_SHARE_DIR",),
    observed=False,
    hook_answer="text",
    integration="server",
)
