"""The tools: each takes plain arguments and gives a bounded JSON object, sanitised throughout.

The archive is opened for each call and closed after it, so that a server that lives for days holds
no reader. Texts come in pages: `next` says where the next one begins. A fault of the caller's is
an `error` sentence, not an exception.
"""

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.config.redaction_key import redaction_key
from dejavu.model import DejavuError, NotFoundError, Turn, to_iso
from dejavu.recall import Event, Memory, Recall, events, inject, reasons
from dejavu.recall.factory import memory_of, recall_of
from dejavu.recall.rationale import Why
from dejavu.redact.sanitise import sanitise

MOST = 50  # items of a page
CHARACTERS = 20_000  # of all texts of an answer
Answer = dict[str, Any]


class Tools:
    """The tools of one server, answering for one workspace unless asked for another."""

    def __init__(self, workspace: str | None = None) -> None:
        """Answer from `workspace` (default: the folder the server was started in)."""
        self._workspace = workspace or str(Path.cwd())

    def search_memory(self, query: str, limit: int = 10, everywhere: bool = False) -> Answer:
        """Search curated memories and past agent sessions for what answers a question.

        Returns memories and hits; a hit names its event (`conversation#turn`), which
        unwind_from_event shows with what stands around it. Searches this workspace, or all of
        them with everywhere=true.
        """

        def work(archive: Archive) -> Answer:
            recall = recall_of(archive)
            where = None if everywhere else self._known(recall)
            memories = memory_of(archive).recall(query, limit=_page(limit), workspace=where)
            hits = recall.search(query, _page(limit), where)
            return {
                "memories": [
                    {"id": m.id, "text": m.text, "score": m.score, "confidence": m.confidence}
                    for m in memories
                ],
                "hits": [
                    {
                        "event": f"{hit.conversation}#{hit.seq}", "role": str(hit.role),
                        "agent": hit.agent, "workspace": hit.workspace, "at": to_iso(hit.at),
                        "score": hit.score, "tiers": list(hit.tiers), "excerpt": hit.excerpt,
                    }
                    for hit in hits
                ],
            }  # fmt: skip

        return self._answered(work, write=True)

    def get_memory_context(self, prompt: str, limit: int = 3, everywhere: bool = False) -> Answer:
        """The block of past records worth reading before answering a prompt; empty if none is."""

        def work(archive: Archive) -> Answer:
            from dejavu.redact import Redactor

            where = None if everywhere else self._known(Recall(archive)) or self._workspace
            redact = Redactor(redaction_key()).redact
            return {"context": inject(archive, prompt, workspace=where, limit=limit, redact=redact)}

        return self._answered(work, write=True)

    def unwind_from_event(
        self, event: str, before: int = 3, after: int = 6, offset: int = 0
    ) -> Answer:
        """What was said and done around an event (`conversation#turn`), in full, in pages.

        offset: characters to skip, as `next` of the page before said.
        """

        def work(archive: Archive) -> Answer:
            name, _, seq = event.partition("#")
            identity, at = archive.resolve(name.strip()), int(seq.partition(".")[0] or 0)
            start = max(0, at - min(MOST, max(0, before)))
            stop = at + 1 + min(MOST, max(0, after))
            why = reasons(archive, identity, start, stop)
            told = (_told(turn, why.get(turn.seq)) for turn in archive.turns(identity, start, stop))
            return {"conversation": identity, **_paged(told, offset)}

        return self._answered(work)

    def get_session_timeline(self, conversation: str, offset: int = 0, limit: int = 30) -> Answer:
        """One line for each thing that happened in a conversation, in order, in pages."""

        def work(archive: Archive) -> Answer:
            head = archive.head(archive.resolve(conversation))
            first = max(0, offset)
            stop = first + _page(limit)
            why = reasons(archive, head.id, first, stop)
            rows = [
                {
                    "event": f"{head.id}#{turn.seq}", "kind": str(told.kind),
                    "at": to_iso(turn.at), "summary": told.summary,
                }
                for turn in archive.turns(head.id, first, stop)
                for told in _events(turn, why.get(turn.seq))
            ]  # fmt: skip
            return {
                "conversation": head.id, "title": head.title, "agent": head.agent,
                "workspace": head.workspace, "turn_count": head.turn_count, "events": rows,
                "next": stop if stop < head.turn_count else None,
            }  # fmt: skip

        return self._answered(work)

    def list_conversations(
        self, agent: str | None = None, everywhere: bool = False, offset: int = 0, limit: int = 20
    ) -> Answer:
        """Past conversations of this workspace (or of all), the newest first, in pages."""

        def work(archive: Archive) -> Answer:
            where = None if everywhere else self._known(Recall(archive)) or self._workspace
            count = _page(limit)
            first = max(0, offset)
            heads = list(
                islice(archive.scan(workspace=where, agent=agent), first, first + count + 1)
            )
            rows = [
                {
                    "conversation": head.id, "title": head.title, "agent": head.agent,
                    "workspace": head.workspace, "started_at": to_iso(head.started_at),
                    "ended_at": to_iso(head.ended_at), "turn_count": head.turn_count,
                }
                for head in heads[:count]
            ]  # fmt: skip
            more = len(heads) > count
            return {"conversations": rows, "next": first + count if more else None}

        return self._answered(work)

    def read_conversation(self, conversation: str, offset: int = 0) -> Answer:
        """What people and agents said in a conversation, without tool traffic, in pages.

        offset: characters to skip, as `next` of the page before said.
        """

        def work(archive: Archive) -> Answer:
            head = archive.head(archive.resolve(conversation))
            said = (
                f"[{turn.seq}] {turn.role}: {turn.text.strip()}"
                for turn in archive.turns(head.id)
                if turn.role in ("user", "assistant") and turn.text.strip()
            )
            return {"conversation": head.id, "title": head.title, **_paged(said, offset)}

        return self._answered(work)

    def remember(self, text: str, everywhere: bool = True) -> Answer:
        """Keep a fact or decision for later sessions; it supersedes what it contradicts."""

        def work(archive: Archive) -> Answer:
            where = "" if everywhere else self._workspace
            try:
                kept = memory_of(archive).remember(text, source="mcp", workspace=where)
            except ValueError as error:
                return {"error": str(error)}
            return {
                "id": kept.id, "text": kept.text, "confidence": kept.confidence,
                "supersedes": list(kept.supersedes),
            }  # fmt: skip

        return self._answered(work, write=True)

    def recall(self, context: str, limit: int = 5, threshold: float = 0.2) -> Answer:
        """The curated memories that answer a context; the recall is logged."""

        def work(archive: Archive) -> Answer:
            found = memory_of(archive).recall(context, limit=_page(limit), threshold=threshold)
            return {
                "memories": [
                    {"id": m.id, "text": m.text, "score": m.score, "confidence": m.confidence}
                    for m in found
                ]
            }

        return self._answered(work, write=True)

    def confirm(self, memory: str) -> Answer:
        """Say that a memory proved right: its confidence rises by 0.1."""
        return self._moved(memory, Memory.confirm)

    def reject(self, memory: str) -> Answer:
        """Say that a memory proved wrong: its confidence falls by 0.15."""
        return self._moved(memory, Memory.reject)

    def forget(self, memory: str) -> Answer:
        """Remove a memory for good."""

        def work(archive: Archive) -> Answer:
            held = Memory(archive)
            found = held.get(memory)
            return {"id": found.id, "forgotten": held.forget(found)}

        return self._answered(work, write=True)

    def _moved(self, memory: str, step: Callable[[Memory, str], bool]) -> Answer:
        def work(archive: Archive) -> Answer:
            held = Memory(archive)
            found = held.get(memory)
            step(held, found.id)
            return {"id": found.id, "confidence": held.get(found.id).confidence}

        return self._answered(work, write=True)

    def _known(self, recall: Recall) -> str | None:
        """The workspace with history that this one is, or lies in."""
        recall.catch_up()
        return recall.workspace_of(self._workspace) or self._workspace

    def _answered(self, work: Callable[[Archive], Answer], *, write: bool = False) -> Answer:
        try:
            with open_archive(write=write) as archive:
                return bounded(work(archive))
        except NoArchiveError:
            return {"error": "nothing was captured yet"}
        except NotFoundError as error:
            return {"error": sanitise(str(error), newlines=False, limit=300)}
        except (DejavuError, OSError, ValueError) as error:
            return {
                "error": sanitise(f"{type(error).__name__}: {error}", newlines=False, limit=300)
            }


