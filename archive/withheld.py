"""Secrets that were taken out of the archive and do not come back, whichever source holds them.

The namespace `withheld` has the digest of each, under the archive's key (`d` and the digest), what
was masked in which source when (`s` and the source's key), and a number that rises with every change
(`v`). While it is empty a commit costs one look-up more; else what is committed is read by the
redaction rules and masked in place (see `redact.raw_mask`): O(batch), 10 MB a second.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from dejavu.model import Conversation, RawDelta, Turn, TurnUpdate

from .backends.transaction import Reader
from .batch import Batch
from .namespace import NamespaceTxn
from .records import from_text, to_text

if TYPE_CHECKING:
    from dejavu.redact.raw_mask import RawMask

NAMESPACE = "withheld"
_PREFIX = NAMESPACE.encode() + b"\0"
VERSION, DIGEST, SOURCE = b"v", b"d", b"s"


class MaskedSource(msgspec.Struct, array_like=True, frozen=True):
    """What was masked in one source."""

    at: float
    digests: list[str]
    """SHA-256 of the bytes that were there, of each generation."""
    secrets: list[tuple[str, str, int]]
    """Rule, digest and number of places of each secret."""


class Withheld:
    """What an open archive knows of them; belongs to one `Archive`."""

    def __init__(self) -> None:
        self._version: bytes | None = None
        self._mask: RawMask | None = None
        """One while nothing changes: it knows the values it met, of which titles are cut."""

    def mask(self, txn: Reader) -> "RawMask | None":
        """Return what masks the withheld secrets; None where there are none."""
        names = NamespaceTxn(txn, _PREFIX)
        version = names.get(VERSION)
        if version is None:
            return None
        if version != self._version:
            from dejavu.redact.raw_mask import RawMask

            from .redactor import archive_redactor

            digests = frozenset(key[1:].decode() for key, _ in names.items(DIGEST))
            self._mask = RawMask(archive_redactor(), digests.__contains__)
            self._version = version
        return self._mask


def withhold(
    names: NamespaceTxn, key: str, digests: Sequence[str], mask: "RawMask", at: float
) -> None:
    """Note what was masked in a source; its secrets do not come back from now on."""
    secrets = [(kind, digest, count) for (kind, digest), count in mask.masked.items()]
    for kind, digest, _ in secrets:
        names.put(DIGEST + digest.encode(), msgspec.msgpack.encode(kind))
    name = SOURCE + key.encode("utf-8", "surrogatepass")
    names.put(name, msgspec.msgpack.encode(MaskedSource(at, list(digests), secrets)))
    _count_change(names)


def restore_digests(names: NamespaceTxn, lost: Iterable[bytes]) -> None:
    """Make whole what a repair left of this namespace; nothing where no secret was masked.

    lost: the keys of records whose values are gone. A digest is its record's key, and stands in the
    record of each source it was masked in as well.
    """
    digests = {key[1:]: b"" for key in lost if key.startswith(DIGEST)}
    for _, value in names.items(SOURCE):
        masked = msgspec.msgpack.decode(value, type=MaskedSource)
        digests |= {
            digest.encode(): msgspec.msgpack.encode(kind) for kind, digest, _ in masked.secrets
        }
    for digest, kind in digests.items():
        if names.get(DIGEST + digest) is None:
            names.put(DIGEST + digest, kind or msgspec.msgpack.encode(""))
    if digests or any(names.items(DIGEST)):
        _count_change(names)


def _count_change(names: NamespaceTxn) -> None:
    before = names.get(VERSION)
    number = 0 if before is None else msgspec.msgpack.decode(before, type=int)
    names.put(VERSION, msgspec.msgpack.encode(number + 1))


def masked_batch(batch: Batch, mask: "RawMask") -> Batch:
    """Return a batch with the withheld secrets masked in its raw, its turns and its states."""
    raw = {
        key: [_masked_delta(delta, mask) for delta in deltas] for key, deltas in batch.raw.items()
    }
    updates: list[TurnUpdate] = []
    for update in batch.updates:
        turns = [masked_turn(turn, mask) for turn in update.turns]  # first: a title is cut of one
        conversation = masked_conversation(update.conversation, mask)
        updates.append(TurnUpdate(conversation, update.start, turns, update.source))
    states = {key: mask.known(state) for key, state in batch.states.items()}
    return Batch(raw, updates, batch.cursors, states, batch.links)


def masked_turn(turn: Turn, mask: "RawMask") -> Turn:
    """Return a turn masked; the very turn where there is nothing to mask."""
    text = to_text(turn)
    masked = mask(text)
    return turn if masked == text else from_text(masked, Turn)


def masked_conversation(conversation: Conversation, mask: "RawMask") -> Conversation:
    """Return a conversation with its own fields masked, its turns as they are."""
    from dejavu.redact.conversation import redact_title  # the rules, which most who open need not

    title = redact_title(conversation.title, lambda text: masked_text(text, mask))
    if title == conversation.title:
        return conversation
    return msgspec.structs.replace(conversation, title=title)


def masked_text(text: str, mask: "RawMask") -> str:
    """Return a text masked, with what its end cuts off a secret that was met."""
    return mask.without_cut(from_text(mask.known(mask(to_text(text))), str))


def _masked_delta(delta: RawDelta, mask: "RawMask") -> RawDelta:
    masked = mask(delta.data)
    return delta if masked == delta.data else delta._replace(data=masked)
