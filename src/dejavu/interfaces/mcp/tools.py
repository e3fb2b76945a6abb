"""The tools of the default profile: memory and history, for one project unless asked for all.

Each takes plain arguments and returns a bounded JSON object; texts come in pages, whose `next` is
the `offset` of the following one. The first line of a docstring and the words next to a parameter's
type are what the agent reads, and cost it tokens in every session: keep them short.
"""

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from dejavu.archive import Archive
from dejavu.config.settings import load_config
from dejavu.export.parts import call_summary
from dejavu.model import ConversationFilter, NotFoundError, Role, ToolCall, Turn, to_iso
from dejavu.model.conversation import turn_name, turn_number
from dejavu.recall import Memory, Recall, inject, rationales, verdicts
from dejavu.recall.factory import memory_scope, open_memory, open_recall
from dejavu.sessions import session_store

from ..recall_answer import PATIENCE, RecalledExchange, recall
from ..search_answer import search
from .answers import (
    MAX_ITEMS,
    Answer,
    answer,
    event_place,
    events_of,
    found_excerpt,
    hit_texts,
    page_size,
    paged,
    redacted,
    redacted_part,
    redactor,
    split_event,
    turn_text,
)  # fmt: skip

Everywhere = Annotated[bool, "all projects"]
Conversation = Annotated[str, "id"]
Event = Annotated[str, "conversation#turn"]
MemoryId = Annotated[str, "id"]
Judged = Annotated[str, "id or event"]
Limit = Annotated[int, "maximum"]
Offset = Annotated[int, "last `next`"]


