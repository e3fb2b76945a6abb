"""Conversations as OpenTelemetry traces: the conversion (`as_otel`), and the sending (`send`).

Takes a conversation; gives OTLP JSON. Nothing is sent but by `send`, to the address it is given.
"""

from .send import send
from .spans import as_otel

__all__ = ["as_otel", "send"]
