"""Injection: the few records worth putting before a prompt, or nothing.

`inject` returns the fenced block, or an empty text. An exchange is quoted with its answer, never a
question alone, and without tool output unless asked for. Left out is what is not sure to answer
(`history.confidence`), what this very session or its family said, what was put before a prompt of it
already or is in its last lines, what only gives orders, the sentences that give orders in the rest
(`context_block`), and what a newer answer replaces: the newer one says so in a line.

What is given is noted first (`injection_log`), so that an injection without its audit row cannot
happen. Whatever fails, the prompt continues without a block and without a word.

Costs one search.
"""

import os
import time
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path, PurePath

from dejavu.archive import Archive
from dejavu.model import Conversation, DejavuError, to_iso

from .context_block import BUDGET, Item, Redact, block, only_instructs, without_orders
from .history.confidence import SURE
from .history.events import Kind
from .history.hit_loader import RecallHit
from .history.index import MAX_INDEX_LAG
from .history.query import begins_question, is_question
from .history.search import Recall
from .injection_log import NAMESPACE, already_injected, expect_injected, note, withdraw
from .memory.memory import Memory
from .memory.memory_cache import topics
from .memory.memory_records import RecallResult
from .question import Question
from .terms import content_stems, normalise

LIMIT = 3
MAX_LIMIT = 10
FLOOR = SURE
"""The probability to answer that a record must have."""
OFF = ("[no-memory]", "#no-memory")
"""What a person writes into a prompt that is to go without."""

_MEMORY_FLOOR = 0.45
_MEMORY_ORDER_FLOOR = 0.75  # for a prompt that asks for work and not for what is known
_WORDS = 2  # words that tell, which a prompt must share with a memory
_OLD = 80  # characters of an answer that was replaced
_CANDIDATES = 20  # hits looked at: most of them may be of this session, or said already
_RECOGNISED = 100  # characters by which a text that was said is known again
_WRITING = 600.0  # seconds after an answer in which its own edits still reach the disk
_SCRIPTED = "demo"  # the agent whose session is made up: no project's past
_LONGEST = 8_000  # characters of a prompt that are looked at


def inject(
    archive: Archive,
    prompt: str,
    *,
    session: str = "",
    workspace: str | None = None,
    before: Sequence[str] = (),
    limit: int = LIMIT,
    budget: int = BUDGET,
    tool_output: bool = False,
    floor: float = FLOOR,
    redact: Redact | None = None,
    recall: Recall | None = None,
    memory: Memory | None = None,
    until: float | None = None,
    clock: Callable[[], float] = time.time,
) -> str:
    """The block to put before `prompt`; empty where there is nothing worth it.

    session: the agent's own id of this session, whose turns are not quoted to itself. workspace:
    quote only from there (None: from all). before: the last lines of the transcript.
    limit: 1 to 10 records. redact: what every text goes through. recall, memory: those that a
    long-lived caller keeps and brings up to date itself. until: the moment (`time.monotonic`) after
    which no one waits for the block; what would come later is not given, and not noted as given.
    Never raises an error of ours or of the system's.
    """
    asked = Question(
        prompt, limit, workspace, before, spoken=not tool_output, floor=floor, session=session,
        budget=budget,
    )  # fmt: skip
    return context_for(
        archive, asked, redact=redact, recall=recall, memory=memory, until=until, clock=clock
    )