ALIASES: Mapping[str, str] = {
    "searchMemory": "search_memory",
    "getMemoryContext": "get_memory_context",
    "unwindFromEvent": "unwind_from_event",
    "getSessionTimeline": "get_session_timeline",
    "listConversations": "list_conversations",
    "readConversation": "read_conversation",
}
"""The names the seeds had for them."""

NAMES = (
    "search_memory", "get_memory_context", "unwind_from_event", "get_session_timeline",
    "list_conversations", "read_conversation", "remember", "recall", "confirm", "reject", "forget",
)  # fmt: skip


def bounded(answer: Answer) -> Answer:
    """The answer with every text sanitised, and all of them together within their bound."""
    left = [CHARACTERS]

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            text = sanitise(value[: max(0, left[0]) + 1], limit=max(1, left[0]))
            left[0] -= len(text)
            return text
        if isinstance(value, dict):
            return {key: clean(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType] - any JSON
        if isinstance(value, list):
            return [clean(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
        return value

    return {key: clean(value) for key, value in answer.items()}


def _page(limit: int) -> int:
    return min(MOST, max(1, limit))


def _events(turn: Turn, why: Why | None) -> list[Event]:
    """What happened in a turn, and why, where that was written."""
    return [*events(turn), *([why.event] if why is not None else [])]


def _told(turn: Turn, why: Why | None) -> str:
    told = [f"{event.kind}: {event.text.strip()}" for event in _events(turn, why)]
    return f"[{turn.seq}] {to_iso(turn.at) or '-'} {turn.role}\n" + "\n".join(told)


def _paged(texts: Any, offset: int) -> Answer:
    """A page of the texts joined by blank lines; `next` is where the following one begins."""
    size = CHARACTERS - 2_000  # room for the rest of the answer
    skip, page, room = max(0, offset), "", size
    for text in texts:
        piece = sanitise(f"{text}\n\n")
        if skip >= len(piece):
            skip -= len(piece)
            continue
        piece, skip = piece[skip:], 0
        page += piece[:room]
        if len(piece) > room:
            return {"text": page, "next": max(0, offset) + size}
        room -= len(piece)
    return {"text": page, "next": None}
