"""The document says what the application does: every route, every answer's shape."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dejavu.extensions.web import endpoints as api
from dejavu.extensions.web import session_endpoints as of_sessions
from dejavu.extensions.web.memory_endpoints import find_memories, judge_memory
from dejavu.extensions.web.openapi import SCHEMAS, document
from dejavu.model import Conversation
from dejavu.sessions.delivery import Receipt

RECEIPT = Receipt(True, True, True, by="state")


def fits(value: Any, schema: dict[str, Any]) -> None:
    """Fail unless `value` has the shape: the part of JSON Schema that the document uses."""
    if "$ref" in schema:
        schema = SCHEMAS[schema["$ref"].rsplit("/", 1)[1]]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    actual = {
        type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string",
        list: "array", tuple: "array", dict: "object",
    }[type(value)]  # fmt: skip
    assert actual in kinds or (actual == "integer" and "number" in kinds), (value, schema)
    if "enum" in schema:
        assert value in schema["enum"]
    if actual == "array":
        for item in value:
            fits(item, schema["items"])
    if actual == "object":
        assert set(schema.get("required", ())) <= set(value), (value, schema)
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                fits(value[name], inner)


def test_answers_have_the_shapes_it_names(
    session: Callable[..., Path], archived: list[Conversation]
) -> None:
    session("20260101-000000-aaaa", "idle", finished_at=2.0)
    session("20260101-000001-aaaa", "blocked", live=False)
    every = dict.fromkeys(["workspace", "instance", "agent", "since", "until"])
    acts = ("show_session", "see_session", "start_session", "press_keys",
            "interrupt_session", "stop_session")  # fmt: skip
    found = find_memories("why does it run dry?", 5, project=None, workspace=None)
    answers = {
        "list_sessions": of_sessions.list_sessions(all=True),
        # test_session_endpoints.py has them act on an agent
        **dict.fromkeys(acts, of_sessions.show_session("20260101-000000-aaaa")),
        "send_text": {**of_sessions.show_session("20260101-000000-aaaa"), **RECEIPT._asdict()},
        "answer_session": {
            **of_sessions.see_session("20260101-000000-aaaa"),
            "answered": "Yes",
            **RECEIPT._asdict(),
        },
        "show_messages": of_sessions.show_messages("20260101-000000-aaaa", after=None, limit=5),
        "show_screen": {
            "columns": 2,
            "lines": 1,
            "rows": ["a "],
            "title": "",
            "alternate": False,
            "cursor": [0, 0],
            "state": "idle",
            "rule": None,
        },
        "show_attention": of_sessions.show_attention(),
        "list_conversations": api.list_conversations(**every, limit=9, offset=0),
        "show_conversation": api.show_conversation("last", provenance=True),
        "mark_conversation": api.mark_conversation(
            archived[0].id, starred=True, add=["bug"], remove=None, title=None
        ),
        "show_resume": {
            "conversation": "c",
            "agent": "claude",
            "folder": "/w",
            "command": ["claude"],
            "restores": ["/h/one.jsonl"],
        },
        "resume_conversation": of_sessions.show_session("20260101-000000-aaaa"),
        "search": api.search("tick", **every, role=None, exact=False, limit=5),
        "find_memories": found,
        "judge_memory": judge_memory(
            f"{found['hits'][0]['conversation']}#{found['hits'][0]['seq'] + 1}", right=True
        ),
    }
    assert set(answers) == {endpoint.name for endpoint in api.ENDPOINTS}
    for endpoint in api.ENDPOINTS:
        fits(answers[endpoint.name], SCHEMAS[endpoint.schema])


def test_every_route_is_described_and_every_description_is_a_route() -> None:
    starlette = pytest.importorskip("starlette.routing", reason="needs the extra http")
    pytest.importorskip("sse_starlette", reason="needs the extra http")
    from dejavu.extensions.web.app import build
    from dejavu.extensions.web.pages import routes as pages

    described = {
        (method.upper(), path)
        for path, operations in document(api.ENDPOINTS, version="1", token=True)["paths"].items()
        for method in operations
    }
    undescribed = {
        "/openapi.json",
        "/metrics",
    }  # neither is JSON of ours: OpenMetrics says the other
    routes = {
        (method, route.path)
        for route in build(version="1", token=True).routes
        if isinstance(route, starlette.Route)
        for method in (route.methods or set()) - {"HEAD"}
        if route.path not in {page.path for page in pages(token=True)} | undescribed
    }
    assert routes == described


def test_references_lead_somewhere_and_parameters_are_said() -> None:
    whole = document(api.ENDPOINTS, version="1", token=False)
    assert "security" not in whole

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if "$ref" in value:
                assert value["$ref"].rsplit("/", 1)[1] in whole["components"]["schemas"]
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(whole)
    for path, operations in whole["paths"].items():
        for operation in operations.values():
            in_path = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"]
            assert in_path == [part[1:-1] for part in path.split("/") if part.startswith("{")]
            assert {"401", "403"} <= set(operation["responses"])


def test_the_token_is_described_where_it_is_wanted() -> None:
    whole = document(api.ENDPOINTS, version="1", token=True)
    assert whole["security"] == [{"token": []}]
    assert whole["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