class Tools:
    """The tools of one server."""

    def __init__(self, workspace: str | None = None) -> None:
        """Answer from `workspace` (default: the folder the server was started in)."""
        self._workspace = workspace or str(Path.cwd())

    def search_memory(
        self,
        query: Annotated[str, "names, words"],
        limit: Limit = 10,
        everywhere: Everywhere = False,
    ) -> Answer:
        """Use before a task: past memories and turns about it."""

        def work(archive: Archive) -> Answer:
            engine = open_recall(archive)
            engine.catch_up(patience=PATIENCE)
            workspace = self._scope(engine, everywhere)
            found = recall(archive, query, page_size(limit), workspace, engine=engine)
            hits = [(one.sure, _hit(archive, one)) for one in found.shown]
            memories = _rows(one.memory for one in found.memories)
            return {
                "memories": [
                    {**row, "sure": one.sure}
                    for row, one in zip(memories, found.memories, strict=True)
                ],
                "behind": found.answer.behind,
                "hits": [hit for sure, hit in hits if sure],
                "uncertain": [hit for sure, hit in hits if not sure],
            }

        return answer(work, write=True, current=True)

    def search_conversations(
        self, query: Annotated[str, "words agent:NAME after:2d"], limit: Limit = 10,
        everywhere: Everywhere = False,
    ) -> Answer:  # fmt: skip
        """Find names, errors or path:FILE in past conversations."""

        def work(archive: Archive) -> Answer:
            wanted = self._filter(Recall(archive), everywhere)
            found = search(archive, query, wanted, shown=page_size(limit))
            rows = [
                {
                    "conversation": one.summary.id, "title": one.summary.title,
                    "agent": one.summary.agent, "workspace": one.summary.workspace,
                    "more": one.more,
                    "hits": [
                        {
                            "event": turn_name(hit.conversation, hit.seq), "role": str(hit.role),
                            "at": to_iso(hit.at), "excerpt": found_excerpt(archive, hit),
                        }
                        for hit in one.hits
                    ],
                }
                for one in found.conversations
            ]  # fmt: skip
            return {"conversations": rows, "notes": found.hits.notes, "behind": found.hits.behind}

        return answer(work, current=True)

    def get_memory_context(
        self,
        prompt: Annotated[str, "the prompt"],
        limit: Limit = 3,
        everywhere: Everywhere = False,
    ) -> Answer:
        """Get the past records worth reading before answering a prompt."""

        def work(archive: Archive) -> Answer:
            recall = Recall(archive)
            recall.catch_up(patience=PATIENCE)
            workspace = self._scope(recall, everywhere)
            block = inject(
                archive, prompt, workspace=workspace, limit=limit, redact=redactor().excerpt,
                budget=load_config().recall.budget,
            )  # fmt: skip
            return {"context": block}

        return answer(work, write=True, current=True)

    def unwind_from_event(
        self,
        event: Event,
        before: Annotated[int, "turns"] = 3,
        after: Annotated[int, "turns"] = 6,
        offset: Offset = 0,
    ) -> Answer:
        """Read the full turns around a hit."""

        def work(archive: Archive) -> Answer:
            identity, seq = event_place(archive, event)
            start = max(0, seq - min(MAX_ITEMS, max(0, before)))
            stop = seq + 1 + min(MAX_ITEMS, max(0, after))
            why = rationales(archive, identity, start, stop)
            turns = redacted_part(archive, identity, start, stop)
            texts = (turn_text(turn, why.get(turn.seq)) for turn in turns)
            return {"conversation": identity, **paged(texts, offset)}

        return answer(work)

    def get_session_timeline(
        self, conversation: Conversation, offset: Offset = 0, limit: Limit = 30
    ) -> Answer:
        """Skim a conversation: one line a step."""

        def work(archive: Archive) -> Answer:
            summary = archive.summary(archive.resolve(conversation))
            start = max(0, offset)
            stop = start + page_size(limit)
            why = rationales(archive, summary.id, start, stop)
            rows = [
                {
                    "event": turn_name(summary.id, turn.seq), "kind": str(event.kind),
                    "at": to_iso(turn.at), "summary": event.summary,
                }
                for turn in redacted_part(archive, summary.id, start, stop)
                for event in events_of(turn, why.get(turn.seq))
            ]  # fmt: skip
            return {
                "conversation": summary.id, "title": summary.title, "agent": summary.agent,
                "workspace": summary.workspace, "turn_count": summary.turn_count, "events": rows,
                "next": stop if stop < summary.turn_count else None,
            }  # fmt: skip

        return answer(work)

    def list_conversations(
        self,
        agent: Annotated[str, "only this agent"] = "",
        everywhere: Everywhere = False,
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> Answer:
        """List past conversations, newest first."""

        def work(archive: Archive) -> Answer:
            recall = Recall(archive)
            recall.catch_up(patience=PATIENCE)
            wanted = self._filter(recall, everywhere).replace(agent=agent or None)
            size, start = page_size(limit), max(0, offset)
            summaries = archive.select(wanted)
            page = list(islice(summaries, start, start + size + 1))
            rows = [
                {
                    "conversation": summary.id, "title": summary.title, "agent": summary.agent,
                    "workspace": summary.workspace, "started_at": to_iso(summary.started_at),
                    "ended_at": to_iso(summary.ended_at), "turn_count": summary.turn_count,
                }
                for summary in page[:size]
            ]  # fmt: skip
            return {"conversations": rows, "next": start + size if len(page) > size else None}

        return answer(work, current=True)

    def read_conversation(
        self, conversation: Annotated[str, "id, or @session"], offset: Offset = 0
    ) -> Answer:
        """Read its prompts and answers; another agent's, too."""

        def work(archive: Archive) -> Answer:
            summary = archive.summary(archive.resolve(_thread(conversation)))
            texts = (
                f"[{turn_number(turn.seq)}] {turn.role}: {turn.text.strip()}"
                for turn in redacted(archive.turns(summary.id))
                if turn.role in (Role.USER, Role.ASSISTANT) and turn.text.strip()
            )
            return {"conversation": summary.id, "title": summary.title, **paged(texts, offset)}

        return answer(work)

    def read_thread(self, thread: Annotated[str, "id or @name"], offset: Offset = 0) -> Answer:
        """Read a conversation with its tool calls, to take over its work."""

        def work(archive: Archive) -> Answer:
            summary = archive.summary(archive.resolve(_thread(thread)))
            turns = redacted(archive.turns(summary.id))
            texts = (text for turn in turns if (text := _told(turn)))
            return {
                "conversation": summary.id, "agent": summary.agent, "title": summary.title,
                **paged(texts, offset),
            }  # fmt: skip

        return answer(work)

    def remember(
        self, text: Annotated[str, "one sentence"], everywhere: Everywhere = False
    ) -> Answer:
        """Store a decision; replaces what it contradicts."""

        def work(archive: Archive) -> Answer:
            workspace = "" if everywhere else memory_scope(archive, self._workspace)
            clean = redactor().redact(text)
            memories = open_memory(archive)
            memory = memories.remember(clean, source="mcp", workspace=workspace)
            note = {"note": "secrets in it were replaced"} if clean != text else {}
            return {
                **note,
                "id": memory.id, "text": memory.text, "confidence": memory.confidence,
                "supersedes": list(memory.supersedes),
                "may_replace": [
                    {"id": old, "text": memories.get(old).text, "probability": chance}
                    for old, chance in memories.may_replace
                ],
            }  # fmt: skip

        return answer(work, write=True)

    def recall(
        self,
        context: Annotated[str, "question or task"],
        limit: Limit = 5,
        threshold: Annotated[float, "least relevance"] = 0.2,
        everywhere: Everywhere = False,
    ) -> Answer:
        """Get the memories that matter for a task."""

        def work(archive: Archive) -> Answer:
            workspace = self._scope(Recall(archive), everywhere)
            memories = open_memory(archive).recall(
                context, limit=page_size(limit), threshold=threshold, workspace=workspace
            )
            return {"memories": _rows(memories)}

        return answer(work, write=True)

    def confirm(self, memory: Judged) -> Answer:
        """Call when it was right."""
        return _judged(memory, right=True)

    def reject(self, memory: Judged) -> Answer:
        """Call when it was wrong."""
        return _judged(memory, right=False)

    def forget(self, memory: MemoryId) -> Answer:
        """Delete a memory."""

        def work(archive: Archive) -> Answer:
            memories = Memory(archive)
            stored = memories.get(memory)
            return {"id": stored.id, "forgotten": memories.forget(stored)}

        return answer(work, write=True)

    def _scope(self, recall: Recall, everywhere: bool) -> str | None:
        """Return the workspace with history that ours is or is inside, else ours; None for all."""
        if everywhere:
            return None
        return recall.workspace_of(self._workspace) or self._workspace

    def _filter(self, recall: Recall, everywhere: bool) -> ConversationFilter:
        """What is searched and listed: our project with all its clones, or our folder; or all."""
        wanted = ConversationFilter(side=False)
        if everywhere:
            return wanted
        if project := recall.project_of(self._workspace):
            return wanted.replace(project=project)
        return wanted.replace(workspace=self._scope(recall, everywhere))


def _thread(thread: str) -> str:
    """The id of a conversation, or of what a session holds by its `@name`.

    Raises:
        NotFoundError: no session has that name, or its conversation is not known yet.
    """
    if not thread.startswith("@"):
        return thread
    conversation = session_store.find(thread[1:]).status.conversation
    if not conversation:
        raise NotFoundError(f"the conversation of {thread} is not known yet")
    return conversation


def _told(turn: Turn) -> str:
    """What a turn said, and its calls in a line each."""
    lines = [turn.text.strip()] if turn.role in (Role.USER, Role.ASSISTANT) else []
    lines += [call_summary(part) for part in turn.parts if isinstance(part, ToolCall)]
    text = "\n".join(filter(None, lines))
    return f"[{turn_number(turn.seq)}] {turn.role}: {text}" if text else ""


def _hit(archive: Archive, one: RecalledExchange) -> Answer:
    hit = one.hit
    more: Answer = {"more": one.more} if one.more else {}
    if one.replaced_by:
        more["replaced_by"] = one.replaced_by
    return {
        "event": turn_name(hit.conversation, hit.seq), "role": str(hit.role), "agent": hit.agent,
        "workspace": hit.workspace, "at": to_iso(hit.at), "score": hit.score,
        "sure": one.sure, "tiers": list(hit.tiers), **hit_texts(archive, hit), **more,
    }  # fmt: skip


def _judged(identity: str, *, right: bool) -> Answer:
    def work(archive: Archive) -> Answer:
        named = identity
        if verdicts.is_hit(identity):
            name, seq = split_event(identity)
            named = turn_name(archive.resolve(name), seq)
        judged = verdicts.judge(archive, named, right=right)
        if judged.memory is not None:
            return {"id": judged.id, "confidence": judged.memory.confidence}
        given = judged.hit is not None and judged.hit.given
        return {"event": judged.id, "right": right, "given": given}

    return answer(work, write=True)


def _rows(memories: Any) -> list[Answer]:
    return [
        {"id": m.id, "text": m.text, "score": m.score, "confidence": m.confidence} for m in memories
    ]
