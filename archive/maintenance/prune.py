"""Pruning: the way by which conversations leave the archive for good (`trash` keeps them for a while).

Conversations are chosen by age, workspace, instance, agent or a pattern; `dry_run` only counts
them. A conversation goes with its turns, its listing and the raw of the sources that held nothing
else; where its source is read again, what was pruned does not come back, what is new does. The
store is rewritten afterwards, so that nothing of it stays in free pages or in an index, and it
goes from the older copies next to the archive, too.

Costs O(conversations), with a pattern O(archive); one transaction for each that goes.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from dejavu.model import ConfigError, Conversation, ConversationFilter

from .. import conversations, log, raw, turns
from ..backends.backend import Backend
from ..backends.transaction import Reader, Writer
from ..commit import CommittedChange, set_pruned
from ..keys import block_key, chunk_key, number_key
from ..records import Entry, Meta, Source, SummaryRecord
from .old_copies import LeftBehind
from .state_text import without_text

_PAGE = 64
FIRST_AGENT = datetime(2015, 1, 1, tzinfo=UTC).timestamp()
"""Unix seconds; no agent held a conversation before."""


class HeldConversation(NamedTuple):
    """The id of a conversation that may not be deleted, and why."""

    conversation: str
    reason: str


class Pruned(NamedTuple):
    """What went, or would go: ids of conversations, their turns, bytes of raw.

    `left`: older copies of the archive that still hold it, because they could not be cleaned.
    `held`: what was asked for, and stays: it is under a legal hold.
    """

    conversations: tuple[str, ...]
    turns: int
    raw_bytes: int
    left: tuple[LeftBehind, ...] = ()
    held: tuple[HeldConversation, ...] = ()
    doubtful: tuple[str, ...] = ()
    """Conversations that are old by an impossible clock alone, and stay."""


class Criteria(NamedTuple):
    """What is to go: all that is given must hold. `before` is Unix seconds of the last moment.

    An agent's clock before `FIRST_AGENT` is impossible: then the moment of capture counts, unless `any_clock`.
    """

    before: float | None = None
    workspace: str | None = None
    instance: str | None = None
    agent: str | None = None
    pattern: str | None = None
    any_clock: bool = False
    only: tuple[str, ...] = ()
    """Ids; empty: whichever meet the rest."""


def is_doubtful(conversation: Conversation, before: float | None) -> bool:
    """Whether a conversation is older than `before` by an impossible clock alone."""
    told = conversations.last_timestamp(conversation)
    if before is None or before <= FIRST_AGENT or told is None or told >= FIRST_AGENT:
        return False  # an age before the first agent asks for such clocks
    captured = conversation.captured_at
    return captured is None or captured >= before


def selected(
    backend: Backend,
    criteria: Criteria,
    doubtful: Callable[[Conversation], object] = lambda _: None,
) -> Iterator[Conversation]:
    """The conversations that meet the criteria; `doubtful` gets those left out for their clock.

    Raises:
        ConfigError: no criterion at all, or a pattern that is no regular expression.
    """
    if criteria._replace(any_clock=False) == Criteria():
        raise ConfigError(
            "say what to prune: --before AGE, --workspace, --instance, --agent, --pattern or --turn"
        )
    try:
        pattern = None if criteria.pattern is None else re.compile(criteria.pattern)
    except re.error as error:
        raise ConfigError(
            f"the pattern {criteria.pattern!r} is no regular expression: {error}"
        ) from error
    listed = ConversationFilter(
        workspace=criteria.workspace, instance=criteria.instance, agent=criteria.agent
    )
    pages = _named(backend, criteria.only) if criteria.only else _listed(backend, listed)
    for conversation in pages:
        if criteria.only and not conversations.fits(conversation, listed):
            continue
        last = conversations.last_timestamp(conversation)
        if criteria.before is not None and (last is None or last >= criteria.before):
            continue
        if pattern is not None and not backend.read(
            partial(_matches_pattern, conversation=conversation, pattern=pattern)
        ):
            continue
        if is_doubtful(conversation, criteria.before) and not criteria.any_clock:
            doubtful(conversation)
        else:
            yield conversation


def _listed(backend: Backend, wanted: ConversationFilter) -> Iterator[Conversation]:
    """The conversations that pass a filter, the oldest first."""
    resume: bytes | None = None
    while True:
        page, resume = backend.read(
            partial(
                conversations.page, wanted=wanted, resume=resume, most=_PAGE, newest_first=False
            )
        )
        yield from page
        if resume is None:
            return


def _named(backend: Backend, names: Sequence[str]) -> Iterator[Conversation]:
    """The conversations with these ids, as far as they are there."""
    for name in names:
        record = backend.read(partial(conversations.find, conversation=name))
        if record is not None:
            yield conversations.summary_of(record)


def _matches_pattern(txn: Reader, conversation: Conversation, pattern: re.Pattern[str]) -> bool:
    """Whether the title, workspace, native id or any turn's JSON matches."""
    named = (conversation.title, conversation.workspace, conversation.native_id, conversation.id)
    if any(pattern.search(name) for name in named):
        return True
    record = conversations.find(txn, conversation.id)
    if record is None:
        return False
    blocks = turns.read_blocks(txn, record.number, 0, None, raw.Chunks())
    return any(pattern.search(text.decode()) for _, texts in blocks for text in texts)


