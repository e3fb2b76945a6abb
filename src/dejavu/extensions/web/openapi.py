"""The OpenAPI 3.1 document, made from the endpoints themselves, so that it cannot contradict them.

Only the shapes of answers are written out here; fields may be added to them, never renamed.
"""

from collections.abc import Iterable
from typing import Any

from .endpoint import Endpoint, Parameter

_REFUSALS = {
    400: "What was asked can not be understood.",
    401: "The bearer token is missing or wrong (TCP only).",
    403: "Another host or site may not ask.",
    404: "There is no such session or conversation, or it has ended.",
    409: "The agent asks a person something, nothing, or something else; nothing was entered.",
    500: "It could not be done; the sentence says why.",
    503: "The archive is locked, damaged or of a newer format.",
}
_ALWAYS = (400, 401, 403)


def _object(required: dict[str, Any], more: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(more or {})},
    }


def _list(name: str) -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


_TEXT, _WHOLE, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_NUMBER, _TEXTS = {"type": "number"}, {"type": "array", "items": _TEXT}
_MOMENT = {"type": "string", "format": "date-time"}
_STATE = {
    "type": "string",
    "enum": ["blocked", "error", "done", "working", "idle", "unknown", "exited"],
}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": [schema["type"], "null"]}


_CONVERSATION = {
    "id": _TEXT, "workspace": _TEXT, "instance": _TEXT, "agent": _TEXT, "turn_count": _WHOLE,
    "title": _or_null(_TEXT), "started_at": _or_null(_MOMENT), "ended_at": _or_null(_MOMENT),
    "vectors": _TEXTS,
}  # fmt: skip

_SESSION: dict[str, Any] = {
    "id": _TEXT,
    "session": _TEXT,
    "name": _TEXT,
    "agent": _TEXT,
    "source": _TEXT,
    "state": _STATE,
    "rule": _or_null(_TEXT),
    "detail": _TEXT,
    "since": _MOMENT,
    "updated_at": _MOMENT,
    "started_at": _MOMENT,
    "finished_at": _or_null(_MOMENT),
    "live": {"type": "boolean"},
    "pid": _or_null(_WHOLE),
    "workspace": _TEXT,
    "instance": _TEXT,
    "machine": _TEXT,
    "version": _or_null(_TEXT),
    "title": _or_null(_TEXT),
    "turns": _or_null(_WHOLE),
    "model": _or_null(_TEXT),
    "last_prompt": _or_null(_TEXT),
    "last_words": _or_null(_TEXT),
    "cost": _or_null({"type": "number"}),
    "tokens": _or_null(_object({"input": _WHOLE, "output": _WHOLE})),
    "exit_status": _or_null(_WHOLE),
    "conversation": _or_null(_TEXT),
    "kept": _TEXT,
    "notes": _TEXTS,
    "message": _TEXT,
    "pending": {
        "type": "array",
        "items": _object({"kind": _TEXT, "count": _WHOLE}),
    },
    "blocked": _or_null(
        _object(
            {
                "kind": _TEXT,
                "question": _TEXT,
                "choices": _TEXTS,
                "default": _or_null(_TEXT),
                "resets_at": _or_null(_TEXT),
                "subject": _TEXT,
                "keys": _TEXTS,
                "takes_text": {"type": "boolean"},
                "across": {"type": "boolean"},
                "first": _WHOLE,
                "more": {"type": "boolean"},
            }
        )
    ),
    "signals": _or_null({"type": "object"}),
    "disagreement": _or_null(
        _object(
            {
                "source": _TEXT,
                "reported": _STATE,
                "read": _STATE,
                "since": _MOMENT,
                "followed": {"type": "boolean"},
            }
        )
    ),
}

_RECEIPT: dict[str, Any] = {
    "typed": {"type": "boolean"},
    "submitted": {"type": "boolean"},
    "accepted": {"type": "boolean"},
    "reason": _TEXT,
    "by": _TEXT,
}