def context_for(
    archive: Archive,
    asked: Question,
    *,
    redact: Redact | None = None,
    recall: Recall | None = None,
    memory: Memory | None = None,
    until: float | None = None,
    clock: Callable[[], float] = time.time,
) -> str:
    """As `inject`, for a question that is made already; its `without` and `strategy` do not count."""
    workspace = asked.workspace or ""
    try:
        memory = Memory(archive) if memory is None else memory
        with archive.views.shared():
            if archive.views.far:
                expect_injected(archive, asked.session, _switches(workspace))
                memory.expect()
            if _disabled(archive, asked.text, workspace):
                return ""
            if recall is None:
                recall = Recall(archive)
                recall.catch_up(MAX_INDEX_LAG)
            asked = asked._replace(
                text=asked.text[:_LONGEST], limit=min(MAX_LIMIT, max(1, asked.limit))
            )
            items = _items(archive, recall, memory, asked)
        if not items:
            return ""
        nonce = os.urandom(16).hex()
        text, injected = block(
            items, nonce=nonce, redact=redact or _redactor(), budget=asked.budget
        )
        if until is not None and time.monotonic() > until:
            return ""
        if text:
            noted = note(archive, injected, asked.session, workspace, len(text.encode()), clock())
            if until is not None and time.monotonic() > until:  # noting took too long
                withdraw(archive, noted)
                return ""
    except (DejavuError, OSError, ValueError):
        return ""
    return text


def _redactor() -> Redact:
    """The rules with a key of their own; loaded only where there is something to quote."""
    from dejavu.redact import Redactor

    return Redactor(os.urandom(32)).redact


def switch(archive: Archive, workspace: str = "", *, on: bool) -> None:
    """Switch injection on or off in a workspace, or everywhere."""
    namespace, key = archive.namespace(NAMESPACE), b"o" + workspace.encode("utf-8", "replace")[:400]
    if on:
        namespace.delete(key)
    else:
        namespace.put(key, b"\xc3")  # msgpack true


def switched_off(archive: Archive) -> list[str]:
    """The workspaces in which injection is switched off; an empty name is all of them."""
    found = archive.namespace(NAMESPACE).items(b"o")
    return [key[1:].decode("utf-8", "replace") for key, _ in found]


def _disabled(archive: Archive, prompt: str, workspace: str) -> bool:
    """Whether this prompt is to go without: switched off, or too little to look by."""
    if not prompt.strip() or any(mark in prompt[:_LONGEST] for mark in OFF):
        return True
    namespace = archive.namespace(NAMESPACE)
    return any(namespace.get(key) for key in _switches(workspace))


def _switches(workspace: str) -> list[bytes]:
    """The keys under which injection is switched off: everywhere, there, or above."""
    above = [workspace, *map(str, PurePath(workspace).parents)] if workspace else []
    return [b"o" + folder.encode("utf-8", "replace")[:400] for folder in ("", *above)]


def _items(archive: Archive, recall: Recall, memory: Memory, asked: Question) -> list[Item]:
    """The records worth quoting, memories first; costs one search of each.

    The search has put behind the others, and made unsure, what only gives orders.
    """
    prompt, session, before, limit = asked.text, asked.session, asked.before, asked.limit
    already = already_injected(archive, session)
    items: list[Item] = []
    for match in memory.recall(
        prompt, limit=limit + MAX_LIMIT, threshold=_memory_floor(prompt),
        workspace=asked.workspace, log=False,
    ):  # fmt: skip
        unsaid = match.id not in already and not _was_said(match.text, before)
        if unsaid and is_sure(prompt, match):
            items += _memory_item(match)
    hits, outdated = _hits(recall, asked)
    by_event = {hit.event: hit for hit in hits}
    own: dict[str, bool] = {}
    if archive.views.far and session:
        archive.views.expect_summaries({hit.conversation for hit in hits})
    for hit in hits:
        if len(items) >= limit:
            break
        if hit.confidence < asked.floor or hit.event in outdated or hit.agent == _SCRIPTED:
            continue
        if hit.conversation not in own:
            own[hit.conversation] = bool(session) and _is_same_session(
                archive.summary(hit.conversation), session
            )
        if own[hit.conversation] or hit.event in already:
            continue
        if only_instructs(hit.question) or only_instructs(hit.answer):
            continue
        text = _quoted(hit, tool_output=not asked.spoken)
        if not text or _was_said(hit.answer or hit.excerpt, before) or only_instructs(text):
            continue
        text += "".join(_replaced(by_event[event]) for event in hit.replaces[:1])
        items.append(
            Item(
                hit.conversation, hit.seq, hit.agent, hit.role, hit.at, hit.score, hit.tiers, text,
                hit.workspace, file_changes(hit.workspace, hit.files, hit.at),
            )
        )  # fmt: skip
    return items[:limit]


