"""Profiles and their cost, and a real client of the official SDK that talks to `dejavu mcp`."""

import asyncio
import json
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from dejavu.interfaces.cli.mcp import Profile
from dejavu.interfaces.mcp.server import PROFILES, tool_list
from dejavu.interfaces.mcp.stdio import LIST, STATELESS, VERSIONS, Connection
from dejavu.model import Conversation

needs_sdk = pytest.mark.skipif(
    find_spec("mcp") is None, reason="needs the client of the protocol's SDK"
)


def _tools(profile: str) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = json.loads(LIST.read_text())[profile]
    return tools


@pytest.mark.parametrize("profile", PROFILES)
def test_the_list_is_that_of_the_signatures(profile: str) -> None:
    assert _tools(profile) == tool_list(profile), "make docs"


def _ask(message: object) -> Any:
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return Connection(None, "default").answer(data)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"{", -32700), (b"\xff", -32700), (b"[" * 100_000, -32700), (1, -32600), ([], -32600),
        ({"id": 1, "method": "nope"}, -32601), ({"id": 1, "method": "ping", "params": [1]}, -32602),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(message: object, code: int) -> None:
    assert _ask(message)["error"]["code"] == code


@pytest.mark.parametrize(
    ("asked", "answered"), [*((one, one) for one in VERSIONS), ("1999", VERSIONS[-1])]
)
def test_the_version_is_the_clients_or_the_newest(asked: str, answered: str) -> None:
    reply = _ask({"id": "a", "method": "initialize", "params": {"protocolVersion": asked}})
    assert (reply["id"], reply["result"]["protocolVersion"]) == ("a", answered)


def test_notifications_and_batches() -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert _ask({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert _ask([ping, {"method": "notifications/cancelled"}]) == [
        {"jsonrpc": "2.0", "id": 1, "result": {}}
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "query: is required"), ({"id": "x"}, "query: is required; not a parameter: id"),
        ({"query": 5}, "query: expected string"), (5, "arguments"),
        ({"query": "x", "limit": "many"}, "limit: expected integer"),
        ({"query": "x", "limit": True}, "limit: expected integer"),
        ({"query": "x", "everywhere": "perhaps"}, "everywhere: expected boolean"),
        ({"query": "x", "limit": "5", "everywhere": "true", "more": 1}, ""),
        ({"query": "x", "limit": None}, ""),
    ],
)  # fmt: skip
def test_arguments_are_checked(home: Path, arguments: object, error: str) -> None:
    call = {"name": "search_memory", "arguments": arguments}
    result = _ask({"id": 1, "method": "tools/call", "params": call})["result"]
    assert result["isError"] == bool(error)
    assert result["content"][0]["text"].startswith(error)
    unknown = _ask({"id": 1, "method": "tools/call", "params": {"name": "__init__"}})["result"]
    assert unknown["isError"]


def test_nothing_that_tools_need_is_loaded_for_their_list(home: Path) -> None:
    program = (
        "import sys; from dejavu.interfaces.mcp import serve; serve();"
        "print(*[n for n in sys.modules if n in ('mcp', 'pydantic', 'asyncio', 'lmdb', 'tantivy')"
        " or n.startswith(('dejavu.archive', 'dejavu.recall'))])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], input=b'{"id": 1, "method": "tools/list"}\n',
        capture_output=True, timeout=60,
    )  # fmt: skip
    reply, loaded = done.stdout.split(b"\n", 1)
    assert json.loads(reply)["result"]["tools"]
    assert loaded == b"\n"


def test_the_default_profile_costs_less_than_700_tokens() -> None:
    sent = json.dumps(_tools("default"), ensure_ascii=False, separators=(",", ":"))
    assert len(sent) / 4 <= 700  # four characters a token


@pytest.mark.parametrize("profile", PROFILES)
def test_every_tool_and_parameter_is_described_and_annotated(profile: str) -> None:
    for tool in _tools(profile):
        assert 10 < len(tool["description"]) < 70
        assert tool["annotations"]
        schema = tool["inputSchema"]
        assert set(schema["required"]) <= set(schema["properties"])
        assert all(set(one) == {"type", "description"} for one in schema["properties"].values())
    assert set(Profile) == set(PROFILES)


def test_the_events_profile_has_the_parameters_of_its_interface() -> None:
    schemas = {tool["name"]: tool["inputSchema"] for tool in _tools("events")}
    assert {name: tuple(schema["properties"]) for name, schema in schemas.items()} == {
        "searchMemory": ("query", "limit", "sessionId", "eventType", "since"),
        "getMemoryContext": ("eventId", "before", "after"),
        "unwindFromEvent": ("eventId", "limit", "offset"),
        "getSessionTimeline": ("sessionId", "eventType", "limit", "offset"),
    }
    assert [schema["required"] for schema in schemas.values()] == [
        ["query"], ["eventId"], ["eventId"], ["sessionId"],
    ]  # fmt: skip


VERSION, ABLE = (
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
)


def _alone(method: str, version: object = STATELESS[-1], **parameters: Any) -> dict[str, Any]:
    """A request that says its version, as the first of its connection."""
    meta = {VERSION: version, ABLE: {}}
    return dict(_ask({"id": 7, "method": method, "params": {**parameters, "_meta": meta}}))


