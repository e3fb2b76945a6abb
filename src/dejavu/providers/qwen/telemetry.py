"""Qwen Code's telemetry: `telemetry` in `settings.json`, or `QWEN_TELEMETRY_*`.

Its log events derive from Gemini CLI's and are parsed by the same code. Requests of its memory and
its sub-agents carry a `subagent_name` and become child conversations.
"""

from ..formats.otlp.protocol import Telemetry
from ..gemini.telemetry import GeminiTelemetryParser


class QwenTelemetryParser(GeminiTelemetryParser):
    """Turns from `qwen-code.*` events."""

    prefix = "qwen-code."


TELEMETRY = Telemetry("qwen", QwenTelemetryParser, ("qwen-code",))
