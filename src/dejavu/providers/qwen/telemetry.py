"""Qwen Code's telemetry: `telemetry` in `settings.json`, or `QWEN_TELEMETRY_*`.

Takes its log events; reads them as Gemini's, from which they came. What its memory and its
sub-agents ask the model has a `subagent_name`, and stands in conversations below.
"""

from ..formats.otlp.protocol import Telemetry
from ..gemini.telemetry import GeminiParser


class QwenParser(GeminiParser):
    """Turns from `qwen-code.*` events."""

    prefix = "qwen-code."


TELEMETRY = Telemetry("qwen", QwenParser, ("qwen-code",))
