"""OTLP exports taken apart: every event of every batch, with its attributes as plain values.

Takes the body of one export request, in JSON or protobuf; gives `Event`s in their order. Log
records are events; so are a span and what happened in it. Does no I/O; O(body).
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from ..json_coerce import mapping, rows, text
from ..json_lines import plain
from . import protobuf as wire_format

SIGNALS = {"/v1/logs": "logs", "/v1/traces": "traces"}
"""Paths of OTLP/HTTP that carry what we read."""
_DEEP = 16


@dataclass(frozen=True, slots=True)
class Event:
    """One event: `span` names the span it happened in, if it is not a log record."""

    name: str
    at: float | None
    attributes: dict[str, Any]
    service: str
    span: str = ""


def line(path: str, body: bytes, content_type: str, at: float) -> bytes:
    """An export that came at `at`, as a line of a spool: JSON as it is, protobuf in base64.

    Raises:
        ValueError: a JSON body that is none.
    """
    head = {"t": at, "path": path}
    if "json" in content_type:
        if (value := plain(body)) is None:
            raise ValueError(f"{path}: the body is no JSON; the exporter must send whole requests")
        return msgspec.json.encode({**head, "body": value}) + b"\n"
    return msgspec.json.encode({**head, "b64": base64.b64encode(body).decode()}) + b"\n"


def body_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """The request of a spool's line, in its JSON form; None if it cannot be read."""
    if "b64" not in value:
        return mapping(value.get("body")) or None
    signal = SIGNALS.get(text(value.get("path")))
    if signal is None:
        return {}
    try:
        return wire_format.decode(base64.b64decode(text(value["b64"])), signal)
    except ValueError:
        return None


def events(body: dict[str, Any]) -> Iterator[Event]:
    """Every event of a request, in its order."""
    for resource in rows(body.get("resourceLogs")):
        service = _service(resource)
        for scope in rows(resource.get("scopeLogs")):
            for record in rows(scope.get("logRecords")):
                yield _log(record, service)
    for resource in rows(body.get("resourceSpans")):
        service = _service(resource)
        for scope in rows(resource.get("scopeSpans")):
            for span in rows(scope.get("spans")):
                yield from _span(span, service)


def _log(record: dict[str, Any], service: str) -> Event:
    facts = attributes(record)
    name = text(facts.get("event.name")) or text(record.get("eventName"))
    at = _moment(record, "timeUnixNano") or _moment(record, "observedTimeUnixNano")
    return Event(name or text(value_of(record.get("body"))), at, facts, service)


def _span(span: dict[str, Any], service: str) -> Iterator[Event]:
    name, facts = text(span.get("name")), attributes(span)
    yield Event("", _moment(span, "startTimeUnixNano"), facts, service, name)
    for event in rows(span.get("events")):
        at = _moment(event, "timeUnixNano")
        yield Event(text(event.get("name")), at, {**facts, **attributes(event)}, service, name)


def _service(resource: dict[str, Any]) -> str:
    return text(attributes(mapping(resource.get("resource"))).get("service.name"))


def _moment(record: dict[str, Any], key: str) -> float | None:
    """Unix seconds from nanoseconds, which JSON writes as text or as a number."""
    try:
        nanoseconds = int(record.get(key) or 0)
    except (TypeError, ValueError):
        return None
    return nanoseconds / 1e9 if 0 < nanoseconds < 1 << 63 else None


def attributes(record: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a record, a span or a resource as plain values."""
    pairs = rows(record.get("attributes"))
    return {text(pair.get("key")): value_of(pair.get("value")) for pair in pairs}


def value_of(value: Any, depth: int = 0) -> Any:
    """An `AnyValue` as a plain value; None for one that is empty, odd or nested too deep."""
    for kind, inner in mapping(value).items():
        if kind == "intValue":
            return int(inner) if str(inner).lstrip("-").isdigit() else None
        if kind == "arrayValue" and depth < _DEEP:
            values = rows(mapping(inner).get("values"))
            return [value_of(item, depth + 1) for item in values]
        if kind == "kvlistValue" and depth < _DEEP:
            pairs = rows(mapping(inner).get("values"))
            return {text(pair.get("key")): value_of(pair.get("value"), depth + 1) for pair in pairs}
        if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
            return inner
    return None