SCHEMAS: dict[str, dict[str, Any]] = {
    "Session": _object(_SESSION),
    "Sent": _object({**_SESSION, **_RECEIPT}),
    "Answered": _object({**_SESSION, "answered": _TEXT, **_RECEIPT}),
    "Sessions": _list("Session"),
    "Messages": _object(
        {
            "session": _TEXT, "conversation": _or_null(_TEXT), "turns": _list("Turn"),
            "next": _or_null(_WHOLE),
        }
    ),
    "Screen": _object(
        {
            "columns": _WHOLE, "lines": _WHOLE, "rows": _TEXTS,
            "title": _TEXT, "alternate": {"type": "boolean"},
            "cursor": {"type": "array", "items": _WHOLE}, "state": _STATE,
            "rule": _or_null(_TEXT),
        },
        {
            "spans": {
                "type": "array",
                "items": {"type": "array", "items": _object(
                    {"text": _TEXT},
                    {"fg": {"type": ["string", "integer"]}, "bg": {"type": ["string", "integer"]},
                     "bold": _FLAG, "dim": _FLAG, "italic": _FLAG, "underline": _FLAG,
                     "inverse": _FLAG, "strike": _FLAG, "blink": _FLAG, "invisible": _FLAG},
                )},
            },
        },
    ),
    "Attention": _object(
        {
            "worst": {"type": ["string", "null"]},
            "sessions": _TEXTS,
            "counts": {"type": "object", "additionalProperties": _WHOLE},
        }
    ),
    "Turn": _object(
        {"seq": _WHOLE, "role": _TEXT, "parts": {"type": "array", "items": {"type": "object"}}}
    ),
    "ConversationSummary": _object(_CONVERSATION),
    "Conversations": _list("ConversationSummary"),
    "Resumption": _object(
        {
            "conversation": _TEXT, "agent": _TEXT, "folder": _TEXT,
            "command": _TEXTS,
            "restores": _TEXTS,
        }
    ),
    "Conversation": _object({**_CONVERSATION, "turns": _list("Turn")}),
    "Hit": _object(
        {
            "conversation": _TEXT, "seq": _WHOLE, "role": _TEXT, "score": {"type": "number"},
            "excerpt": _TEXT, "at": _or_null(_MOMENT), "agent": _TEXT,
        }
    ),
    "Search": _object(
        {
            "query": _TEXT, "hits": _list("Hit"), "behind": _WHOLE,
            "notes": _TEXTS,
        }
    ),
    "RecalledHit": _object(
        {
            "conversation": _TEXT, "seq": _WHOLE, "role": _TEXT, "score": _NUMBER,
            "confidence": _NUMBER, "sure": _FLAG, "excerpt": _TEXT, "question": _TEXT,
            "answer": _TEXT, "at": _or_null(_MOMENT), "agent": _TEXT, "workspace": _TEXT,
            "replaces": _TEXTS, "replaced_by": _TEXT,
        }
    ),
    "RecalledMemory": _object(
        {
            "id": _TEXT, "text": _TEXT, "score": _NUMBER, "confidence": _NUMBER, "sure": _FLAG,
            "superseded_by": _or_null(_TEXT),
        }
    ),
    "Recalled": _object(
        {
            "context": _TEXT, "memories": _list("RecalledMemory"), "hits": _list("RecalledHit"),
            "uncertain": _list("RecalledHit"), "behind": _WHOLE,
        }
    ),
    "Verdict": _object(
        {
            "id": _TEXT, "right": _FLAG, "given": _or_null(_FLAG),
            "confidence": _or_null(_NUMBER),
        }
    ),
    "Error": _object({"error": _TEXT}),
}  # fmt: skip
"""The shapes of answers, by the names endpoints use."""


def document(endpoints: Iterable[Endpoint], *, version: str, token: bool) -> dict[str, Any]:
    """The document; `token` says whether requests need one."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    paths["/v1/events"] = {"get": _events()}
    whole: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Déjà Vu", "version": version, "license": {"name": "MIT"}},
        "paths": paths,
        "components": {"schemas": SCHEMAS},
    }
    if token:
        bearer = {"type": "http", "scheme": "bearer"}
        whole["components"] = {**whole["components"], "securitySchemes": {"token": bearer}}
        whole["security"] = [{"token": []}]
    return whole


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": _TEXT} for name in endpoint.in_path
    ]
    in_query = [
        {"name": p.name, "in": "query", "description": p.description, "required": p.required,
         "schema": _schema(p)}
        for p in endpoint.query
    ]  # fmt: skip
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.description,
        "responses": {
            "200": _answer("The answer.", endpoint.schema),
            **{
                str(s): _answer(_REFUSALS[s], "Error") for s in sorted({*_ALWAYS, *endpoint.errors})
            },
        },
    }
    if in_path or in_query:
        operation["parameters"] = in_path + in_query
    if endpoint.body:
        body = _object(
            {p.name: _schema(p) for p in endpoint.body if p.required},
            {p.name: _schema(p) for p in endpoint.body if not p.required},
        )
        body["additionalProperties"] = False
        operation["requestBody"] = {
            "required": True, "content": {"application/json": {"schema": body}},
        }  # fmt: skip
    return operation


def _schema(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": parameter.kind, "description": parameter.description}
    if parameter.kind == "array":
        schema["items"] = _TEXT
    if parameter.default is not None:
        schema["default"] = parameter.default
    if parameter.kind == "integer":
        schema["minimum"] = parameter.least or 0
        if parameter.most is not None:
            schema["maximum"] = parameter.most
    return schema


def _answer(description: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": description, "content": content}


def _events() -> dict[str, Any]:
    text = (
        "Server-sent events: `session` (a Session) for every live session at once and then on each "
        "change, `attention` (an Attention) after each. Every event has an id: a client that returns with it "
        "in `Last-Event-ID` gets what it missed, or everything where that is too long ago. "
        "`?session=` tells of one session alone."
    )
    return {
        "operationId": "events",
        "summary": "Changes as they happen.",
        "responses": {
            "200": {"description": text, "content": {"text/event-stream": {"schema": _TEXT}}},
            **{str(s): _answer(_REFUSALS[s], "Error") for s in (401, 403)},
        },
    }
