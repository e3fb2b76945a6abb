"""What to set so that an agent sends its telemetry here: the one list.

Takes the endpoint; gives variables by agent, or a file's lines where there are none. Prompts and
texts are in an export only where the agent is told to log them. Pure. Sources: what the agents
sent (see `providers.otlp`), and their documentation.
"""

from collections.abc import Mapping


def settings(endpoint: str) -> dict[str, dict[str, str]]:
    """Variables by agent."""
    return {
        "claude": {
            "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
            "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
            "OTEL_LOGS_EXPORTER": "otlp",
            "OTEL_TRACES_EXPORTER": "otlp",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_LOG_USER_PROMPTS": "1",
            "OTEL_LOG_TOOL_DETAILS": "1",
            "OTEL_LOG_TOOL_CONTENT": "1",
        },
        "gemini": {
            "GEMINI_TELEMETRY_ENABLED": "true",
            "GEMINI_TELEMETRY_TARGET": "local",
            "GEMINI_TELEMETRY_OTLP_PROTOCOL": "http",
            "GEMINI_TELEMETRY_OTLP_ENDPOINT": endpoint,
            "GEMINI_TELEMETRY_LOG_PROMPTS": "true",
        },
        "qwen": {
            "QWEN_TELEMETRY_ENABLED": "true",
            "QWEN_TELEMETRY_TARGET": "local",
            "QWEN_TELEMETRY_OTLP_PROTOCOL": "http",
            "QWEN_TELEMETRY_OTLP_ENDPOINT": endpoint,
            "QWEN_TELEMETRY_LOG_PROMPTS": "true",
        },
    }


def _codex(endpoint: str) -> str:
    return (
        "# codex, in config.toml (it has no variables for this)\n[otel]\nlog_user_prompt = true\n"
        f'[otel.exporter.otlp-http]\nendpoint = "{endpoint}/v1/logs"\nprotocol = "binary"'
    )


def told(endpoint: str) -> str:
    """All of it, as a person pastes it."""
    blocks = [f"receiving on {endpoint} until interrupted; set in the agent's shell:"]
    blocks += [_exports(agent, pairs) for agent, pairs in settings(endpoint).items()]
    return "\n\n".join([*blocks, _codex(endpoint)])


def _exports(agent: str, pairs: Mapping[str, str]) -> str:
    return "\n".join([f"# {agent}", *(f"export {name}={value}" for name, value in pairs.items())])
