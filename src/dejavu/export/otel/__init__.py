"""Conversations as OpenTelemetry traces: `as_otel` converts, `send` posts.

Nothing is sent but by `send`, to the address it is called with.
"""

from .send import send
from .spans import as_otel

__all__ = ["as_otel", "send"]
