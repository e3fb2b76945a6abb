"""The agent's side of the Agent Client Protocol, for any agent that runs in a terminal.

Each ACP session is a wrapped session without a window. A prompt is typed; what the agent says comes
from its own trace as the archive has it, so it appears a second or so behind, and from the screen
only where that is kept (`--screen`). A dialog becomes a permission request with the dialog's own
choices, and the choice is made by its keys, seen to be taken. All sessions end with the editor's.
Needs the extra `acp`: the protocol's own library.
"""

import asyncio
import logging
import os
import re
import signal
import stat
from collections.abc import Mapping, Sequence
from typing import Any, cast

from acp import PROTOCOL_VERSION, RequestError, run_agent
from acp.helpers import (
    start_tool_call,
    text_block,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
)
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    AllowedOutcome,
    CloseSessionResponse,
    Implementation,
    InitializeResponse,
    NewSessionResponse,
    PermissionOption,
    PromptCapabilities,
    PromptResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    ToolCallUpdate,
)

from dejavu.model import (
    DejavuError,
    Extension,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolCallResponse,
    is_json_object,
)

from .terminal_agent import TerminalAgent
from .turn_updates import is_error

_EACH = 0.1  # seconds between two looks at the session's status
_READ = 0.5  # seconds between two looks at the archive
_READY = 90.0  # seconds in which an agent must be ready for its first prompt
_CANCELLED = 10.0  # seconds after which a cancelled turn is over, whatever the agent shows
_LATE = 3.0  # seconds that its trace may come behind its screen
_SHOWN = 200  # characters of a call's title
_REFUSES = re.compile(r"(?i)(no|reject|deny|decline|cancel|exit|quit|(don.t|stop)(?! ask))\b")
_NEGATED = re.compile(r"(?i)\b(don.t|do not|not|never|without) \w+")
_GOES_ON = re.compile(r"(?i)\b(nothing|anyway|go(es)? ahead|proceeds?|runs?|yes)\b")
_ALWAYS = re.compile(r"(?i)always|don.t ask|session|all future|remember")


