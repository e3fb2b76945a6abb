"""The telemetry we know, by agent: the one list."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ...claude.telemetry import CLAUDE
from ...codex.telemetry import CODEX
from ...gemini.telemetry import GEMINI
from ...qwen.telemetry import QWEN
from .export import events
from .protocol import Telemetry

TELEMETRY: Mapping[str, Telemetry] = MappingProxyType(
    {one.agent: one for one in (CLAUDE, CODEX, GEMINI, QWEN)}
)
_SERVICES = {service: one.agent for one in TELEMETRY.values() for service in one.services}


def agent_of(body: dict[str, Any]) -> str | None:
    """Which agent sent this export, by its `service.name`; None if it is none of ours."""
    return next((_SERVICES[one.service] for one in events(body) if one.service in _SERVICES), None)
