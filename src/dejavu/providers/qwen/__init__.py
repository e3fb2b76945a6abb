"""Qwen Code: everything that is known of this agent but its screen."""

from ..agent import ENDPOINT, TOKEN, Agent, BaseUrl

AGENT = Agent(
    name="qwen",
    title="Qwen Code",
    executables=("qwen", "qwen-code"),
    install="npm install -g @qwen-code/qwen-code",
    resume=("qwen", "--resume"),
    begin=("qwen", "-i"),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=(".qwen",),
    history=("a JSONL file a session, and older documents"),
    moved_by=(
        "QWEN_HOME",
        "QWEN_RUNTIME_DIR",
    ),
    session_header="x-qwen-code-session-id",
    stream="stream:STREAM",
    hooks="hooks:HOOK",
    guard_form="stop",
    telemetry="telemetry:TELEMETRY",
    integration="integration:INTEGRATION",
    retention="retention:retention_days",
    # Without the variable it goes where its settings say.
    base_urls=(BaseUrl("OPENAI_BASE_URL", None),),
    telemetry_environment={
        "QWEN_TELEMETRY_ENABLED": "true",
        "QWEN_TELEMETRY_TARGET": "local",
        "QWEN_TELEMETRY_OTLP_PROTOCOL": "http",
        "QWEN_TELEMETRY_OTLP_ENDPOINT": ENDPOINT,
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{TOKEN}",
        "QWEN_TELEMETRY_LOG_PROMPTS": "true",
    },
    tested="0.24.4",
)