class TerminalAcpAgent:
    """Runs `command` for each session; `options` are `dejavu-run`'s."""

    def __init__(self, name: str, command: Sequence[str], options: Sequence[str], version: str):
        self._name, self._command, self._options = name, command, options
        self._version = version
        self._sessions: dict[str, TerminalAgent] = {}
        self._cancelled: set[str] = set()
        self._client: Client

    def on_connect(self, conn: Client) -> None:
        """Remember whom to tell."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        """Say what is offered."""
        return InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION),
            agent_info=Implementation(
                name=f"dejavu-{self._name}", title=self._name, version=self._version
            ),
            agent_capabilities=AgentCapabilities(
                load_session=False,
                prompt_capabilities=PromptCapabilities(embedded_context=True),
                session_capabilities=SessionCapabilities(close=SessionCloseCapabilities()),
            ),
        )

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        """Start the agent in a folder."""
        try:
            started = await asyncio.to_thread(
                TerminalAgent.start, self._command, cwd, self._options
            )
        except DejavuError as error:
            raise _refusal(error) from error
        identity = started.view.session.id
        self._sessions[identity] = started
        return NewSessionResponse(session_id=identity)

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        """Type a prompt and pass on what comes of it, to the end of the turn."""
        agent = self._agent(session_id)
        self._cancelled.discard(session_id)
        try:
            await self._until_ready(session_id, agent)
            if session_id in self._cancelled:
                return PromptResponse(stop_reason="cancelled")
            await asyncio.to_thread(agent.prompt, prompt_text(prompt))
            await self._follow(session_id, agent)
        except DejavuError as error:
            raise _refusal(error) from error
        return PromptResponse(
            stop_reason="cancelled" if session_id in self._cancelled else "end_turn"
        )

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Interrupt what is being done."""
        agent = self._agent(session_id)
        self._cancelled.add(session_id)
        await asyncio.to_thread(agent.interrupt)

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        """End the agent."""
        agent = self._agent(session_id)
        self._cancelled.add(session_id)
        del self._sessions[session_id]
        await asyncio.to_thread(agent.end)
        return CloseSessionResponse()

    def end(self) -> None:
        """The editor has gone: so do its sessions."""
        for agent in self._sessions.values():
            agent.end()

    # -- one turn

    def _agent(self, session_id: str) -> TerminalAgent:
        if session_id not in self._sessions:
            raise RequestError.invalid_params({"sessionId": "no such session"})
        return self._sessions[session_id]

    async def _until_ready(self, session_id: str, agent: TerminalAgent) -> None:
        """Wait until it takes a prompt; what it asks before (a trust dialog) goes to the person."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _READY
        while loop.time() < end and session_id not in self._cancelled:
            if not agent.look().live:
                raise RequestError.internal_error({"reason": f"{self._name} has ended"})
            asked = agent.asks
            if agent.is_ready or agent.asks_for_text:
                return
            if asked is not None:
                await self._ask(session_id, agent, asked)
                end = loop.time() + _READY
            await asyncio.sleep(_EACH)

    async def _follow(self, session_id: str, agent: TerminalAgent) -> None:
        loop = asyncio.get_running_loop()
        read_at, last = 0.0, float("inf")
        while loop.time() < last:
            await asyncio.sleep(_EACH)
            view = agent.look()
            if session_id in self._cancelled:
                last = min(last, loop.time() + _CANCELLED)
            if loop.time() >= read_at:
                await self._tell_new(session_id, agent)
                read_at = loop.time() + _READ
            asked = agent.asks
            if asked is not None and agent.asks_for_text:  # the next prompt is the answer
                await self._tell(session_id, Text(str(asked["question"])))
                return
            if asked is not None:
                await self._tell_new(session_id, agent)
                await self._ask(session_id, agent, asked)
            elif agent.is_over() or not view.live:
                break
        end = loop.time() + _LATE
        while loop.time() < end:
            agent.look()
            if await self._tell_new(session_id, agent):
                end = min(end, loop.time() + 2 * _READ)
            elif agent.updates.any_said and session_id in self._cancelled:
                break
            await asyncio.sleep(_READ)
        if not agent.view.live:
            raise RequestError.internal_error({"reason": f"{self._name} has ended"})

    async def _ask(self, session_id: str, agent: TerminalAgent, asked: Mapping[str, Any]) -> None:
        """Let the person choose in a dialog, and see the choice taken or the dialog gone.

        Raises InputRefusedError, which names the keys to press, where the choices were not read.
        """
        if not asked["choices"]:
            await asyncio.to_thread(agent.choose, 1, asked)
            return
        question, subject = str(asked.get("question", "")), str(asked.get("subject") or "")
        call = ToolCallUpdate(
            tool_call_id=f"dialog-{abs(hash((question, subject, agent.view.status.since)))}",
            title=(subject or question)[:_SHOWN],
            status="pending",
            content=[tool_content(text_block("\n".join(filter(None, (subject, question)))))],
        )
        answered = await self._client.request_permission(
            session_id=session_id,
            tool_call=call,
            options=options_of(asked["choices"], int(asked.get("first", 1))),
        )
        if not isinstance(answered.outcome, AllowedOutcome):
            self._cancelled.add(session_id)
            await asyncio.to_thread(agent.interrupt)
        elif agent.look().status.blocked is not None:
            chosen = answered.outcome.option_id
            if not chosen.isdecimal():
                raise RequestError.invalid_params({"optionId": "no such option"})
            await asyncio.to_thread(agent.choose, int(chosen), asked)

    async def _tell_new(self, session_id: str, agent: TerminalAgent) -> bool:
        """Pass on what is new in the archive; whether anything was."""
        conversation = agent.view.status.conversation
        parts = await asyncio.to_thread(agent.updates.take, conversation)
        for part in parts:
            await self._tell(session_id, part)
        return bool(parts)

    async def _tell(self, session_id: str, part: Part) -> None:
        match part:
            case Text(content) if content:
                update: Any = update_agent_message_text(content)
            case Reasoning(content) if content:
                update = update_agent_thought_text(content)
            case ToolCall(identity, name, arguments):
                update = start_tool_call(
                    identity or name, title_of(name, arguments), status="in_progress",
                    raw_input=arguments,
                )  # fmt: skip
            case ToolCallResponse(identity, response, failed):
                shown = response if isinstance(response, str) else None
                update = update_tool_call(
                    identity or "", status="failed" if failed else "completed",
                    content=[tool_content(text_block(shown))] if shown else None,
                    raw_output=None if shown else response,
                )  # fmt: skip
            case Extension(_, data) if is_error(part):
                update = update_agent_message_text(str(data.get("message", "")))
            case _:
                return
        await self._client.session_update(session_id=session_id, update=update)


def prompt_text(blocks: Sequence[Any]) -> str:
    """A prompt's blocks as one text: what is linked by its address, what is embedded in full.

    Raises:
        RequestError: it holds an image or a sound, which cannot be typed.
    """
    words: list[str] = []
    for block in blocks:
        match block.type:
            case "text":
                words.append(block.text)
            case "resource_link":
                words.append(block.uri.removeprefix("file://"))
            case "resource" if (text := getattr(block.resource, "text", None)) is not None:
                words.append(f"\n{block.resource.uri}:\n{text}\n")
            case kind:
                raise RequestError.invalid_params({"prompt": f"{kind} cannot be typed"})
    return "".join(words)


def options_of(choices: Sequence[str], first: int = 1) -> list[PermissionOption]:
    """A dialog's choices, numbered from `first`, with what an editor may take them for."""
    return [
        PermissionOption(option_id=str(number), name=str(label), kind=kind_of(str(label)))
        for number, label in enumerate(choices, first)
    ]


