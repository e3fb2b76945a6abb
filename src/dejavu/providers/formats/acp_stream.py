"""The traffic between an editor and an agent that speaks the Agent Client Protocol, as turns.

Parses the lines that `dejavu acp --tap` keeps, both directions in the order in which they passed:

    {"at": 1764000000.1, "dir": "in", "line": {...}}     from the editor, the line as it was
    {"at": 1764000000.2, "dir": "out", "line": {...}}    from the agent
    {"at": ..., "dir": "out", "text": "..."}             a line that is no JSON (`bytes`: base64)
    {"at": ..., "dir": "in", "cut": true, "line": {}}    the beginning of a line that is too long
    {"at": ..., "dir": "gap", "lost": 4096}              bytes that came too fast, in both directions

One source holds every session of one process, each a conversation by its own id. What an agent
replays when a session is loaded is read where nothing was known of that session before, without
times; where its turns are here already the replay says nothing. Requests that wait for their answer
are remembered, up to a bound. (Protocol: agentclientprotocol.com, v1 and the stable part of the draft
of v2: there the answer to a prompt only says that it was taken, and a state of `idle` ends the turn.)
"""

from typing import Any

from msgspec.structs import replace

from dejavu.model import Relation, Role, Span, Usage, conversation_id

from ..protocol import Source
from . import acp
from .acp_turns import AcpTurns, TurnPosition, forget, model_of, parent_of, question, text_of
from .entries import first_str, joined_texts, time_of
from .json_lines import UNREADABLE, as_dict, as_dicts, as_int, as_str, decode_lenient
from .long_lines import TRUNCATED
from .streams.values import without_none, words

PREFIX = "acp:"
"""How the names of sources begin that hold this traffic, whichever agent it is of."""

_SETUP = frozenset({"session/new", "session/load", "session/resume", "session/fork"})
_ASKING = {"session/request_permission": "permission", "elicitation/create": "question"}
_WAITING = {
    **dict.fromkeys((*_SETUP, *_ASKING, "initialize", "session/prompt"), ("sessionId", "cwd")),
    "session/set_model": ("sessionId", "modelId"),
    "session/set_config_option": ("sessionId",),
    "terminal/output": ("sessionId", "terminalId"),
}
"""Requests whose answers say something, and the parameters that are remembered till then."""
_QUIET = (
    "initialize", "authenticate", "auth/", "logout", "fs/", "tool_call/", "terminal/", "mcp/",
    "nes/", "document/",
    "providers/", "session/cancel", "session/list", "session/close", "session/delete",
    "session/set_", "elicitation/", "$/", "_",
)  # fmt: skip


