"""Which agent an export comes from."""

from typing import Any

from ...registry import TELEMETRY
from .export import events


def agent_of(body: dict[str, Any]) -> str | None:
    """The agent that sent this export, by its `service.name`; None if it is none of ours."""
    services = {name: item.agent for item in TELEMETRY.values() for name in item.services}
    return next((services[item.service] for item in events(body) if item.service in services), None)