def remove(txn: Writer, conversation: str, meta: Meta) -> tuple[CommittedChange | None, int]:
    """Remove a conversation; return the change and the number of raw bytes freed.

    Raises:
        CorruptArchiveError: its record names the turns of another conversation.
    """
    record = conversations.find(txn, conversation)
    if record is None:
        return None, 0
    conversations.check_number(txn, record, conversation)
    summary = conversations.summary_of(record)
    end = record.first + summary.turn_count
    first, after = block_key(record.number, 0), block_key(record.number + 1, 0)
    for key in [key for key, _ in txn.stored_items("turns", first, after)]:
        txn.delete("turns", key)
    freed = _unlink(txn, record, conversation)
    conversations.remove(txn, record)
    set_pruned(txn, conversation, end)
    entry = Entry(log.Change.REMOVED, conversation, record.number, 0, 0, end, time.time())
    log.append(txn, meta, entry)
    meta.turns -= summary.turn_count
    meta.raw_bytes -= freed
    log.save_meta(txn, meta)
    return CommittedChange(log.log_entry(meta.sequence, entry), summary, ()), freed


def raw_alone(txn: Reader, conversation: str) -> int:
    """Bytes of raw that only this conversation needs."""
    record = conversations.find(txn, conversation)
    if record is None:
        return 0
    return sum(
        sum(raw.lengths(txn, source).values())
        for source in linked(txn, record)
        if alone(txn, source, conversation)
    )


def linked(txn: Reader, record: SummaryRecord) -> list[Source]:
    """The sources a conversation was read from."""
    prefix = b"c" + number_key(record.number)
    named = [
        (key[-8:], name.decode("utf-8", "surrogatepass"))
        for key, name in txn.under("links", prefix)
    ]
    return [
        source
        for number, name in named
        if (source := raw.find_source(txn, name)) is not None
        and number_key(source.number) == number  # the name is only as true as its writer
    ]


def alone(txn: Reader, source: Source, conversation: str) -> bool:
    """Whether a source holds no other conversation."""
    others = txn.keys("links", b"s" + number_key(source.number))
    return all(key[9:] == conversation.encode() for key in others)


def _unlink(txn: Writer, record: SummaryRecord, conversation: str) -> int:
    """Cut the conversation from its sources; raw that no other conversation needs goes."""
    freed = 0
    for source in linked(txn, record):
        if alone(txn, source, conversation):
            freed += sum(raw.lengths(txn, source).values())
            first, after = chunk_key(source.number, 0, 0), chunk_key(source.number + 1, 0, 0)
            for key in [key for key, _ in txn.stored_items("raw", first, after)]:
                txn.delete("raw", key)
            source.pruned = source.length
            _blank_state(txn, source)
            raw.save_source(txn, source)
        number = number_key(source.number)
        txn.delete("links", b"s" + number + conversation.encode())
        txn.delete("links", b"c" + number_key(record.number) + number)
    return freed


def _blank_state(txn: Writer, source: Source) -> None:
    """Take the text out of the state of the source's parser, or the state away.

    Without one the source is read from its beginning again; what was pruned stays away.
    """
    key = number_key(source.number)
    state = txn.get("states", key)
    if state is None:
        return
    blanked = without_text(state)
    if blanked is None:
        txn.delete("states", key)
        source.cursor = None
    else:
        txn.put("states", key, blanked)