def kind_of(label: str) -> Any:
    """Whether a choice allows or refuses, once or for good, by its words.

    What may do either is said to allow: an editor that refuses must never press it.
    """
    goes_on = _GOES_ON.search(_NEGATED.sub("", label))
    refuses = _REFUSES.match(label) is not None and goes_on is None
    lasting = "always" if _ALWAYS.search(label) else "once"
    return f"{'reject' if refuses else 'allow'}_{lasting}"


def title_of(name: str, arguments: Any) -> str:
    """A call in a line: its tool, and the first text among its arguments."""
    values = arguments.values() if is_json_object(arguments) else ()
    first = next((value for value in values if isinstance(value, str) and value.strip()), "")
    return f"{name}: {first.strip().splitlines()[0]}"[:_SHOWN] if first else name


def _refusal(error: DejavuError) -> RequestError:
    return RequestError.internal_error({"reason": str(error)})


def _interrupt(_number: int, _frame: object) -> None:
    signal.raise_signal(signal.SIGINT)  # which asyncio takes as the end


def serve(name: str, command: Sequence[str], options: Sequence[str], version: str) -> None:
    """Speak on stdin and stdout until the editor goes; its sessions end with it.

    Raises:
        DejavuError: one of them is a file.
    """
    for number, stream in enumerate(("stdin", "stdout")):
        if stat.S_ISREG(os.fstat(number).st_mode):
            raise DejavuError(
                f"`dejavu acp` speaks with an editor over pipes, and {stream} is a file"
            )
    logging.getLogger("acp").setLevel(logging.ERROR)
    agent = TerminalAcpAgent(name, command, options, version)
    for number in (signal.SIGTERM, signal.SIGHUP):  # an editor may end us without a word
        signal.signal(number, _interrupt)
    try:
        asyncio.run(run_agent(cast("Any", agent)))  # what it does not offer is refused
    except KeyboardInterrupt:
        pass
    finally:
        agent.end()
