"""An editor in small, by the protocol's own library: `FOLDER PROMPTS.json COMMAND ...`.

Makes one session in FOLDER, asks each prompt (`deny`: its questions are answered with the last
choice, else with the first; `cancel`: it is cancelled after so many seconds), and prints what the
agent said of it as JSON.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, spawn_agent_process, text_block
from acp.interfaces import Client
from acp.schema import AllowedOutcome, ClientCapabilities, DeniedOutcome, RequestPermissionResponse


class Editor(Client):
    def __init__(self) -> None:
        self.deny = False
        self.said: list[str] = []
        self.updates: list[str] = []
        self.questions: list[str] = []
        self.calls: set[str] = set()

    async def request_permission(
        self, session_id: str, tool_call: Any, options: Any, **_: Any
    ) -> RequestPermissionResponse:
        self.questions.append(str(tool_call.title))
        if not options:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        wanted = [
            one for one in options if one.kind == ("reject_once" if self.deny else "allow_once")
        ]
        option = (wanted or [options[-1 if self.deny else 0]])[0]
        chosen = AllowedOutcome(outcome="selected", option_id=option.option_id)
        return RequestPermissionResponse(outcome=chosen)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        kind = update.session_update
        self.updates.append(kind)
        if kind == "agent_message_chunk" and update.content.type == "text":
            self.said.append(update.content.text)
        elif kind.startswith("tool_call"):
            self.calls.add(update.tool_call_id)

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {}

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        return None


async def main() -> None:
    folder, prompts, *command = sys.argv[1:]
    asked = json.loads(Path(prompts).read_text("utf-8"))
    editor, turns = Editor(), []
    async with spawn_agent_process(
        editor, command[0], *command[1:], env=dict(os.environ), cwd=folder,
        transport_kwargs={"stderr": None, "limit": 64 << 20},
    ) as (agent, process):  # fmt: skip
        begun = await agent.initialize(
            protocol_version=PROTOCOL_VERSION, client_capabilities=ClientCapabilities()
        )
        session = await agent.new_session(cwd=folder, mcp_servers=[])
        for prompt in asked:
            editor.deny = bool(prompt.get("deny"))
            editor.said, editor.questions = [], []
            done = asyncio.ensure_future(
                agent.prompt(session_id=session.session_id, prompt=[text_block(prompt["user"])])
            )
            if prompt.get("cancel"):
                await asyncio.sleep(prompt["cancel"])
                await agent.cancel(session_id=session.session_id)
            try:
                stop = (await asyncio.wait_for(done, 120)).stop_reason
            except Exception as error:
                stop = f"{type(error).__name__}: {error}"
            turns.append(
                {"user": prompt["user"], "said": "".join(editor.said), "stop": stop,
                 "questions": editor.questions}
            )  # fmt: skip
        info = begun.agent_info
    told = {
        "session": session.session_id,
        "turns": turns,
        "calls": sorted(editor.calls),
        "version": info.version if info else "",
        "updates": sorted(set(editor.updates)),
        "code": process.returncode,
    }
    sys.stdout.write(json.dumps(told))


asyncio.run(main())
