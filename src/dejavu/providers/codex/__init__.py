"""Codex: everything that is known of this agent but its screen."""

from ..agent import ENDPOINT, TOKEN, Agent

AGENT = Agent(
    name="codex",
    title="Codex",
    executables=("codex", "codex-acp"),
    install="npm install -g @openai/codex",
    resume=("codex", "resume"),
    begin=("codex",),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=(".codex",),
    history=(
        "rollouts of every generation: bare lines, envelopes, `item_completed`; `.jsonl.zst`; "
        "forks and sub-agents without their parent's copy; threads that only "
        "`thread_history_1.sqlite` still has"
    ),
    moved_by=("CODEX_HOME",),
    stream="stream:STREAM",
    hooks="hooks:HOOK",
    guard_form="block",
    telemetry="telemetry:TELEMETRY",
    integration="integration:INTEGRATION",
    base_url_override="base_url:override",
    ca_variables=("CODEX_CA_CERTIFICATE",),
    telemetry_settings=(
        "# codex, in config.toml (it has no variables for this)\n[otel]\nlog_user_prompt = true\n"
        f'[otel.exporter.otlp-http]\nendpoint = "{ENDPOINT}/v1/logs"\nprotocol = "binary"\n'
        f'headers = {{ "Authorization" = "Bearer {TOKEN}" }}'
    ),
    tested="0.169.0",
)
