"""Who was given what by injection: the audit, and what a session was given already.

A prompt waits for no writer and no network: a note goes into the archive where that is near and free,
else onto this machine (`waiting_notes`) until it can be carried. Where a login may only read, it stays here.

    o<workspace>         injection is switched off there and below (empty: everywhere)
    s<session> 00 <item>     given before in this session
    a<sequence>          what was given: when, to whom, which records with which scores

Tested in: tests/recall/test_injection.py
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

import msgspec

from dejavu.archive import Archive, NamespaceTxn
from dejavu.model import ArchiveError
from dejavu.model.conversation import turn_name

from .context_block import Item
from .waiting_notes import INJECTION, WaitingNotes

NAMESPACE = "injections"

_PATIENCE = 0.1  # seconds that a prompt waits for another writer
_SEEN = 50  # rows of the audit in which a note that was stored before is looked for
_MARK = b"h"


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """One injection, as the audit keeps it: no texts, only places and scores.

    `sequence` is 0 where it is noted on this machine alone.
    """

    sequence: int
    at: float
    session: str
    workspace: str
    size: int
    items: tuple[tuple[str, float], ...]


class WaitingInjection(msgspec.Struct, frozen=True, kw_only=True):
    """An injection that is noted on this machine alone."""

    at: float
    session: str
    workspace: str
    size: int
    items: tuple[tuple[str, float], ...]


def audit(archive: Archive, *, limit: int = 50) -> list[Injection]:
    """The last injections, the newest first."""
    injections = [Injection(sequence=0, **msgspec.structs.asdict(one)) for one in _waiting(archive)]
    for _, value in islice(archive.namespace(NAMESPACE).items(b"a"), limit):
        injections.append(msgspec.msgpack.decode(value, type=Injection))
    return sorted(injections, key=lambda one: -one.at)[:limit]


def _waiting(archive: Archive) -> list[WaitingInjection]:
    """What is noted on this machine alone."""
    return [note.value for note in WaitingNotes(archive.name).entries(INJECTION, WaitingInjection)]


def _session_key(session: str) -> bytes:
    return b"s" + session.encode("utf-8", "replace")[:200] + b"\0"


def already_injected(archive: Archive, session: str) -> set[str]:
    """What was put before a prompt of this session already."""
    if not session:
        return set()
    prefix = _session_key(session)
    waiting = {name for one in _waiting(archive) if one.session == session for name, _ in one.items}
    return waiting | {
        key[len(prefix) :].decode() for key, _ in archive.namespace(NAMESPACE).items(prefix)
    }


def note(
    archive: Archive, injected: Sequence[Item], session: str, workspace: str, size: int, at: float
) -> None:
    """Keep who was given what, before it is given: a prompt waits for no writer and no network."""
    named = tuple(
        (item.session if item.seq is None else turn_name(item.session, item.seq), item.score)
        for item in injected
    )
    fresh = WaitingInjection(at=at, session=session, workspace=workspace, size=size, items=named)
    if archive.writable and not archive.far:
        with suppress(ArchiveError, OSError):
            store_injection(archive, fresh, patience=_PATIENCE)
            return
    WaitingNotes(archive.name).save(INJECTION, fresh, os.urandom(4).hex())


def store_injection(
    archive: Archive, note: WaitingInjection, *, patience: float | None = None
) -> None:
    """Put a note into the archive; one that is there already changes nothing.

    Raises:
        ArchiveError: it cannot be written, or not within `patience` seconds.
    """

    def change(txn: NamespaceTxn) -> None:
        for _, stored in islice(txn.items(b"a"), _SEEN):
            row = msgspec.msgpack.decode(stored, type=Injection)
            if (row.at, row.session, row.items) == (note.at, note.session, note.items):
                return
        value = txn.get(_MARK)
        sequence = 1 + (0 if value is None else msgspec.msgpack.decode(value, type=int))
        row = Injection(sequence=sequence, **msgspec.structs.asdict(note))
        txn.put(b"a" + (2**64 - 1 - sequence).to_bytes(8, "big"), msgspec.msgpack.encode(row))
        txn.put(_MARK, msgspec.msgpack.encode(sequence))
        if note.session:
            for name, _ in note.items:
                txn.put(_session_key(note.session) + name.encode(), b"\xc3")

    archive.namespace(NAMESPACE).change(change, patience=patience)
