"""Paths of one session as agentapi has them: `/status`, `/messages`, `/message`, `/events`, `/screen`.

For programs written against agentapi (coder/agentapi, MIT): its paths, fields and event names, over
a session that runs here. `stable` is an agent that can be written to, `running` one at work; a
message of type `user` is refused while it works or asks, `raw` goes in as keys. Messages come from
the archive, so the last one grows as turns are stored. Cost of a look: the turns of the session.
"""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.capsule.control import send
from dejavu.model import CaptureError, DejavuError, InvalidValueError, NotFoundError, to_iso
from dejavu.sessions import session_store as sessions
from dejavu.sessions.delivery import deliver
from dejavu.sessions.observer.screen_server import look
from dejavu.sessions.send_input import InputRefusedError
from dejavu.sessions.session_store import SessionView

from .endpoint import ARCHIVE, BadRequestError, JsonAnswer, read_body

_POLL = 0.25  # seconds between two looks for changes
_ROLES = {"user": "user", "assistant": "agent"}


class AgentApi:
    """The routes for one session, by id or name."""

    def __init__(self, session: str) -> None:
        self._session = sessions.find(session).session.id

    @property
    def routes(self) -> list[Route]:
        """What agentapi answers to."""
        return [
            Route("/status", self._status, methods=["GET"]),
            Route("/messages", self._messages, methods=["GET"]),
            Route("/message", self._message, methods=["POST"]),
            Route("/events", self._events, methods=["GET"]),
            Route("/screen", self._screen, methods=["GET"]),
        ]

    def status(self) -> dict[str, Any]:
        """`stable` or `running`, and whose it is."""
        view = sessions.find(self._session)
        state = "stable" if view.state != "working" else "running"
        return {"status": state, "agent_type": view.session.agent, "transport": "pty"}

    def messages(self) -> list[dict[str, Any]]:
        """Prompts and answers, numbered from 0; what an agent said in several turns is one."""
        conversation = sessions.find(self._session).status.conversation
        if conversation is None:
            return []
        messages: list[dict[str, Any]] = []
        with ARCHIVE:
            try:
                with open_archive() as archive:
                    turns = list(archive.turns(conversation))
            except (NoArchiveError, NotFoundError):
                return []
        for turn in turns:
            role, text = _ROLES.get(str(turn.role)), turn.text.strip()
            if role is None or not text:
                continue
            if messages and role == "agent" == messages[-1]["role"]:
                messages[-1]["content"] += f"\n\n{text}"
            else:
                at = to_iso(turn.at)
                messages.append({"id": len(messages), "role": role, "content": text, "time": at})
        return messages

    def send(self, content: str, kind: str) -> None:
        """Type a message.

        Raises:
            InvalidValueError: it is none.
            InputRefusedError: the agent works, or asks a person.
        """
        view = sessions.find(self._session)
        if kind == "raw":
            _send_raw(view, content)
        elif kind != "user":
            raise InvalidValueError(f"type: {kind!r} is neither user nor raw")
        elif view.state == "working":
            raise InputRefusedError(f"{view.label} is working; wait until it is stable")
        else:
            deliver(view, content)

    async def _status(self, _request: Request) -> Response:
        return await _answered(self.status)

    async def _messages(self, _request: Request) -> Response:
        return await _answered(lambda: {"messages": self.messages()})

    async def _screen(self, _request: Request) -> Response:
        return await _answered(lambda: {"screen": _text(sessions.find(self._session))})

    async def _message(self, request: Request) -> Response:
        try:
            body: Any = json.loads(await read_body(request))
            content, kind = body["content"], body.get("type", "user")
        except BadRequestError as error:
            return _problem(400, str(error))
        except (ValueError, TypeError, KeyError, RecursionError, AttributeError):
            return _problem(400, 'send {"content": "...", "type": "user"} as JSON')
        if not isinstance(content, str):
            return _problem(400, "content: not a text")

        def sent() -> dict[str, Any]:
            self.send(content, str(kind))
            return {"ok": True}

        return await _answered(sent)

    async def _events(self, _request: Request) -> Response:
        return EventSourceResponse(self._changes(), ping=15, sep="\n")

    async def _changes(self) -> AsyncIterator[ServerSentEvent]:
        """All messages and the status at once, and then each that changes."""
        known: dict[int, dict[str, Any]] = {}
        status: dict[str, Any] = {}
        while True:
            try:
                now = await run_in_threadpool(self.status)
                messages = await run_in_threadpool(self.messages)
            except NotFoundError:
                return
            except DejavuError:  # the archive is locked just now
                await anyio.sleep(_POLL)
                continue
            for message in messages:
                if known.get(message["id"]) != message:
                    known[message["id"]] = message
                    told = {"message" if k == "content" else k: v for k, v in message.items()}
                    yield ServerSentEvent(json.dumps(told), event="message_update", sep="\n")
            if now != status:
                status = now
                yield ServerSentEvent(json.dumps(now), event="status_change", sep="\n")
            await anyio.sleep(_POLL)


def _send_raw(view: SessionView, content: str) -> None:
    if not view.live:
        raise NotFoundError(f"{view.label} {view.end}")
    try:
        send(view.folder / "control", content.encode("utf-8", "replace"))
    except OSError as error:
        raise CaptureError(f"{view.label} takes no input ({error})") from error


def _text(view: SessionView) -> str:
    return "\n".join(str(row).rstrip() for row in look(view.folder)["rows"])


async def _answered(answer: Callable[[], dict[str, Any]]) -> Response:
    """What `answer` returns, or its refusal as RFC 9457 has it, which agentapi uses."""
    try:
        return JsonAnswer(await run_in_threadpool(answer))
    except InputRefusedError as error:
        return _problem(409, str(error))
    except NotFoundError as error:
        return _problem(404, str(error))
    except InvalidValueError as error:
        return _problem(400, str(error))
    except DejavuError as error:
        return _problem(500, str(error))


def _problem(status: int, detail: str) -> Response:
    body = {"status": status, "title": "The request was refused", "detail": detail}
    return JsonAnswer(body, status, media_type="application/problem+json")
