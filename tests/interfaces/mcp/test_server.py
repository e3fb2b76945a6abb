"""Profiles and their cost, and a real client of the official SDK that talks to `dejavu mcp`."""

import asyncio
import json
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from dejavu.interfaces.cli.mcp import Profile
from dejavu.interfaces.mcp.server import PROFILES, build
from dejavu.model import Conversation

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="needs the mcp extra")


def _tools(profile: str) -> list[dict[str, Any]]:
    tools = asyncio.run(build("/w", profile).list_tools())
    return [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]


def test_the_default_profile_costs_less_than_700_tokens() -> None:
    assert len(json.dumps(_tools("default"))) / 4 <= 700  # four characters a token


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
        "unwindFromEvent": ("eventId", "limit"),
        "getSessionTimeline": ("sessionId", "eventType", "limit"),
    }
    assert [schema["required"] for schema in schemas.values()] == [
        ["query"], ["eventId"], ["eventId"], ["sessionId"],
    ]  # fmt: skip


def test_a_client_calls_the_tools(archived: list[Conversation], home: Path) -> None:
    from mcp import Client, StdioServerParameters

    def server(*options: str) -> StdioServerParameters:
        return StdioServerParameters(
            command=sys.executable,
            args=["-m", "dejavu.interfaces.cli", "mcp", "--workspace", "/work/retry", *options],
            env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        )

    async def talk() -> None:
        async with Client(server()) as client:
            assert client.server_info.version == version("dejavu-capture")
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
        async with Client(server("--profile", "events")) as client:
            result = await client.call_tool("unwindFromEvent", {"eventId": event, "limit": 1})
            assert event.partition("#")[0] == result.structured_content["sessionId"]

    asyncio.run(asyncio.wait_for(talk(), 90))
