"""Read OTLP export requests: every event of every batch, with its attributes as Python values.

A body is OTLP's JSON encoding or protobuf; protobuf is converted to the JSON encoding by the
generated code of `opentelemetry-proto` (extra `otlp`, imported at the first such body). A log
record is an event; so are a span and each event within it. No I/O; O(body).
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from dejavu.config.extras import extra_hint
from dejavu.model import ConfigError

from ..json_lines import as_dict, as_dicts, as_str, decode_lenient

SIGNALS = {"/v1/logs": "logs", "/v1/traces": "traces"}
"""Paths of OTLP/HTTP that carry what we read."""
_REQUESTS = {
    "/v1/logs": ("logs.v1.logs_service_pb2", "ExportLogsServiceRequest"),
    "/v1/traces": ("trace.v1.trace_service_pb2", "ExportTraceServiceRequest"),
}
"""Module below `opentelemetry.proto.collector` and class of each path's protobuf message."""
_MAX_DEPTH = 16


@dataclass(frozen=True, slots=True)
class OtlpEvent:
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
        if (value := decode_lenient(body)) is None:
            raise ValueError(f"{path}: the body is no JSON; the exporter must send whole requests")
        return msgspec.json.encode({**head, "body": value}) + b"\n"
    return msgspec.json.encode({**head, "b64": base64.b64encode(body).decode()}) + b"\n"


def body_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the request of a spool's line in its JSON form; None if it cannot be read.

    Raises:
        ConfigError: it is protobuf, and the extra `otlp` is not installed.
    """
    if "b64" not in value:
        return as_dict(value.get("body")) or None
    path = as_str(value.get("path"))
    if path not in SIGNALS:
        return {}
    try:
        return decode_protobuf(path, base64.b64decode(as_str(value["b64"])))
    except ValueError:
        return None


def decode_protobuf(path: str, data: bytes) -> dict[str, Any]:
    """Return a protobuf request to `path` in its JSON form (`bytesValue` is base64 there).

    Raises:
        ValueError: cut off, nested too deep (protobuf allows 100 levels), or no such message.
        ConfigError: the extra `otlp` is not installed.
    """
    request_class, error_class, to_dict = _protobuf(path)
    try:
        values: dict[str, Any] = to_dict(request_class.FromString(data))
    except error_class as error:
        raise ValueError(f"{path}: the body is no OTLP protobuf ({error})") from error
    return values


@cache
def _protobuf(path: str) -> tuple[Any, Any, Any]:
    """Return the message class, the decoding error's class and the conversion to JSON values."""
    module, name = _REQUESTS[path]
    try:
        request_class = getattr(import_module(f"opentelemetry.proto.collector.{module}"), name)
        error_class = import_module("google.protobuf.message").DecodeError
        return (
            request_class,
            error_class,
            import_module("google.protobuf.json_format").MessageToDict,
        )
    except ImportError as error:
        raise ConfigError(
            f"reading OTLP protobuf needs the extra otlp: {extra_hint('otlp')} "
            "(or have the agent export http/json)"
        ) from error


def events(body: dict[str, Any]) -> Iterator[OtlpEvent]:
    """Every event of a request, in its order."""
    for resource in as_dicts(body.get("resourceLogs")):
        service = _service(resource)
        for scope in as_dicts(resource.get("scopeLogs")):
            for record in as_dicts(scope.get("logRecords")):
                yield _log(record, service)
    for resource in as_dicts(body.get("resourceSpans")):
        service = _service(resource)
        for scope in as_dicts(resource.get("scopeSpans")):
            for span in as_dicts(scope.get("spans")):
                yield from _span(span, service)


def _log(record: dict[str, Any], service: str) -> OtlpEvent:
    facts = attributes(record)
    name = as_str(facts.get("event.name")) or as_str(record.get("eventName"))
    at = _moment(record, "timeUnixNano") or _moment(record, "observedTimeUnixNano")
    return OtlpEvent(name or as_str(value_of(record.get("body"))), at, facts, service)


def _span(span: dict[str, Any], service: str) -> Iterator[OtlpEvent]:
    name, facts = as_str(span.get("name")), attributes(span)
    yield OtlpEvent("", _moment(span, "startTimeUnixNano"), facts, service, name)
    for event in as_dicts(span.get("events")):
        at = _moment(event, "timeUnixNano")
        yield OtlpEvent(
            as_str(event.get("name")), at, {**facts, **attributes(event)}, service, name
        )


def _service(resource: dict[str, Any]) -> str:
    return as_str(attributes(as_dict(resource.get("resource"))).get("service.name"))


def _moment(record: dict[str, Any], key: str) -> float | None:
    """Unix seconds from nanoseconds, which JSON writes as text or as a number."""
    try:
        nanoseconds = int(record.get(key) or 0)
    except (TypeError, ValueError):
        return None
    return nanoseconds / 1e9 if 0 < nanoseconds < 1 << 63 else None


def attributes(record: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a record, a span or a resource as plain values."""
    pairs = as_dicts(record.get("attributes"))
    return {as_str(pair.get("key")): value_of(pair.get("value")) for pair in pairs}


def value_of(value: Any, depth: int = 0) -> Any:
    """An `AnyValue` as a plain value; None for one that is empty, odd or nested too deep."""
    for kind, inner in as_dict(value).items():
        if kind == "intValue":
            return int(inner) if str(inner).lstrip("-").isdigit() else None
        if kind == "arrayValue" and depth < _MAX_DEPTH:
            values = as_dicts(as_dict(inner).get("values"))
            return [value_of(item, depth + 1) for item in values]
        if kind == "kvlistValue" and depth < _MAX_DEPTH:
            pairs = as_dicts(as_dict(inner).get("values"))
            return {
                as_str(pair.get("key")): value_of(pair.get("value"), depth + 1) for pair in pairs
            }
        if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
            return inner
    return None
