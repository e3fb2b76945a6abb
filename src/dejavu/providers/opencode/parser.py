"""Turns from the log of an OpenCode session.

Parses lines `{"session"}`, `{"keep"}` and `{"message"}` into one conversation. A message of 1.x
holds its parts in order: what the model says and the tools it calls are assistant turns, the tools'
results tool turns between them; those of 2.x have a `type` (see `v2_messages`). Remembers where
each message begins, nothing else.
"""

from typing import Any

from msgspec.structs import replace

from dejavu.model import (
    Blob,
    Extension,
    Part,
    Reasoning,
    Relation,
    Role,
    Span,
    Text,
    Turn,
    Usage,
    from_iso,
)
from dejavu.model.compaction import NONE, compacted, kept

from ..conversation_builder import ConversationBuilder
from ..formats.json_lines import UNREADABLE, as_dict, as_dicts, as_int, as_str, decode_lenient
from ..parsing import MAIN, RecordParser
from . import v2_messages as opencode_v2
from .parts import blob, error, spilled_path, title, tool_call, tool_results, usage

_SILENT = frozenset({"step-start", "step-finish", "snapshot", "patch"})
_BESIDE = frozenset({"file", "agent", "subtask", "compaction", "retry"})


class OpenCodeParser(RecordParser):
    """One session, one conversation."""

    version = 3

    def memory(self) -> dict[str, Any]:
        """The seq at which each message begins."""
        return {"starts": self._starts}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        self._starts: list[int] = list(memory.get("starts", ()))

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line of the log."""
        value = as_dict(decode_lenient(line))
        thread = self._thread()
        if "session" in value:
            self._session(thread, as_dict(value["session"]))
        elif "keep" in value:
            keep = max(0, as_int(value["keep"]) or 0)
            if keep < len(self._starts):
                thread.truncate(self._starts[keep])
                del self._starts[keep:]
        elif "message" in value:
            self._starts.append(len(thread))
            self._message(thread, as_dict(value["message"]), span)
            thread.freeze_before(len(thread))
        else:
            self.drift[UNREADABLE] += 1

    def _thread(self) -> ConversationBuilder:
        if MAIN not in self.threads:
            self.threads[MAIN] = ConversationBuilder(self.head(self.source.native_id or ""))
        return self.threads[MAIN]

    def _session(self, thread: ConversationBuilder, session: dict[str, Any]) -> None:
        above = as_str(session.get("parent_id")) or as_str(session.get("parentID"))
        forked = "" if above else as_str(session.get("fork_session_id"))
        relation = Relation.FORK if forked else Relation.SUBAGENT
        times = as_dict(session.get("time"))
        began = session.get("time_created") or times.get("created")
        parent = (
            self.head("", parent=above or forked, relation=relation) if above or forked else None
        )
        self.amend(
            thread,
            title=title(session),
            workspace=as_str(session.get("directory")),
            agent_version=as_str(session.get("version")),
            started_at=from_iso(began),
            parent=parent and parent.parent,
            relation=parent and parent.relation,
        )

    def _message(self, thread: ConversationBuilder, message: dict[str, Any], span: Span) -> None:
        data = as_dict(message.get("data"))
        created = as_dict(data.get("time")).get("created") or message.get("created")
        native, above = as_str(message.get("id")), as_str(data.get("parentID")) or None
        common: dict[str, Any] = {"spans": (span,), "native_id": native, "at": from_iso(created)}
        parts = [as_dict(part.get("data")) for part in as_dicts(message.get("parts"))]
        if message.get("deleted"):
            part = Extension("opencode.deleted", {"id": native})
            thread.append(Turn(role=Role.SYSTEM, parts=(part,), **common))
        elif kind := as_str(message.get("type")):
            for turn in opencode_v2.turns(kind, data, self.drift, self._whole):
                thread.append(replace(turn, **common))
        elif data.get("role") == "user":
            self._prompt(thread, parts, common)
        else:
            self._answer(thread, data, parts, {**common, "parent": above})

    def _prompt(
        self, thread: ConversationBuilder, parts: list[dict[str, Any]], common: dict[str, Any]
    ) -> None:
        """What the person wrote, and apart from it what the harness added to it."""
        message_parts = [self._beside(part) for part in parts if not _injected(part)]
        if message_parts:
            role = (
                Role.USER
                if any(isinstance(part, Text | Blob) for part in message_parts)
                else Role.SYSTEM
            )
            nothing: dict[str, Any] = {}
            kept = (_kept(part) for part in parts if part.get("type") == "compaction")
            meta = next(kept, nothing)
            thread.append(Turn(role=role, parts=tuple(message_parts), meta=meta, **common))
        added = [self._beside(part) for part in parts if _injected(part)]
        if added:
            thread.append(Turn(role=Role.SYSTEM, parts=tuple(added), **common))

    def _answer(
        self,
        thread: ConversationBuilder,
        data: dict[str, Any],
        parts: list[dict[str, Any]],
        common: dict[str, Any],
    ) -> None:
        spent: Usage | None = usage(data)
        meta: dict[str, Any] = compacted() if data.get("summary") is True else {}
        message_parts: list[Part] = []
        results: list[Part] = []

        def flush() -> None:
            nonlocal spent
            if message_parts:
                model = as_str(data.get("modelID")) or None
                turn = Turn(
                    role=Role.ASSISTANT,
                    parts=tuple(message_parts),
                    model=model,
                    usage=spent,
                    meta=meta,
                    **common,
                )
                thread.append(turn)
                spent = None
            if results:
                thread.append(Turn(role=Role.TOOL, parts=tuple(results), **common))
            message_parts.clear()
            results.clear()

        for part in parts:
            kind = as_str(part.get("type"))
            if kind in _SILENT:
                continue
            if results and kind != "tool":
                flush()
            if kind == "tool":
                message_parts.append(tool_call(part))
                results += tool_results(part, self._whole)
            else:
                message_parts.append(self._beside(part))
        flush()
        if failed := as_dict(data.get("error")):
            thread.append(Turn(role=Role.SYSTEM, parts=error(failed), **common))

    def _whole(self, state: dict[str, Any], shown: Any) -> Any:
        """A tool's output as `shown`, or all of it where it was put into its own file."""
        path = self.source.path
        root = next((above for above in path.parents if above.name == "storage"), path).parent
        stated = spilled_path(state)
        return (stated and self.spilled.named(stated, root / "tool-output")) or shown

    def _beside(self, part: dict[str, Any]) -> Part:
        """A part that is no tool's."""
        kind = as_str(part.get("type"))
        if kind == "text":
            return Text(as_str(part.get("text")))
        if kind == "reasoning":
            return Reasoning(as_str(part.get("text")))
        if kind == "file" and (inline := blob(part)):
            return inline
        if kind not in _BESIDE:
            self.drift[f"part/{kind}"] += 1
        return Extension(f"opencode.{kind}", {k: v for k, v in part.items() if k != "type"})


def _injected(part: dict[str, Any]) -> bool:
    return bool(part.get("synthetic") or part.get("ignored"))


def _kept(part: dict[str, Any]) -> dict[str, Any]:
    """What a compaction keeps of the messages before it."""
    tail = as_str(part.get("tail_start_id"))
    return {**(kept(since=tail) if tail else kept(NONE))}
