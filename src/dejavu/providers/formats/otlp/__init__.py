"""OTLP export requests, JSON or protobuf, as the updates that a session file's parser makes.

Every turn has vector `otlp`. Nothing here listens.
"""

from .export import SIGNALS, OtlpEvent, body_of, events, line
from .protocol import Telemetry, TelemetryParser
from .registry import agent_of

__all__ = [
    "SIGNALS",
    "OtlpEvent",
    "Telemetry",
    "TelemetryParser",
    "agent_of",
    "body_of",
    "events",
    "line",
]
