"""Exports in, turns out: what every test of telemetry needs."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers import TELEMETRY
from dejavu.providers.formats.otlp import line
from dejavu.providers.protocol import Kind, Source

SERVICES = {name: one.services[0] for name, one in TELEMETRY.items()}


def wrapped(value: Any) -> dict[str, Any]:
    """A plain value as an `AnyValue`."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value if isinstance(value, str) else json.dumps(value)}


def pairs(facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": wrapped(value)} for key, value in facts.items()]


@pytest.fixture
def otlp_log() -> Callable[..., dict[str, Any]]:
    """A otlp_log record: its event name and its attributes."""

    def make(name: str, at: float = 1000.0, **facts: Any) -> dict[str, Any]:
        named = {"event.name": name, **{key.replace("__", "."): v for key, v in facts.items()}}
        return {"timeUnixNano": str(int(at * 1e9)), "attributes": pairs(named)}

    return make


@pytest.fixture
def otlp_span() -> Callable[..., dict[str, Any]]:
    """A otlp_span with one event in it."""

    def make(name: str, event: str, inside: dict[str, Any], **facts: Any) -> dict[str, Any]:
        named = {key.replace("__", "."): value for key, value in facts.items()}
        events = [{"name": event, "timeUnixNano": 1, "attributes": pairs(inside)}]
        return {"name": name, "attributes": pairs(named), "events": events}

    return make


def body(agent: str, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One export request; spans are told from logs by their names."""
    resource = {"attributes": pairs({"service.name": SERVICES[agent]})}
    logs = [record for record in records if "name" not in record]
    spans = [record for record in records if "name" in record]
    if spans:
        return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": logs}]}]}


@pytest.fixture
def play_otlp(in_pieces: Callable[..., Any]) -> Callable[..., Any]:
    """Feed batches of records, each an export, in pieces cut at `cuts`."""

    def run(
        agent: str,
        *batches: Sequence[dict[str, Any]],
        cuts: Sequence[int] = (),
        resumed: bool = False,
    ) -> Any:
        data = b"".join(
            line("/v1/logs", json.dumps(body(agent, batch)).encode(), "application/json", 1.0)
            for batch in batches
        )
        source = Source(agent, Path("otlp"), "local", Kind.APPEND, name="spool")
        return in_pieces(partial(TELEMETRY[agent].parser, source), data, cuts, resumed=resumed)

    return run
