"""The same by the Agent Client Protocol, for an agent that has only a screen. Needs the extra `acp`.

python examples/from_acp.py "Fix the failing test" claude
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, spawn_agent_process, text_block
from acp.interfaces import Client
from acp.schema import AllowedOutcome, RequestPermissionResponse


class Editor(Client):
    """Takes the first choice of every question, and prints what the agent says."""

    async def request_permission(
        self, session_id: str, tool_call: Any, options: Any, **_: Any
    ) -> RequestPermissionResponse:
        chosen = AllowedOutcome(outcome="selected", option_id=options[0].option_id)
        return RequestPermissionResponse(outcome=chosen)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        if update.session_update == "agent_message_chunk" and update.content.type == "text":
            print(update.content.text)


async def main() -> None:
    prompt, *command = sys.argv[1:]
    words = [sys.executable, "-m", "dejavu.interfaces.cli", "acp", *command]
    folder, environ = str(Path.cwd()), dict(os.environ)
    async with spawn_agent_process(Editor(), *words, env=environ, cwd=folder) as (agent, _):
        await agent.initialize(protocol_version=PROTOCOL_VERSION)
        session = await agent.new_session(cwd=folder, mcp_servers=[])
        await agent.prompt(session_id=session.session_id, prompt=[text_block(prompt)])


asyncio.run(main())
