"""Kimi Code: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="kimi",
    title="Kimi Code",
    executables=("kimi", "kimi-cli", "kimi-code"),
    install="npm install -g @moonshot-ai/kimi-code",
    resume=("kimi", "-r"),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=(".kimi-code",),
    history=("an event log an agent of a session, protocols 1.1 to 1.5"),
    moved_by=("KIMI_CODE_HOME",),
    stream="stream:STREAM",
    hooks="hooks:HOOK",
    integration="integration:INTEGRATION",
    hook_answer="text",
    payload_mark=("client_type", "kimi"),
    base_url_refusal=("its base URLs stand in config.toml; set `base_url` of the provider there"),
    tested="2.1.0",
)
