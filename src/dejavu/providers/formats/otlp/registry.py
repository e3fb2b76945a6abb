"""Which agent an export comes from."""

from typing import Any

from ...registry import TELEMETRY
from .export import events


def agent_of(body: dict[str, Any]) -> str | None:
    """The agent that sent this export, by its `service.name`; None if it is none of ours."""
    services = {name: one.agent for one in TELEMETRY.values() for name in one.services}
    return next((services[one.service] for one in events(body) if one.service in services), None)
