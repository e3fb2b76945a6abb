"""The log: what changed, in order, for whatever is derived from the archive.

Takes a transaction and a change; gives changes back after a sequence. The sequence only rises.
A reader that fell behind `floor` (gc folded older entries away) starts anew from the heads.
Costs O(entries read).
"""

from enum import StrEnum
from typing import NamedTuple

from .environment import Reader, Writer
from .keys import META, number_key, number_of
from .records import Entry, Meta, pack, unpack


class Change(StrEnum):
    """What happened to a conversation."""

    TURNS = "turns"
    HEAD = "head"
    REMOVED = "removed"


class LogEntry(NamedTuple):
    """One change. Turns `start`..`stop` are new or different; those from `stop` on are gone."""

    sequence: int
    change: Change
    conversation: str
    start: int
    stop: int
    at: float


def load_meta(txn: Reader) -> Meta | None:
    """The archive's own record; None in a fresh store."""
    value = txn.get("meta", META)
    return None if value is None else unpack(value, Meta)


def save_meta(txn: Writer, meta: Meta) -> None:
    """Keep the archive's own record."""
    txn.put("meta", META, pack(meta))


def note(txn: Writer, meta: Meta, entry: Entry) -> None:
    """Append `entry`; `meta` counts it and is saved by the caller."""
    meta.sequence += 1
    txn.put("log", number_key(meta.sequence), pack(entry))


def entries(txn: Reader, after: int, most: int) -> list[LogEntry]:
    """Up to `most` entries with a sequence above `after`, in order."""
    found: list[LogEntry] = []
    for key, value in txn.items("log", number_key(after + 1)):
        entry = unpack(value, Entry)
        found.append(
            LogEntry(
                number_of(key), Change(entry.change), entry.conversation,
                entry.start, entry.stop, entry.at,
            )
        )  # fmt: skip
        if len(found) >= most:
            break
    return found