class AcpParser(AcpTurns):
    """Turns from both directions of one process's stdin and stdout."""

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "requests": self._requests, "version": self._agent_version}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._requests: dict[str, dict[str, Any]] = memory.get("requests", {})
        """Requests without an answer yet, by direction and id."""
        self._agent_version: str = memory.get("version", "")

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        value = as_dict(decode_lenient(line))
        message, direction = as_dict(value.get("line")), as_str(value.get("dir"))
        if not message:
            if direction not in ("in", "out", "gap") or "line" in value or "text" in value:
                self.drift[UNREADABLE] += 1
            return
        if value.get("cut"):
            self.drift[TRUNCATED] += 1
        where = TurnPosition(span, time_of(value.get("at")))
        method, number = as_str(message.get("method")), message.get("id")
        if method:
            params = as_dict(message.get("params"))
            key = f"{direction}:{number!r}"
            if number is not None and method in _WAITING:
                told = {name: params[name] for name in _WAITING[method] if name in params}
                self._requests[key] = {"method": method, **told}
                forget(self._requests)
            if direction == "in":
                self._from_editor(method, params, where, line)
            else:
                self._from_agent(method, params, where, line, key)
        elif number is not None:
            other = "in" if direction == "out" else "out"
            request = self._requests.pop(f"{other}:{number!r}", None)
            if request is not None:
                error = as_dict(message.get("error"))
                self._answered(request, as_dict(message.get("result")), error, where)

    def close(self) -> None:
        """The traffic ended: what was held back is given."""
        for native_id in list(self._sessions):
            self.end_user(native_id)
        super().close()

    def _from_editor(
        self, method: str, params: dict[str, Any], where: TurnPosition, line: memoryview
    ) -> None:
        """A request or a notification of the editor."""
        native_id = as_str(params.get("sessionId"))
        if method == "session/prompt" and native_id:
            self.name(native_id)
            self.end_user(native_id)
            self.end_answer()
            parts = acp.content_parts(params.get("prompt"), self.source.agent, self.strange)
            self.session(native_id)["asked"] = text_of(parts)
            self.add_prompt(joined_texts(tuple(parts)), where.span, at=where.at)
        elif native_id and (method == "session/load" or params.get("replayFrom") is not None):
            # up to the answer comes what was said before
            self.name(native_id)
            known = self._main in self.threads and len(self.threads[self._main]) > 0
            self.session(native_id)["replay"] = "known" if known else "new"
        elif method not in _WAITING and not method.startswith(_QUIET):
            self.unknown(method[:80], line)

    def _from_agent(
        self, method: str, params: dict[str, Any], where: TurnPosition, line: memoryview, key: str
    ) -> None:
        """A request or a notification of the agent."""
        native_id = as_str(params.get("sessionId"))
        update = as_dict(params.get("update"))
        if method == "session/update" and update.get("sessionUpdate") == "state_update":
            if update.get("state") == "idle" and native_id:
                self._prompt_over(native_id, update, as_dict(update.get("error")), where)
        elif method == "session/update":
            self.update(native_id, update, where, line)
        elif method in _ASKING and native_id:
            self._ask(key, method, params, where)
        elif not method.startswith(_QUIET):
            self.unknown(method[:80], line)

    # -- answers to requests -----------------------------------------------------------------------

    def _answered(
        self,
        request: dict[str, Any],
        result: dict[str, Any],
        error: dict[str, Any],
        where: TurnPosition,
    ) -> None:
        method, native_id = as_str(request.get("method")), as_str(request.get("sessionId"))
        if method == "initialize":
            agent = as_dict(result.get("agentInfo")) or as_dict(result.get("info"))
            self._agent_version = as_str(agent.get("version"))
        elif method in _SETUP:
            self._set_up(method, request, result)
        elif method == "session/prompt" and (error or "messageId" not in result):
            self._prompt_over(native_id, result, error, where)
        elif method in _ASKING:
            self._chosen(request, result, error, where)
        elif method == "terminal/output":
            shown = as_str(result.get("output"))
            self.terminal(native_id, as_str(request.get("terminalId")), shown)
        elif native_id in self._sessions and not error and method != "session/prompt":
            self.name(native_id)
            self.model = as_str(request.get("modelId")) or model_of(result)

    def _set_up(self, method: str, request: dict[str, Any], result: dict[str, Any]) -> None:
        """A session was made, or is there again."""
        given = as_str(request.get("sessionId"))
        native_id = as_str(result.get("sessionId")) or ("" if method == "session/fork" else given)
        if not native_id:
            return
        self.name(native_id)
        self.end_user(native_id)
        self.end_answer()
        self.session(native_id).pop("replay", None)
        workspace = as_str(request.get("cwd"))
        self.name(None, workspace=workspace, agent_version=self._agent_version)
        self.model = model_of(result)
        if method == "session/fork" and given:
            up = conversation_id(self.source.agent, self.source.instance, given)
            self.name(None, parent=up, relation=Relation.FORK)

    def _prompt_over(
        self, native_id: str, result: dict[str, Any], error: dict[str, Any], where: TurnPosition
    ) -> None:
        self.name(native_id)
        self.end_user(native_id)
        self.session(native_id).pop("asked", None)
        answer = self.open_answer()
        if answer is not None:
            answer.reach(where.span)
            stop_reason = as_str(result.get("stopReason"))
            answer.note(meta={**answer.turn.meta, **without_none(stop_reason=stop_reason)})
            answer.spend(_usage(as_dict(result.get("usage"))))
            self.end_answer()
        if error:
            code = error.get("code")
            self.fail(words(error) or "error", where.span, at=where.at, code=code)

    # -- what an agent asks a person ---------------------------------------------------------------

    def _ask(self, key: str, method: str, params: dict[str, Any], where: TurnPosition) -> None:
        """A question: its own turn, which gets its answer once that comes."""
        native_id, subject = as_str(params.get("sessionId")), as_dict(params.get("subject"))
        call = as_dict(params.get("toolCall")) or as_dict(subject.get("toolCall"))
        sub = parent_of(params) or parent_of(call)
        self.name(native_id)
        self.end_user(native_id)
        if call:
            call = {**self.call(native_id, call, where, sub), **call}
        asked = first_str(params, "message", "title") or first_str(call, "title") or "permission"
        options = [
            {name: option.get(name) for name in ("optionId", "name", "kind")}
            for option in as_dicts(params.get("options"))
        ]
        data = without_none(
            toolCallId=as_str(call.get("toolCallId")), question=asked, options=options or None
        )
        kind = f"{self.source.agent}.{_ASKING[method]}"
        parts = question(kind, data)
        seq = self.append(Role.SYSTEM, parts, where.span, sub=sub, at=where.at)
        if (request := self._requests.get(key)) is not None:
            request.update(kind=kind, data=data, seq=seq, sub=sub)

    def _chosen(
        self,
        request: dict[str, Any],
        result: dict[str, Any],
        error: dict[str, Any],
        where: TurnPosition,
    ) -> None:
        """What a person answered, in the question's turn."""
        data, sub = as_dict(request.get("data")), request.get("sub")
        if not data:
            return
        self.name(as_str(request.get("sessionId")))
        told = as_dict(result.get("outcome"))
        option = as_str(told.get("optionId"))
        names = {
            as_str(one.get("optionId")): one.get("name") for one in as_dicts(data.get("options"))
        }
        outcome = first_str(told, "outcome") or first_str(result, "action")
        data |= without_none(
            outcome=outcome or ("error" if error else "answered"),
            optionId=option,
            chosen=names.get(option),
            content=result.get("content"),
        )
        parts = question(as_str(request.get("kind")), data)
        thread, seq = self.thread(sub), request.get("seq", -1)
        turn = thread.get(seq)
        if turn is None:  # so much came meanwhile that it was let go
            self.append(Role.SYSTEM, parts, where.span, sub=sub, at=where.at)
        else:
            thread.replace(seq, replace(turn, parts=parts, spans=(*turn.spans, where.span)))


def parser(
    source: Source, state: bytes | None = None, *, restart: bool = False, **_: Any
) -> AcpParser:
    """A parser at the start of the traffic, or where `state` left off.

    Raises:
        StaleStateError: another version of the parser wrote `state`; parse the raw again.
    """
    made = AcpParser(source, {})
    if state is not None and not restart:
        made.resume(state)
    return made


def _usage(told: dict[str, Any]) -> Usage | None:
    fresh, output = as_int(told.get("inputTokens")), as_int(told.get("outputTokens"))
    if fresh is None and output is None:
        return None
    read, written = as_int(told.get("cachedReadTokens")), as_int(told.get("cachedWriteTokens"))
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        output_tokens=output,
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
        reasoning_output_tokens=as_int(told.get("thoughtTokens")),
    )
