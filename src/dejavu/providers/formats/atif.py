"""Trajectories of ATIF, the Agent Trajectory Interchange Format: 1.x read, 1.7 written.

One document a session: steps of a system, a user or an agent, an agent's with its calls and what came
of them; sub-agents' trajectories may be embedded. A version that is not 1 is read as if it were, and
counted. `trajectory` writes a
conversation so that `AtifParser` reads the same turns again: what the format has no place for goes
under `extra`, next to steps that others can read. Pure.
(RFC 0001 of Harbor.)
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from dejavu.model import (
    Blob,
    Conversation,
    Part,
    Reasoning,
    Relation,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    conversation_id,
    from_iso,
    to_iso,
)

from ..conversation_builder import ConversationBuilder
from ..entry_parsers import DocumentEntries
from ..parsing import MAIN
from . import content_blocks as blocks
from .entries import first_str, usage_of
from .json_lines import as_dict, as_dicts, as_float, as_int, as_list, as_str

VERSION = "ATIF-v1.7"
_READ = re.compile(r"ATIF-v1\.\d{1,3}")  # minor versions add fields
_PARENT = ("parent_session_id", "parent")  # under `extra`, as some agents say it
_OURS = "dejavu"  # under `extra`: what only we can read
_SOURCES = {Role.USER: "user", Role.ASSISTANT: "agent", Role.SYSTEM: "system", Role.TOOL: "system"}
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_FIELDS = (
    "title",
    "workspace",
    "instance",
    "started_at",
    "ended_at",
    "agent_version",
    "starred",
    "tags",
    "agent_title",
)


def trajectory(conversation: Conversation) -> dict[str, Any]:
    """The conversation as a trajectory. O(turns)."""
    steps = [_step(group, number) for number, group in enumerate(_groups(conversation.turns), 1)]
    used = [turn.usage for turn in conversation.turns if turn.usage is not None]
    models = [turn.model for turn in conversation.turns if turn.model]
    facts = {name: getattr(conversation, name) for name in _FIELDS}
    agent = {"name": conversation.agent, "version": conversation.agent_version or "unknown"}
    return {
        "schema_version": VERSION,
        "session_id": conversation.native_id or conversation.id,
        "trajectory_id": conversation.id,
        "agent": {**agent, **({"model_name": models[-1]} if models else {})},
        "steps": steps,
        "final_metrics": {
            "total_prompt_tokens": sum(one.input_tokens or 0 for one in used),
            "total_completion_tokens": sum(one.output_tokens or 0 for one in used),
            "total_cached_tokens": sum(one.cache_read_input_tokens or 0 for one in used),
            "total_cost_usd": sum(one.cost or 0.0 for one in used),
            "total_steps": len(steps),
        },
        "extra": {
            _OURS: {
                name: value for name, value in facts.items() if value not in (None, "", False, ())
            }
        },
    }


def _groups(turns: Iterable[Turn]) -> list[list[Turn]]:
    """The turns by step: an agent's answer takes what its tools gave back after it."""
    groups: list[list[Turn]] = []
    for turn in turns:
        if turn.role is Role.TOOL and groups and groups[-1][0].role is Role.ASSISTANT:
            groups[-1].append(turn)
        else:
            groups.append([turn])
    return groups