@needs_sdk
@pytest.mark.parametrize(
    ("reply", "parameters"),
    [
        ("DiscoverResultResponse", {"method": "server/discover"}),
        ("ListToolsResultResponse", {"method": "tools/list"}),
        (
            "CallToolResultResponse",
            {"method": "tools/call", "name": "search_memory", "arguments": {}},
        ),
        ("UnsupportedProtocolVersionError", {"method": "tools/list", "version": "1900-01-01"}),
        ("UnsupportedProtocolVersionError", {"method": "server/discover", "version": "2025-06-18"}),
    ],
)
def test_stateless_replies_are_the_schemas(reply: str, parameters: dict[str, Any]) -> None:
    import mcp_types._v2026_07_28 as wire  # the SDK's models, generated from the version's schema

    said = _alone(**parameters)
    read = getattr(wire, reply).model_validate(said)
    assert read.model_dump(mode="json", by_alias=True, exclude_unset=True) == said
    if "result" in said:
        assert said["result"]["resultType"] == "complete"
        stamp = said["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]
        assert stamp == {"name": "dejavu", "version": version("dejavu-capture")}


def test_a_version_that_is_not_spoken_names_those_that_are() -> None:
    error = _alone("tools/list", version="1900-01-01")["error"]
    assert error["code"] == -32022
    assert error["data"] == {
        "supported": [*STATELESS, *reversed(VERSIONS)], "requested": "1900-01-01",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"method": "server/discover"}, -32602),
        ({"method": "tools/list", "params": {"_meta": {VERSION: STATELESS[-1]}}}, -32602),
        ({"method": "tools/list", "params": {"_meta": {VERSION: 5, ABLE: {}}}}, -32602),
        ({"method": "tools/list", "params": {"_meta": {VERSION: STATELESS[-1], ABLE: 5}}}, -32602),
    ],
)
def test_a_stateless_request_says_all_it_must(message: dict[str, Any], code: int) -> None:
    assert _ask({"id": 1, **message})["error"]["code"] == code


@pytest.mark.parametrize("method", ["ping", "initialize", "prompts/list", "resources/list"])
def test_what_the_stateless_version_dropped_or_we_do_not_offer(method: str) -> None:
    assert _alone(method)["error"]["code"] == -32601


def test_an_unknown_tool_is_an_error_of_the_protocol() -> None:
    assert _alone("tools/call", name="__init__", arguments={})["error"]["code"] == -32602


def test_both_eras_share_a_connection() -> None:
    connection = Connection(None, "default")

    def ask(method: str, **meta: Any) -> dict[str, Any]:
        message = {"id": 1, "method": method, "params": {"_meta": meta} if meta else {}}
        return dict(connection.answer(json.dumps(message).encode()))

    assert ask("initialize")["result"]["protocolVersion"] == VERSIONS[-1]
    assert "resultType" in ask("tools/list", **{VERSION: STATELESS[-1], ABLE: {}})["result"]
    assert set(ask("tools/list")["result"]) == {"tools"}
    assert ask("ping")["result"] == {}


@needs_sdk
@pytest.mark.parametrize(
    ("mode", "spoken"), [("auto", STATELESS[-1]), ("legacy", VERSIONS[-1]), (STATELESS[-1],) * 2]
)
def test_a_client_calls_the_tools(
    archived: list[Conversation], home: Path, mode: str, spoken: str
) -> None:
    from mcp import Client, StdioServerParameters

    def server(*options: str) -> StdioServerParameters:
        return StdioServerParameters(
            command=sys.executable,
            args=["-m", "dejavu.interfaces.cli", "mcp", "--workspace", "/work/retry", *options],
            env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        )

    async def talk() -> None:
        async with Client(server(), mode=mode) as client:
            assert client.protocol_version == spoken
            assert mode == spoken or client.server_info.version == version("dejavu-capture")
            named = [tool.name for tool in (await client.list_tools()).tools]
            assert named == list(PROFILES["default"][1])

            async def call(name: str, **arguments: Any) -> dict[str, Any]:
                result = await client.call_tool(name, arguments)
                assert not result.is_error
                assert json.loads(result.content[0].text) == result.structured_content
                return dict(result.structured_content)

            found = await call("search_memory", query="why does the retry_budget run dry?")
            event = found["hits"][0]["event"]
            around = await call("unwind_from_event", event=event)
            assert "RetryBudget.tick" in around["text"]
            kept = await call("remember", text="The retry budget is 10 per minute")
            again = await call("search_memory", query="retry budget", limit=1)
            assert again["memories"][0]["id"] == kept["id"]
            refused = await client.call_tool("read_conversation", {"conversation": "nobody"})
            assert refused.is_error
            assert "nobody" in refused.content[0].text
            assert (await client.call_tool("remember", {})).is_error
        async with Client(server("--profile", "events"), mode=mode) as client:
            result = await client.call_tool("unwindFromEvent", {"eventId": event, "limit": 1})
            assert event.partition("#")[0] == result.structured_content["sessionId"]

    asyncio.run(asyncio.wait_for(talk(), 90))
