"""Gemini CLI: everything that is known of this agent but its screen."""

from ..agent import ENDPOINT, TOKEN, Agent, BaseUrl

AGENT = Agent(
    name="gemini",
    title="Gemini CLI",
    executables=("gemini", "gemini-cli"),
    install="npm install -g @google/gemini-cli",
    resume=("gemini", "--resume"),
    begin=("gemini", "-i"),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=(".gemini/tmp",),
    history=("patch logs, the documents before them, sub-agents"),
    moved_by=("GEMINI_CLI_HOME",),
    stream="stream:STREAM",
    hooks="hooks:HOOK",
    guard_form="block",
    telemetry="telemetry:TELEMETRY",
    integration="integration:INTEGRATION",
    retention="retention:retention_days",
    prompt_event="BeforeAgent",
    payload_mark=("hook_event_name", "BeforeAgent"),
    base_urls=(
        BaseUrl("GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"),
        BaseUrl("CODE_ASSIST_ENDPOINT", "https://cloudcode-pa.googleapis.com"),
    ),
    telemetry_environment={
        "GEMINI_TELEMETRY_ENABLED": "true",
        "GEMINI_TELEMETRY_TARGET": "local",
        "GEMINI_TELEMETRY_OTLP_PROTOCOL": "http",
        "GEMINI_TELEMETRY_OTLP_ENDPOINT": ENDPOINT,
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{TOKEN}",
        "GEMINI_TELEMETRY_LOG_PROMPTS": "true",
    },
    tested="0.61.0",
)