def _step(group: list[Turn], number: int) -> dict[str, Any]:
    """A step that others can read, and the turns themselves if it does not say all of them."""
    turn = group[0]
    step: dict[str, Any] = {
        "step_id": number,
        "source": _SOURCES[turn.role],
        "message": _message(turn),
    }
    if (at := to_iso(turn.at)) is not None:
        step["timestamp"] = at
    calls: list[dict[str, Any]] = []
    if turn.role is Role.ASSISTANT:  # the format allows the following in an agent's steps alone
        thoughts = [part.content for part in turn.parts if isinstance(part, Reasoning)]
        if thought := "\n\n".join(thoughts):
            step["reasoning_content"] = thought
        if turn.model:
            step["model_name"] = turn.model
        made = [part for part in turn.parts if isinstance(part, ToolCall)]
        if calls := [_call(call, i) for i, call in enumerate(made)]:
            step["tool_calls"] = calls
        if turn.usage is not None:
            step["metrics"] = _metrics(turn.usage)
    known = {call["tool_call_id"] for call in calls}
    results = [part for one in group for part in one.parts if isinstance(part, ToolCallResponse)]
    if results:
        step["observation"] = {"results": [_result(result, known) for result in results]}
    plain = [_bare(one) for one in group]
    if list(step_turns(step)) != plain:
        step["extra"] = {_OURS: {"turns": [msgspec.to_builtins(one) for one in plain]}}
    return step


def _message(turn: Turn) -> str | list[dict[str, Any]]:
    """What a turn says: its text, or texts and images in their order."""
    images = [part for part in turn.parts if isinstance(part, Blob) and part.mime_type in _IMAGES]
    if not images:
        return turn.text
    said: list[dict[str, Any]] = []
    for part in turn.parts:
        if isinstance(part, Text):
            said.append({"type": "text", "text": part.content})
        elif isinstance(part, Blob) and part in images:
            path = f"data:{part.mime_type};base64,{part.content}"
            source = {"media_type": part.mime_type, "path": path}
            said.append({"type": "image", "source": source})
    return said


def _bare(turn: Turn) -> Turn:
    """A turn without what is its archive's own: its place and where its bytes are."""
    return replace(turn, seq=0, spans=())


def _call(call: ToolCall, place: int) -> dict[str, Any]:
    given = call.arguments
    arguments = as_dict(given) if isinstance(given, dict) else {"value": given}
    return {
        "tool_call_id": call.id or f"call_{place}",
        "function_name": call.name,
        "arguments": arguments,
    }


def _result(result: ToolCallResponse, known: set[str]) -> dict[str, Any]:
    """A result; without its call's id where the step has no such call, as the format demands."""
    said: dict[str, Any] = {}
    if result.id in known:
        said["source_call_id"] = result.id
    if result.response is not None:
        whole = result.response
        said["content"] = whole if isinstance(whole, str) else msgspec.json.encode(whole).decode()
    if result.is_error:
        said["extra"] = {"is_error": True}
    return said


def _metrics(usage: Usage) -> dict[str, Any]:
    named = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "cached_tokens": usage.cache_read_input_tokens,
        "cost_usd": usage.cost,
    }
    return {name: value for name, value in named.items() if value is not None}


def step_turns(step: dict[str, Any]) -> list[Turn]:
    """The turns that a step of anybody's trajectory says."""
    at, source = from_iso(step.get("timestamp")), as_str(step.get("source"))
    parts: list[Part] = []
    if thought := first_str(step, "reasoning_content"):
        parts.append(Reasoning(thought))
    message = step.get("message")
    parts += blocks.parts(message, "atif", lambda _: None)[0]
    for call in as_dicts(step.get("tool_calls")):
        name = first_str(call, "function_name", "name")
        parts.append(
            ToolCall(
                first_str(call, "tool_call_id", "id") or None,
                name,
                blocks.arguments(call.get("arguments")),
            )
        )
    results: list[Part] = []
    for result in as_dicts(as_dict(step.get("observation")).get("results")):
        shown, blobs = blocks.response(result.get("content"))
        call_id = first_str(result, "source_call_id") or None
        failed = bool(as_dict(result.get("extra")).get("is_error") or result.get("is_error"))
        results += [ToolCallResponse(call_id, shown, failed), *blobs]
    metrics = as_dict(step.get("metrics"))
    role = {"user": Role.USER, "agent": Role.ASSISTANT}.get(source, Role.SYSTEM)
    turns: list[Turn] = []
    if parts or not results:
        agent = role is Role.ASSISTANT
        model = first_str(step, "model_name") or None
        turns.append(
            Turn(
                role=role,
                parts=tuple(parts),
                at=at,
                model=model if agent else None,
                usage=_usage(metrics) if agent else None,
            )
        )
    if results:
        turns.append(Turn(role=Role.TOOL, parts=tuple(results), at=at))
    return turns


