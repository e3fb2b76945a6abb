"""What a person marks a conversation with: a star, tags, a title of their own.

Marks are fields of the summary. A source that is read again never changes them (`with_marks_of`), and
they leave with the conversation alone. A change is one entry of the log, without turns: nothing derived
from turns is made again. Values come redacted from the caller (`services.marks`).

Costs: a change O(summary), a look-up by marks O(conversations).
"""

import time
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from dejavu.model import Conversation, ConversationFilter

from . import conversations, log
from .backends.transaction import Reader, Writer
from .records import Entry, Meta, SummaryRecord, unpack

_RENAMED = b'"agent_title":'  # in the JSON of their summaries; all others need no decoding


class MarkChange(NamedTuple):
    """What to change; None and empty leave as it is. An empty `title` gives back the agent's."""

    starred: bool | None = None
    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()
    title: str | None = None


def marked(conversation: Conversation, change: MarkChange) -> Conversation:
    """The conversation with its marks changed."""
    tags = tuple(sorted((set(conversation.tags) | change.add) - change.remove))
    starred = conversation.starred if change.starred is None else change.starred
    title, agent_title = conversation.title, conversation.agent_title
    if change.title:
        agent_title = title if agent_title is None else agent_title
        title = change.title
    elif change.title is not None and agent_title is not None:
        title, agent_title = agent_title, None
    return msgspec.structs.replace(
        conversation, starred=starred, tags=tags, title=title, agent_title=agent_title
    )


def with_marks_of(conversation: Conversation, old: Conversation) -> Conversation:
    """The conversation as a source tells it, with the marks that the archive has of it."""
    if not old.starred and not old.tags and old.agent_title is None:
        return conversation
    title, agent_title = conversation.title, conversation.agent_title
    if agent_title is None and old.agent_title is not None:
        title, agent_title = old.title, title or old.agent_title
        if agent_title == old.title:  # it came without a title, and was given the one held
            agent_title = old.agent_title
    return msgspec.structs.replace(
        conversation,
        starred=conversation.starred or old.starred,
        tags=tuple(sorted({*conversation.tags, *old.tags})),
        title=title,
        agent_title=agent_title,
    )


def apply(txn: Writer, meta: Meta, conversation: str, change: MarkChange) -> Conversation | None:
    """Change the marks of a conversation, by its whole id; None where they were so already."""
    record = conversations.require(txn, conversation)
    old = conversations.summary_of(record)
    new = marked(old, change)
    if new == old:
        return None
    conversations.save(txn, record, new, old)
    end = record.first + old.turn_count
    entry = Entry(log.Change.SUMMARY, old.id, record.number, end, end, end, time.time())
    log.append(txn, meta, entry)
    log.save_meta(txn, meta)
    return new


def numbers(txn: Reader, wanted: ConversationFilter) -> frozenset[int]:
    """The numbers of the conversations that have these marks."""
    records = (unpack(value, SummaryRecord) for _, value in txn.items("summaries"))
    return frozenset(
        record.number for record in records if wanted.fits_summary(conversations.summary_of(record))
    )


def renamed(txn: Reader) -> list[Conversation]:
    """The conversations whose title is a person's own."""
    stored = txn.stored_items("summaries")  # a checksum for each would cost most of a search
    found = [conversations.find(txn, key.decode()) for key, value in stored if _RENAMED in value]
    summaries = [conversations.summary_of(record) for record in found if record is not None]
    return [summary for summary in summaries if summary.agent_title is not None]


def tag_counts(summaries: Iterable[Conversation]) -> dict[str, int]:
    """How many conversations have each tag, the most used first."""
    counts: dict[str, int] = {}
    for summary in summaries:
        for tag in summary.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
