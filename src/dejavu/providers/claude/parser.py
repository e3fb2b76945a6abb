"""Turns from the lines of a Claude Code session.

Parses records in the order they were appended into the session and the side chains in it. One
content block a line, so an assistant turn is gathered over lines of one message id; a tool's result
or a prompt ends it. A record written again (its uuid is known) says nothing new. Costs O(bytes);
memory O(8 bytes a record) for the uuids, and the turns of the answer being given.
"""

from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from dejavu.model import (
    Extension,
    Part,
    Relation,
    Role,
    Span,
    Text,
    ToolCallResponse,
    Turn,
    Usage,
    from_iso,
)
from dejavu.model.compaction import compacted
from dejavu.model.conversation import usage_delta, usage_max

from ..conversation_builder import ConversationBuilder, RecentIds
from ..formats.anthropic_messages import (
    ContentBlock,
    Detail,
    Message,
    answer_parts,
    blocks_of,
    merged,
    prompt_parts,
    response,
)
from ..formats.json_lines import (
    UNREADABLE,
    as_dict,
    as_dicts,
    as_str,
    decode_lenient,
    decode_struct,
)
from ..parsing import MAIN, RecordParser
from ..protocol import Source
from .records import IGNORED_SUBTYPES, IGNORED_TYPES, Record, error_message, kept_messages

_DECODER = msgspec.json.Decoder(Record)
_SPILLED = "<persisted-output>"
_HELD = 64  # turns after which a message is taken for finished
_ALIASES = 512  # ids of records that are no turns, kept to find the turn a record answers


class _Open(msgspec.Struct, array_like=True):
    """The message being gathered: its id, its last turn's seq, its tokens, those told before."""

    id: str
    seq: int
    total: Usage | None = None
    before: Usage | None = None
    closed: bool = False