def is_sure(prompt: str, memory: RecallResult) -> bool:
    """Whether a memory that was recalled for a prompt is near enough to be put before it."""
    return (
        memory.superseded_by is None
        and memory.relevance >= _memory_floor(prompt)
        and _shared(prompt, memory.text) >= _WORDS
        and not only_instructs(memory.text)
    )


def _memory_floor(prompt: str) -> float:
    return _MEMORY_FLOOR if is_question(prompt) else _MEMORY_ORDER_FLOOR


def _hits(recall: Recall, asked: Question) -> tuple[list[RecallHit], set[str]]:
    """The hits of a prompt, and the events of those that are outdated.

    Of a prompt that asks two things, the best of each come first; costs a search for each.
    """
    near = Question(
        asked.text, _CANDIDATES, asked.workspace, asked.before, spoken=asked.spoken, tail=False
    )
    parts = [part for part in topics(asked.text)[1:] if begins_question(part)]
    if not parts or not begins_question(asked.text):
        parts = []
    answers = [
        recall.answer(one, catch_up=False).hits
        for one in (*(near._replace(text=part, before=()) for part in parts), near)
    ]
    outdated: set[str] = set()
    merged: dict[str, RecallHit] = {}
    for hits in answers:
        outdated |= {event for hit in hits for event in hit.replaces} - {
            hit.event for hit in hits if hit.sure
        }
    for rank in zip_longest(*answers):
        for hit in rank:
            if hit is not None and (
                hit.event not in merged or merged[hit.event].confidence < hit.confidence
            ):
                merged[hit.event] = hit
    return list(merged.values()), outdated


def _memory_item(match: RecallResult) -> list[Item]:
    text = without_orders(match.text)
    item = Item(
        match.id, None, match.source or "memory", "memory", match.created_at, match.score,
        ("memory",), text, match.workspace,
    )  # fmt: skip
    return [item] if text else []


def _quoted(hit: RecallHit, *, tool_output: bool) -> str:
    """What is quoted of an exchange: its prompt and its answer; empty without an answer."""
    question, answer = without_orders(hit.question), without_orders(hit.answer)
    lines = [answer]
    if question and hit.question != hit.answer:
        lines = [f"asked: {question}", f"answered: {answer}"]
    shown = hit.excerpt if tool_output and hit.kind in (Kind.RESULT, Kind.CALL) else ""
    shown = without_orders(shown)
    if shown:
        lines.append(f"shown: {shown}")
    return "\n".join(lines) if answer or shown else ""


def _replaced(hit: RecallHit) -> str:
    """A line on the older answer that a newer one replaces."""
    date, answer = (
        (to_iso(hit.at) or "before")[:10],
        " ".join(without_orders(hit.answer or hit.excerpt).split()),
    )
    return f"\nreplaces ({date}): {answer[:_OLD]}{'…' if len(answer) > _OLD else ''}"


def _was_said(text: str, before: Sequence[str]) -> bool:
    """Whether the beginning of a text is in the last lines of the session."""
    beginning = normalise(text)[:_RECOGNISED]
    return len(beginning) > 20 and beginning in normalise(" ".join(before))


def file_changes(workspace: str, files: Sequence[str], at: float | None) -> str:
    """What became of an exchange's files since, by when they were last written. O(files)."""
    if not files or at is None or not workspace:
        return ""
    gone = changed = 0
    for name in files:
        try:
            changed += Path(workspace, name).stat().st_mtime > at + _WRITING
        except (OSError, ValueError):
            gone += 1
    if not gone and not changed:
        return "its files did not change since"
    said = [f"{changed} of {len(files)} files changed since"] if changed else []
    return ", ".join([*said, f"{gone} of {len(files)} files are not there"] if gone else said)


def _shared(first: str, second: str) -> int:
    return len(set(content_stems(first)) & set(content_stems(second)))


def _is_same_session(head: Conversation, session: str) -> bool:
    """Whether a conversation is this very session, or one that grew from it."""
    return session in (head.id, head.native_id, head.parent)
