"""Heads: conversations without their turns, and the orders they are listed in.

Summaries are found by id, by unique prefix, and by place and date. Title and first prompt are in
the summary, so a listing never touches turns. A conversation's date is its last moment
(`ended_at`, else `started_at`, else `captured_at`); `since` and `until` keep what was going on
between them.

A listing costs O(entries of its narrowest index that it passes), a filter by agent included.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice

import msgspec

from dejavu.model import (
    ArchiveError,
    Conversation,
    ConversationFilter,
    CorruptArchiveError,
    NotFoundError,
)

from .backends.transaction import Reader, Writer
from .keys import LONGEST_ID, after, number_key, text_hash, timestamp_key
from .records import SummaryRecord, from_text, pack, to_text, unpack

PROMPT = 400  # characters of the first prompt kept in the summary
_OWN_ID = 4  # characters of an agent's own id that name a conversation
_OURS, _OUR_LENGTH = re.compile("[a-z2-7]{1,16}"), 16
_DELETED = b"deleted\0h"  # heads of `maintenance.trash`, which is not loaded for an unknown name
_LAST = re.compile("last(?:~([0-9]{1,6}))?")
_HASH = 8
_PAGE = 256  # heads read in one transaction
ENTRY_ID = 3 * _HASH  # where the id begins in an entry of the orders

Page = tuple[list[Conversation], bytes | None]
"""Heads, and the place to go on from (None: the end)."""


def check_id(conversation: str) -> bytes:
    """The key of a conversation's id.

    Raises:
        ArchiveError: empty, too long, or not text.
    """
    try:
        key = conversation.encode("utf-8")
    except UnicodeEncodeError:
        key = b""
    if not 0 < len(key) <= LONGEST_ID or b"\0" in key:
        raise ArchiveError(
            f"{conversation[:60]!r} cannot be a conversation's id: 1 to {LONGEST_ID} bytes of "
            "UTF-8 without NUL; see dejavu.model.conversation_id"
        )
    return key


@contextmanager
def naming(conversation: str) -> Generator[None]:
    """Let a CorruptArchiveError of the block name the conversation."""
    try:
        yield
    except CorruptArchiveError as error:
        if conversation in str(error):
            raise
        raise type(error)(f"conversation {conversation}: {error}") from error


def find(txn: Reader, conversation: str) -> SummaryRecord | None:
    """The summary kept under exactly this id."""
    with naming(conversation):
        value = txn.get("summaries", check_id(conversation))
        return None if value is None else unpack(value, SummaryRecord)


def places_back(name: str) -> int | None:
    """How many conversations before the newest a name means: 0 for `last`, 2 for `last~2`."""
    match = _LAST.fullmatch(name)
    return None if match is None else int(match[1] or 0)


def resolve(txn: Reader, prefix: str) -> str:
    """The id that `prefix` is, or alone begins; else of the conversation whose agent calls it so.

    Raises:
        NotFoundError: none or several begin with it.
    """
    try:
        key = check_id(prefix)
    except ArchiveError as error:
        raise NotFoundError(f"no conversation {prefix[:60]!r}; see `dejavu list`") from error
    if txn.stored("summaries", key) is not None:
        return prefix
    matches = [other.decode() for other in islice(txn.keys("summaries", key), 4)]
    matches = matches or _of_agents_id(txn, prefix)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NotFoundError(
            f"{prefix!r} is not unique: {', '.join(matches[:3])}; give more of the id"
        )
    heads = () if txn.far else txn.under("namespaces", _DELETED)
    if any(msgspec.msgpack.decode(value)[0].startswith(prefix) for _, value in heads):
        raise NotFoundError(
            f"{prefix!r} was deleted; `dejavu delete --undo {prefix}` brings it back"
        )
    raise NotFoundError(
        f"no conversation has an id that begins with {prefix!r}; `dejavu list` shows the ids, "
        "`dejavu search` looks for words"
    )


def _of_agents_id(txn: Reader, prefix: str) -> list[str]:
    """The conversations whose own id at their agent is `prefix`, else begins so; O(conversations).

    A whole id of ours is none of them, and on a server nothing that an id of ours could begin with.
    """
    is_ours = _OURS.fullmatch(prefix) and (txn.far or len(prefix) == _OUR_LENGTH)
    if len(prefix) < _OWN_ID or is_ours:
        return []
    wanted = b'"native_id":' + to_text(prefix)[:-1]
    records = (
        unpack(value, SummaryRecord) for _, value in txn.items("summaries") if wanted in value
    )
    found = [one for one in map(summary_of, records) if one.native_id.startswith(prefix)]
    exact = [one.id for one in found if one.native_id == prefix]
    return exact or [one.id for one in found]


def counted_back(prefix: str, back: int, newest: Iterable[Conversation]) -> str:
    """The id that `prefix` means: that of the conversation `back` places behind the newest.

    Raises:
        NotFoundError: there are not so many.
    """
    names = list(islice(dict.fromkeys(one.id for one in newest), back + 1))
    if not names:
        raise NotFoundError("no conversation was captured yet")
    if len(names) <= back:
        raise NotFoundError(
            f"there is no {prefix}: the oldest conversation is last~{len(names) - 1}"
        )
    return names[back]


def require(txn: Reader, prefix: str) -> SummaryRecord:
    """The summary whose id `prefix` is, or alone begins.

    Raises:
        NotFoundError: none or several do.
    """
    identity = resolve(txn, prefix)
    record = find(txn, identity)
    if record is None:
        raise NotFoundError(f"no conversation {identity!r}; see `dejavu list`")
    return record


def check_number(txn: Reader, record: SummaryRecord, identity: str) -> None:
    """Refuse a record that names the number of another conversation: its turns are not its own.

    In a shared archive a writer can change their own record so. Ask before deleting by number.

    Raises:
        CorruptArchiveError: it does.
    """
    if txn.get("numbers", number_key(record.number)) != check_id(identity):
        raise CorruptArchiveError(
            f"conversation {identity}: its record names another conversation's turns; "
            "run `dejavu archive verify --repair`"
        )


def summary_of(record: SummaryRecord) -> Conversation:
    """The conversation a record holds."""
    return from_text(record.conversation, Conversation)


def save(
    txn: Writer, record: SummaryRecord, conversation: Conversation, old: Conversation | None
) -> None:
    """Keep a summary and put it in the orders; `old` is what the orders hold of it now."""
    key = check_id(conversation.id)
    bare = msgspec.structs.replace(conversation, turns=())
    txn.put("summaries", key, pack(msgspec.structs.replace(record, conversation=to_text(bare))))
    if old is not None:
        if places(old, record.number) == places(bare, record.number):
            return
        for gone in _keys(old, record.number):
            txn.delete("order", gone)
    else:
        txn.put("numbers", number_key(record.number), key)
    for order_key, entry in places(bare, record.number).items():
        txn.put("order", order_key, entry)


def expect_places(txn: Reader, record: SummaryRecord) -> None:
    """A hint that the places of a conversation in the orders will be taken away."""
    txn.expect("order", _keys(summary_of(record), record.number))


def remove(txn: Writer, record: SummaryRecord) -> None:
    """Take a summary out of the store and its orders."""
    conversation = summary_of(record)
    for order_key in _keys(conversation, record.number):
        txn.delete("order", order_key)
    txn.delete("numbers", number_key(record.number))
    txn.delete("summaries", check_id(conversation.id))


def select(
    read: Callable[[Callable[[Reader], Page]], Page],
    wanted: ConversationFilter,
    *,
    newest_first: bool = True,
) -> Iterator[Conversation]:
    """The heads that pass a filter, a page at a time; `read` runs a transaction.

    Newest first, those without any time of their own come last.
    """
    scan = _pages(read, wanted, newest_first=newest_first)
    if wanted.is_timed:  # when it was captured says nothing
        scan = filter(is_dated, scan)
    elif newest_first:
        scan = undated_last(scan)
    if wanted.needs_summary:
        scan = filter(wanted.fits_summary, scan)
    return scan if wanted.side else (one for one in scan if not one.is_side)


def _pages(
    read: Callable[[Callable[[Reader], Page]], Page],
    wanted: ConversationFilter,
    *,
    newest_first: bool,
) -> Iterator[Conversation]:
    resume: bytes | None = None
    while True:
        look = partial(page, wanted=wanted, resume=resume, most=_PAGE, newest_first=newest_first)
        found, resume = read(look)
        yield from found
        if resume is None:
            return


def page(
    txn: Reader,
    wanted: ConversationFilter,
    resume: bytes | None,
    most: int,
    *,
    newest_first: bool = True,
) -> Page:
    """Up to `most` heads after the place `resume`, and the place to go on from (None: the end)."""
    conversations: list[Conversation] = []
    fits = _fits(wanted)
    low, high = _bounds(wanted, resume, newest_first=newest_first)
    if newest_first:
        txn.expect_listing(low, high, most)
    listed = txn.items("order", low, high, reverse=newest_first)
    fitting = (item for item in listed if fits(item[1]))
    while some := list(islice(fitting, most)):
        txn.expect("summaries", (entry[ENTRY_ID:] for _, entry in some))
        for key, entry in some:
            record = find(txn, entry[ENTRY_ID:].decode())
            if record is not None and _is(conversation := summary_of(record), wanted):
                conversations.append(conversation)
                if len(conversations) >= most:
                    return conversations, key
    return conversations, None


def first_workspace(txn: Reader, names: Iterable[str]) -> str | None:
    """The first of the names that is the workspace of a conversation; O(log n) for each."""
    listed = (ConversationFilter(workspace=name) for name in names)
    return next((one.workspace for one in listed if page(txn, one, None, 1)[0]), None)


def _keys(conversation: Conversation, number: int) -> tuple[bytes, ...]:
    date = timestamp_key(last_timestamp(conversation)) + number_key(number)
    workspace = text_hash(conversation.workspace)
    instance = text_hash(conversation.instance)
    return b"d" + date, b"w" + workspace + date, b"i" + workspace + instance + date


def places(conversation: Conversation, number: int) -> dict[bytes, bytes]:
    """What the orders hold of a conversation: key and entry."""
    return dict.fromkeys(_keys(conversation, number), _entry(conversation))


def _entry(conversation: Conversation) -> bytes:
    """instance, agent, first moment, id: enough to filter by without reading the summary."""
    return (
        text_hash(conversation.instance)
        + text_hash(conversation.agent)
        + timestamp_key(_first(conversation))
        + conversation.id.encode()
    )


def _first(conversation: Conversation) -> float | None:
    moments = (conversation.started_at, conversation.ended_at, conversation.captured_at)
    return next((at for at in moments if at is not None), None)


def expect_none(txn: Reader, conversation: str, start: int, stop: int | None) -> None:
    """Raise CorruptArchiveError where the summary knows of turns in [start, stop)."""
    record = require(txn, conversation)
    count = summary_of(record).turn_count
    end = record.first + count if stop is None else min(record.first + count, stop)
    if max(start, record.first) < end:
        raise CorruptArchiveError(
            f"turns {max(start, record.first)} to {end - 1} of {count} are not there; "
            "run `dejavu archive verify --repair`"
        )


def is_dated(conversation: Conversation) -> bool:
    """Whether it says itself when it was; when it was captured says nothing of that."""
    return (conversation.ended_at, conversation.started_at) != (None, None)


def undated_last(scan: Iterable[Conversation]) -> Iterator[Conversation]:
    """What `scan` lists by the time of capture, having no other, after all the rest."""
    undated: list[Conversation] = []
    for summary in scan:
        if is_dated(summary):
            yield summary
        else:
            undated.append(summary)
    yield from undated


def last_timestamp(conversation: Conversation) -> float | None:
    """The moment a conversation is listed by."""
    moments = (conversation.ended_at, conversation.started_at, conversation.captured_at)
    return next((at for at in moments if at is not None), None)


def _bounds(
    wanted: ConversationFilter, resume: bytes | None, *, newest_first: bool
) -> tuple[bytes, bytes]:
    """Between which keys of the orders the listing continues."""
    prefix = b"d"
    if wanted.workspace is not None:
        prefix = b"w" + text_hash(wanted.workspace)
        if wanted.instance is not None:
            prefix = b"i" + prefix[1:] + text_hash(wanted.instance)
    low = prefix + timestamp_key(wanted.since) if wanted.since is not None else prefix
    high = after(prefix) or b""
    if resume is not None and newest_first:
        high = resume
    elif resume is not None:
        low = resume + b"\0"
    return low, high


def _fits(wanted: ConversationFilter) -> Callable[[bytes], bool]:
    """Whether an entry may be wanted, judged by its hashes and first moment."""
    instance = None if wanted.instance is None else text_hash(wanted.instance)
    agent = None if wanted.agent is None else text_hash(wanted.agent)
    until = None if wanted.until is None else timestamp_key(wanted.until)

    def fits(entry: bytes) -> bool:
        return (
            (instance is None or entry[:_HASH] == instance)
            and (agent is None or entry[_HASH : 2 * _HASH] == agent)
            and (until is None or bytes(8) < entry[2 * _HASH : 3 * _HASH] <= until)
        )

    return fits


def fits(conversation: Conversation, wanted: ConversationFilter) -> bool:
    """Whether a listing by `wanted` has this conversation."""
    first, last = _first(conversation), last_timestamp(conversation)
    return (
        _is(conversation, wanted)
        and (wanted.since is None or (last is not None and last >= wanted.since))
        and (wanted.until is None or (first is not None and first <= wanted.until))
    )


def _is(conversation: Conversation, wanted: ConversationFilter) -> bool:
    """The names behind the hashes are the ones asked for."""
    return all(
        name is None or name == value
        for name, value in (
            (wanted.workspace, conversation.workspace),
            (wanted.instance, conversation.instance),
            (wanted.agent, conversation.agent),
        )
    )
