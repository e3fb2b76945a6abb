"""A real client of the official SDK talks to `dejavu mcp` over stdio."""

import asyncio
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from dejavu.interfaces.mcp.tools import ALIASES, NAMES
from dejavu.model import Conversation

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="needs the mcp extra")


def test_a_client_calls_the_tools(archived: list[Conversation], home: Path) -> None:
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "dejavu.interfaces.cli", "mcp", "--workspace", "/work/retry"],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
    )

    async def talk() -> None:
        async with Client(server) as client:
            named = {tool.name for tool in (await client.list_tools()).tools}
            assert named == {*NAMES, *ALIASES}

            async def call(name: str, **arguments: Any) -> dict[str, Any]:
                result = await client.call_tool(name, arguments)
                assert not result.is_error
                if result.structured_content is not None:
                    return dict(result.structured_content)
                return dict(json.loads(result.content[0].text))

            found = await call("searchMemory", query="why does the retry_budget run dry?")
            event = found["hits"][0]["event"]
            around = await call("unwind_from_event", event=event)
            assert "RetryBudget.tick" in around["text"]
            kept = await call("remember", text="The retry budget is 10 per minute")
            again = await call("recall", context="retry budget")
            assert again["memories"][0]["id"] == kept["id"]
            assert "error" in await call("readConversation", conversation="nobody")

    asyncio.run(asyncio.wait_for(talk(), 90))
