"""The answer to a prompt: an agent's payload in, the block in the agent's own form out.

Returns bytes to print, or none. The daemon calls this with what it keeps in memory, a hook without
a daemon with what it opens itself. Raises nothing on purpose that a caller has to tell apart: both
fall silent.

The form an agent takes is in its folder (`Agent.hook_answer`, `Agent.prompt_event`), by the
vendors' documentation of November 2026.
"""

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:  # loaded once it is known that there is something to answer
    from dejavu.archive import Archive
    from dejavu.config.settings import Recalling
    from dejavu.recall import Memory, Recall

_TAIL = 64 << 10  # bytes of a transcript
_LINES = 20
_SHORTEST = 3  # characters of a prompt
_rules: Callable[[str], str] | None = None


class HookRequest(NamedTuple):
    """A prompt as its hook was given it: `data` is the payload, the rest comes with the call."""

    agent: str
    mode: str
    limit: str
    folder: str
    location: str
    data: bytes

    @classmethod
    def of(cls, fields: dict[str, str], data: bytes) -> "HookRequest":
        """The request that has these fields (`interfaces.hooks.inject.request_header`).

        Raises:
            ValueError: one is missing.
        """
        try:
            agent, mode, limit = fields["agent"], fields["mode"], fields["limit"]
            return cls(agent, mode, limit, fields["folder"], fields["location"], data)
        except KeyError:
            raise ValueError("a field is missing") from None


class PromptRequest(NamedTuple):
    """A payload that holds a prompt worth looking for."""

    agent: str
    prompt: str
    payload: dict[str, Any]
    folder: str


def parse_prompt(request: HookRequest) -> PromptRequest | None:
    """The prompt in a payload; None where there is none, or too short a one.

    Raises:
        ValueError: the payload is no JSON.
    """
    payload = _object(json.loads(request.data))
    prompt = "\n".join(_texts(payload.get("prompt") or payload.get("user_prompt")))
    if len(prompt.strip()) < _SHORTEST:
        return None
    folder = str(payload.get("cwd") or request.folder)
    if not request.agent:
        from dejavu.providers.registry import agent_of_payload

        request = request._replace(agent=agent_of_payload(payload).name)
    return PromptRequest(request.agent, prompt, payload, folder)


def answer_tool(archive: "Archive", agent: str, payload: dict[str, Any]) -> bytes:
    """What an agent gets before or after a tool call: the first answer of an extension."""
    from dejavu.config.extensions import parts

    for part in parts("tool_answers"):
        answered: bytes = part.assist(archive, agent, payload, redact)
        if answered:
            return answered
    return b""


def answer_standalone(request: HookRequest) -> bytes:
    """The answer of a process that has to open everything first."""
    from dejavu.config.paths import is_server

    prompt = parse_prompt(request)
    if prompt is None or (not is_server(request.location) and not os.path.isdir(request.location)):  # noqa: PTH112 - a test, without pathlib
        return b""
    from functools import partial

    from dejavu.archive import Archive
    from dejavu.config.projects import project_of
    from dejavu.config.settings import load_config
    from dejavu.recall import Memory, Recall
    from dejavu.recall.history.index import MAX_INDEX_LAG
    from dejavu.recall.history.score_fusion import Merging

    config = load_config()
    settings, project = config.recall, partial(project_of, named=config.projects)
    with Archive.open(request.location, create=False) as archive:
        # A model takes longer to load than a prompt may wait.
        merging = Merging(settings.strategy, settings.weights)
        recall = Recall(
            archive, tiers=settings.retrievers, without=("embedding",), merging=merging,
            project_of=project,
        )  # fmt: skip
        recall.catch_up(MAX_INDEX_LAG)
        return answer(
            request, prompt, archive, recall, Memory(archive, project_of=project), settings
        )


def answer(
    request: HookRequest,
    prompt: PromptRequest,
    archive: "Archive",
    recall: "Recall",
    memory: "Memory",
    settings: "Recalling",
    until: float | None = None,
) -> bytes:
    """The answer out of an archive: the block in the agent's form; empty where there is none.

    until: as of `inject`.
    """
    from dejavu.recall.injection import FLOOR, context_for
    from dejavu.recall.question import Question

    if not settings.inject:
        return b""
    everywhere = settings.everywhere or request.mode.lower() == "everywhere"
    payload = prompt.payload
    asked = Question(
        prompt.prompt,
        limit=int(request.limit) if request.limit.isdecimal() else settings.limit,
        workspace=None if everywhere else recall.workspace_of(prompt.folder) or prompt.folder,
        before=last_lines(payload.get("transcript_path")),
        spoken=not settings.tool_output,
        floor=FLOOR,
        session=str(payload.get("session_id") or payload.get("sessionId") or ""),
        budget=settings.budget,
    )
    text = context_for(archive, asked, redact=redact, recall=recall, memory=memory, until=until)
    return format_response(prompt.agent, payload, text).encode() if text else b""


def last_lines(path: object) -> list[str]:
    """What was said last in a transcript of JSON lines; empty where it cannot be read."""
    if not isinstance(path, str) or not path:
        return []
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib is not loaded yet
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _TAIL))
            rows = file.read(_TAIL).split(b"\n")
    except OSError:
        return []
    lines: list[str] = []
    for row in rows:
        try:
            value = _object(json.loads(row))
        except ValueError:
            continue
        message = _object(value.get("message", value))
        if message.get("role") in ("user", "assistant"):
            lines += [one for text in _texts(message.get("content")) for one in text.splitlines()]
    return [line for line in lines if line.strip()][-_LINES:]


def format_response(agent: str, payload: dict[str, Any], text: str, event: str = "") -> str:
    """A block in the agent's own form. event: the hook's, where it is not the prompt's."""
    from dejavu.providers.registry import find_agent

    known = find_agent(agent)
    if known is not None and known.hook_answer == "text":
        return text
    if known is not None and known.hook_answer == "additional_context":
        return json.dumps({"additionalContext": text}, ensure_ascii=True)
    event = event or (known.prompt_event if known is not None else "")
    event = event or payload.get("hook_event_name") or "UserPromptSubmit"
    output = {"hookEventName": event, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output}, ensure_ascii=True)


def redact(text: str) -> str:
    """An excerpt without secrets; the rules are loaded with the first text there is to quote."""
    global _rules
    if _rules is None:
        from dejavu.archive.redactor import counting_redactor

        _rules = counting_redactor().excerpt
    return _rules(text)


def _object(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one in its place."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts: list[Any] = content if isinstance(content, list) else []  # pyright: ignore[reportUnknownVariableType] - any JSON
    texts = [_object(part).get("text") for part in parts]
    return [text for text in texts if isinstance(text, str)]
