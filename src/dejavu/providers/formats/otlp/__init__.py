"""OTLP: what agents export as telemetry, as turns.

Takes bodies of OTLP/HTTP requests, JSON or protobuf; gives the same updates as a session file's
parser, every turn with vector `otlp`. Listens nowhere.
"""

from .export import SIGNALS, Event, body_of, events, line
from .protocol import Telemetry, TelemetryParser
from .registry import agent_of

__all__ = [
    "SIGNALS",
    "Event",
    "Telemetry",
    "TelemetryParser",
    "agent_of",
    "body_of",
    "events",
    "line",
]