class ClaudeParser(RecordParser):
    """Turns from a session's lines. Side chains in the session's own file get their own threads."""

    version = 3

    def __init__(self, source: Source, facts: dict[str, Any]) -> None:
        super().__init__(source, facts)
        self._own_from = int(facts.get("own_from", 0))
        self._whole_file_is_agent = source.path.stem.startswith("agent-")
        self._at: float | None = None  # of the record at hand,
        self._key = MAIN  # and its thread's

    def memory(self) -> dict[str, Any]:
        """Ids seen, messages being gathered, side chains."""
        return {
            "seen": self._seen.dump(),
            "open": {key: msgspec.to_builtins(message) for key, message in self._open.items()},
            "chains": self._chains,
            "aliases": self._aliases,
            "titled": self._titled,
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        self._seen = RecentIds(*memory.get("seen", ()))
        opened = memory.get("open", {})
        self._open: dict[str, _Open] = {
            key: msgspec.convert(value, _Open) for key, value in opened.items()
        }
        self._chains: dict[str, str] = dict(memory.get("chains", {}))
        self._aliases: dict[str, str | None] = dict(memory.get("aliases", {}))
        # Named by a person: no other title counts then.
        self._titled = bool(memory.get("titled"))

    # -- records -------------------------------------------------------------------------------

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        record = decode_struct(line, _DECODER)
        if record is None:
            self.drift[UNREADABLE] += 1
            return
        kind = record.type or (record.message.role if record.message else None)
        at = self._at = from_iso(record.timestamp)
        if kind in IGNORED_TYPES:
            self._note(record, None)
        elif span.offset < self._own_from:
            self._seen.add(record.uuid or "", at)
        elif kind is None:
            self._key = self._key_of(record)
            self.append_unknown(self._thread(record), "(untyped)", line, span)
        elif record.uuid is None or not self._seen.is_replay(record.uuid, at):
            self._dispatch(kind, record, line, span)

    def _dispatch(self, kind: str, record: Record, line: memoryview, span: Span) -> None:
        key = self._key = self._key_of(record)
        thread = self._thread(record)
        count = len(thread)
        if kind == "assistant":
            self._assistant(thread, record, line, span)
        elif kind == "user":
            self._user(thread, record, span)
        elif kind == "attachment":
            self._attachment(thread, record, span)
        elif kind == "system":
            self._system(thread, record, line, span)
        elif kind in ("started", "result"):  # a workflow's journal
            part = self.extension(kind, decode_lenient(line), span.length)
            self._append(thread, record, span, Role.SYSTEM, [part])
        elif kind in ("custom-title", "ai-title", "summary"):
            self._title(thread, record)
        else:
            self.append_unknown(thread, kind, line, span, at=self._at)
        if len(thread) == count and record.uuid not in self._aliases:
            self._note(record, record.parent_uuid)
        elif (opened := self._open.get(key)) and len(thread) - opened.seq > _HELD:
            opened.closed = True
            thread.freeze_before(len(thread) - 1)

    def _assistant(
        self, thread: ConversationBuilder, record: Record, line: memoryview, span: Span
    ) -> None:
        message = record.message or Message()
        if record.is_api_error_message:
            self._error(thread, record, message, span)
            return
        parts = [
            part for block in blocks_of(message.content) for part in self._answered(block, line)
        ]
        usage = message.usage.usage() if message.usage else None
        opened = self._open.get(self._key)
        if opened is None or not message.id or opened.id != message.id:
            opened = _Open(message.id or "", -1)
        current = None if opened.closed or opened.seq < 0 else thread.get(opened.seq)
        opened.total = usage_max(opened.total, usage)
        share = usage_delta(opened.total, opened.before)
        if current is not None:
            gathered = merged(current.parts, parts)
            turn = replace(current, parts=gathered, usage=share, spans=(*current.spans, span))
            thread.replace(opened.seq, turn)
            self._note(record, current.native_id, answered=True)
        elif parts or usage:
            opened.seq = self._append(
                thread, record, span, Role.ASSISTANT, parts,
                model=None if message.model == "<synthetic>" else message.model,
                usage=share, meta=_meta(message_id=message.id, stop_reason=message.stop_reason),
            )  # fmt: skip
            opened.closed = False
            thread.freeze_before(opened.seq)
        self._open[self._key] = opened

    def _answered(self, block: ContentBlock, line: memoryview) -> list[Part]:
        """One block of an answer as parts."""
        parts = answer_parts(block)
        return [self._strange(block, line)] if parts is None else parts

    def _strange(self, block: ContentBlock, line: memoryview) -> Extension:
        """A block of a type we do not know, as the record has it."""
        value = self.unknown(f"block/{block.type}", line)
        content = as_dict(as_dict(value).get("message")).get("content")
        matching = (item for item in as_dicts(content) if item.get("type") == block.type)
        return Extension(f"claude.{block.type}", next(matching, as_dict(None)))

    def _user(self, thread: ConversationBuilder, record: Record, span: Span) -> None:
        blocks = blocks_of(record.message.content if record.message else None)
        message_parts = blocks
        if results := [block for block in blocks if block.type == "tool_result"]:
            self._tools(thread, record, results, span)
            message_parts = [block for block in blocks if block.type != "tool_result"]
        if message_parts:
            injected = bool(record.is_meta or record.is_compact_summary)
            self._said(
                thread, record, message_parts, span, injected or record.prompt_source == "system"
            )

    def _tools(
        self, thread: ConversationBuilder, record: Record, results: list[ContentBlock], span: Span
    ) -> None:
        parts: list[Part] = []
        for block in results:
            answer, blobs = response(block.content)
            if isinstance(answer, str) and answer.startswith(_SPILLED):
                answer = self.spilled.full_text(answer, _spill_folder(self.source.path)) or answer
            parts += [ToolCallResponse(block.tool_use_id, answer, bool(block.is_error)), *blobs]
        detail = record.tool_use_result
        agent = None
        if isinstance(detail, Detail):
            agent = detail.agent_id
            if diff := detail.diff():
                parts.append(diff)
        self._append(thread, record, span, Role.TOOL, parts, meta=_meta(agent_id=agent))

    def _said(
        self,
        thread: ConversationBuilder,
        record: Record,
        blocks: list[ContentBlock],
        span: Span,
        injected: bool,
    ) -> None:
        """A prompt, or what the harness put in a prompt's place."""
        prompt, around = prompt_parts(blocks, injected=injected)
        if prompt or around:
            role = Role.USER if prompt and not injected else Role.SYSTEM
            meta = compacted() if record.is_compact_summary else {}
            self._append(thread, record, span, role, [*prompt, *around], meta=meta)

    def _attachment(self, thread: ConversationBuilder, record: Record, span: Span) -> None:
        """Prompts that were queued while the agent worked; everything else is context."""
        attachment = record.attachment
        if attachment is None or attachment.type != "queued_command":
            return
        blocks = blocks_of(attachment.prompt)
        mode = attachment.command_mode or "prompt"
        self._said(thread, record, blocks, span, injected=mode != "prompt")

    def _system(
        self, thread: ConversationBuilder, record: Record, line: memoryview, span: Span
    ) -> None:
        if record.subtype in IGNORED_SUBTYPES:
            return
        text = as_str(record.content)
        if record.subtype == "api_error":
            part = Extension("claude.error", {"message": text or error_message(record.error)})
            self._append(thread, record, span, Role.SYSTEM, [Text(part.data["message"]), part])
        elif record.subtype == "compact_boundary":
            data = record.compact_metadata or {}
            boundary = Extension("claude.compact_boundary", data)
            self._append(thread, record, span, Role.SYSTEM, [boundary], meta=kept_messages(data))
        elif text:
            meta = _meta(subtype=record.subtype)
            self._append(thread, record, span, Role.SYSTEM, [Text(text)], meta=meta)
        else:
            at = self._at
            self.append_unknown(
                thread, f"system/{record.subtype}", line, span, at=at, native_id=record.uuid
            )

    def _error(
        self, thread: ConversationBuilder, record: Record, message: Message, span: Span
    ) -> None:
        blocks = message.content if isinstance(message.content, list) else []
        text = "\n".join(block.text for block in blocks if block.text)
        data = _meta(message=text, status=record.api_error_status, type=record.api_error_type)
        parts: list[Part] = [Text(text), Extension("claude.error", data)]
        self._append(thread, record, span, Role.SYSTEM, parts)

    def _title(self, thread: ConversationBuilder, record: Record) -> None:
        if record.custom_title:
            self._titled = True
        elif self._titled:
            return
        if record.summary and (record.leaf_uuid or "") not in self._seen:
            return  # older versions put other sessions' summaries at the head of a file
        self.amend(thread, title=record.custom_title or record.ai_title or record.summary)

    # -- threads -------------------------------------------------------------------------------

    def _append(
        self,
        thread: ConversationBuilder,
        record: Record,
        span: Span,
        role: Role,
        parts: list[Part],
        **fields: Any,
    ) -> int:
        seq, uuid = len(thread), record.uuid
        turn = Turn(
            seq=seq, role=role, parts=tuple(parts), at=self._at,
            native_id=uuid, parent=self._answers(record), spans=(span,), **fields,
        )  # fmt: skip
        if uuid:
            self._seen.add(uuid, self._at)
        thread.append(turn)
        if role is Role.ASSISTANT:
            return seq
        opened = self._open.get(self._key)
        if role is not Role.SYSTEM:
            if opened is not None:
                opened.closed, opened.before = True, opened.total
            thread.freeze_before(seq + 1)  # what is before and here will not change any more
        elif opened is None:
            thread.freeze_before(seq + 1)
        return seq

    def _answers(self, record: Record) -> str | None:
        """The native id of the turn before this record in its chain."""
        above = record.parent_uuid or record.logical_parent_uuid
        return self._aliases.get(above, above) if above else None

    def _note(self, record: Record, above: str | None, *, answered: bool = False) -> None:
        """Remember which turn represents a record that is not itself a turn."""
        if record.uuid is None:
            return
        if answered:
            self._seen.add(record.uuid, self._at)
        self._aliases[record.uuid] = self._aliases.get(above, above) if above else None
        if len(self._aliases) > _ALIASES:
            for old in list(self._aliases)[: _ALIASES // 2]:
                del self._aliases[old]

    def _key_of(self, record: Record) -> str:
        """The thread a record belongs to: the main one, or a side chain's."""
        if self._whole_file_is_agent or not record.is_sidechain:
            return MAIN
        key = record.agent_id or self._chains.get(record.parent_uuid or "") or record.uuid or MAIN
        if record.uuid and not record.agent_id:
            self._chains[record.uuid] = key
        return key

    def _thread(self, record: Record) -> ConversationBuilder:
        thread = self.threads.get(self._key)
        if thread is None:
            thread = self.threads[self._key] = ConversationBuilder(self._begin(record, self._key))
        head = thread.head
        if record.cwd and not head.workspace:
            self.amend(thread, workspace=record.cwd)
        if record.version and record.version != head.agent_version:
            self.amend(thread, agent_version=record.version)
        return thread

    def _begin(self, record: Record, key: str) -> Any:
        """The head of the conversation whose first record this is."""
        session = record.session_id or ""
        if key != MAIN:
            main = self.source.native_id or session
            return self.head(f"{main}/{key}", parent=main, relation=Relation.SUBAGENT)
        if self.source.native_id and "/" in self.source.native_id and not self._whole_file_is_agent:
            up = self.source.native_id.rpartition("/")[0]
            return self.head(self.source.native_id, parent=up, relation=Relation.SUBAGENT)
        if self._whole_file_is_agent:
            agent = record.agent_id or self.source.path.stem.removeprefix("agent-")
            native = self.source.native_id or f"{session}/{agent}"
            up = native.rpartition("/")[0]
            title = str(self.facts.get("title", ""))
            return self.head(native, parent=up, relation=Relation.SUBAGENT, title=title)
        native = self.source.native_id or session or self.source.path.stem
        if fork := self.facts.get("fork_of"):
            return self.head(native, parent=fork, relation=Relation.FORK)
        if session and session != native and self.source.native_id:
            return self.head(native, parent=session, relation=Relation.RESUME)
        return self.head(native)


def _spill_folder(path: Path) -> Path:
    """Where the outputs of a session's tools are that were too long for its file."""
    below = next((folder for folder in path.parents if folder.name == "subagents"), None)
    return (path.with_suffix("") if below is None else below.parent) / "tool-results"


def _meta(**facts: Any) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value not in (None, "")}
