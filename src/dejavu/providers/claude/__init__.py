"""Claude Code: everything that is known of this agent but its screen.

Telemetry settings: code.claude.com/docs/en/monitoring-usage, and what it sent (`telemetry`).
"""

from ..agent import ENDPOINT, TOKEN, Agent, BaseUrl

AGENT = Agent(
    name="claude",
    title="Claude Code",
    executables=("claude", "claude-code", "claude-agent-acp", "claude-code-acp"),
    install="npm install -g @anthropic-ai/claude-code",
    resume=("claude", "--resume"),
    begin=("claude",),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=(
        ".claude",
        ".config/claude/projects",
        "Library/Application Support/Claude/local-agent-mode-sessions",
    ),
    history=(
        "a JSONL file a session, from 1.0 on; sub-agents (in files of their own, or as side "
        "chains), workflows and their journals, queued prompts, compaction, resumed and forked "
        "sessions; the desktop's local sessions"
    ),
    moved_by=("CLAUDE_CONFIG_DIR",),
    session_header="x-claude-code-session-id",
    stream="stream:STREAM",
    hooks="hooks:HOOK",
    guard_form="updated_output",
    telemetry="telemetry:TELEMETRY",
    integration="integration:INTEGRATION",
    retention="retention:retention_days",
    # Its form of payload is the one that others took over: what fits no other mark is its own.
    payload_mark=("hook_event_name", ""),
    base_urls=(BaseUrl("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),),
    telemetry_environment={
        "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
        "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT,
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{TOKEN}",
        "OTEL_LOG_USER_PROMPTS": "1",
        "OTEL_LOG_TOOL_DETAILS": "1",
        "OTEL_LOG_TOOL_CONTENT": "1",
    },
    tested="2.1.330",
)