def _usage(metrics: dict[str, Any]) -> Usage | None:
    if not metrics:
        return None
    if usage := usage_of(
        {k: v for k, v in metrics.items() if not k.startswith(("cached", "cost"))}
    ):
        return replace(
            usage,
            cache_read_input_tokens=as_int(metrics.get("cached_tokens"))
            or usage.cache_read_input_tokens,
            cost=as_float(metrics.get("cost_usd")),
        )
    read, cost = as_int(metrics.get("cached_tokens")), as_float(metrics.get("cost_usd"))
    return None if read is None and cost is None else Usage(cache_read_input_tokens=read, cost=cost)


def our_turns(step: dict[str, Any]) -> list[Turn] | None:
    """The turns that we wrote into a step ourselves; None if there are none that can be read."""
    written = as_dict(as_dict(step.get("extra")).get(_OURS)).get("turns")
    if not isinstance(written, list):
        return None
    try:
        return [_bare(msgspec.convert(one, Turn)) for one in as_dicts(written)]
    except (msgspec.ValidationError, RecursionError):
        return None


class AtifParser(DocumentEntries):
    """One trajectory, one conversation; an embedded one is its sub-agent's."""

    def document(self, value: Any, span: Span) -> None:
        """Take the trajectory and those in it."""
        whole = as_dict(value)
        native = self.source.native_id or as_str(whole.get("session_id")) or self.source.path.stem
        waiting = [(MAIN, native, whole, first_str(as_dict(whole.get("extra")), *_PARENT))]
        while waiting:
            key, native, document, parent = waiting.pop()
            self._trajectory(key, native, document, parent, span)
            for number, inner in enumerate(as_dicts(document.get("subagent_trajectories"))):
                place = f"{key}/{number}" if key else str(number)
                name = as_str(inner.get("trajectory_id")) or f"{native}/{number}"
                waiting.append((place, name, inner, native))

    def _trajectory(
        self, key: str, native: str, document: dict[str, Any], parent: str, span: Span
    ) -> None:
        version = as_str(document.get("schema_version"))
        if not _READ.fullmatch(version):
            self.drift[f"schema_version {version[:40] or 'none'}"] += 1
        agent, extra = as_dict(document.get("agent")), as_dict(document.get("extra"))
        ours = as_dict(extra.get(_OURS))
        folder = as_str(ours.get("workspace")) or first_str(extra, "cwd", "working_directory")
        relation = Relation.SUBAGENT if parent else None
        head = self.head(native, workspace=folder, parent=parent or None, relation=relation)
        if self.source.agent in ("atif", _OURS):  # handed over: the agent is the one that it names
            head = replace(head, agent=first_str(agent, "name") or head.agent)
        if self.source.agent == _OURS:  # with that agent's own file it is one conversation
            head = replace(head, id=conversation_id(head.agent, head.instance, native))
        thread = self.threads[key] = ConversationBuilder(head)
        self.amend(
            thread,
            title=first_str(ours, "title") or first_str(extra, "title"),
            started_at=as_float(ours.get("started_at")),
            agent_version=first_str(agent, "version").replace("unknown", "") or None,
            starred=ours.get("starred") is True,
            tags=tuple(tag for tag in as_list(ours.get("tags")) if isinstance(tag, str)),
            agent_title=first_str(ours, "agent_title") or None,
        )
        model = first_str(agent, "model_name") or None
        for step in as_dicts(document.get("steps")):
            for turn in our_turns(step) or step_turns(step):
                given = model if turn.role is Role.ASSISTANT and not ours else None
                thread.append(replace(turn, spans=(span,), model=turn.model or given))
