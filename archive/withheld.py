"""Secrets that were taken out of the archive and do not come back, whichever source holds them.

The namespace `withheld` has the digest of each, under the archive's key (`d` and the digest), what
was masked in which source when (`s` and the source's key), and a number that rises with every change
(`v`); texts of pruned turns stand next to them (`withheld_turns`). While it is empty a commit costs one
look-up more; else what is committed is masked in place: by the redaction rules (`redact.raw_mask`, 10 MB
a second) where a secret was taken out, by the digests of its texts (`redact.turn_mask`) where a turn was.

Tested in: tests/archive/maintenance/test_pack.py
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Protocol

import msgspec

from dejavu.model import Batch, Conversation, RawDelta, Turn, TurnUpdate

from .backends.transaction import Reader
from .namespace import NamespaceTxn
from .records import from_text, to_text
from .withheld_turns import restore_texts, turn_mask

NAMESPACE = "withheld"
_PREFIX = NAMESPACE.encode() + b"\0"
VERSION, DIGEST, SOURCE = b"v", b"d", b"s"
WITHHELD_VERSION = _PREFIX + VERSION
"""The key of the number that rises with every change, in the table of namespaces."""


class MaskedSource(msgspec.Struct, array_like=True, frozen=True):
    """What was masked in one source."""

    at: float
    digests: list[str]
    """SHA-256 of the bytes that were there, of each generation."""
    secrets: list[tuple[str, str, int]]
    """Rule, digest and number of places of each secret."""


class Mask(Protocol):
    """What masks bytes in place; `scope`: the conversations and sources these belong to."""

    scope: tuple[str, ...]

    @property
    def masked(self) -> dict[tuple[str, str], int]:
        """How often each secret was masked, by rule and digest."""
        ...

    def __call__(self, data: bytes, /) -> bytes:
        """Return raw masked, as long as it was."""
        ...

    def turn(self, text: bytes) -> bytes:
        """Return the JSON of a turn masked."""
        ...

    def mask_known(self, data: bytes) -> bytes:
        """Return bytes of any form with what was met so far masked."""
        ...

    def mask_truncated_end(self, text: str) -> str:
        """Return a text without what its end cuts off what was met."""
        ...


class MaskChain:
    """Several masks one after the other."""

    def __init__(self, masks: Sequence[Mask]) -> None:
        self._masks = masks
        self.masked: dict[tuple[str, str], int] = {}

    @property
    def scope(self) -> tuple[str, ...]:
        """What the bytes belong to."""
        return self._masks[0].scope

    @scope.setter
    def scope(self, scope: tuple[str, ...]) -> None:
        for mask in self._masks:
            mask.scope = scope

    def __call__(self, data: bytes, /) -> bytes:
        """Return raw masked by all."""
        return reduce(lambda text, mask: mask(text), self._masks, data)

    def turn(self, text: bytes) -> bytes:
        """Return the JSON of a turn masked by all."""
        return reduce(lambda masked, mask: mask.turn(masked), self._masks, text)

    def mask_known(self, data: bytes) -> bytes:
        """Return bytes with what all met masked."""
        return reduce(lambda masked, mask: mask.mask_known(masked), self._masks, data)

    def mask_truncated_end(self, text: str) -> str:
        """Return a text without what its end cuts off what any met."""
        return reduce(lambda masked, mask: mask.mask_truncated_end(masked), self._masks, text)


class MaskCache:
    """What an open archive knows of them; belongs to one `Archive`."""

    def __init__(self) -> None:
        self._version: bytes | None = None
        self._mask: Mask | None = None
        """One while nothing changes: it knows the values it met, of which titles are cut."""

    def mask(self, txn: Reader) -> Mask | None:
        """Return what masks all that is withheld; None where there is nothing."""
        names = NamespaceTxn(txn, _PREFIX)
        version = names.get(VERSION)
        if version is None:
            return None
        if version != self._version:
            masks: list[Mask] = []
            if digests := frozenset(key[1:].decode() for key, _ in names.items(DIGEST)):
                from dejavu.redact.raw_mask import RawMask

                from .redactor import archive_redactor

                masks.append(RawMask(archive_redactor(), digests.__contains__))
            if (texts := turn_mask(names)) is not None:
                masks.append(texts)
            self._mask = MaskChain(masks) if masks else None
            self._version = version
        return self._mask


def withhold(names: NamespaceTxn, key: str, digests: Sequence[str], mask: Mask, at: float) -> None:
    """Note what was masked in a source; its secrets do not come back from now on."""
    secrets = [(kind, digest, count) for (kind, digest), count in mask.masked.items()]
    for kind, digest, _ in secrets:
        names.put(DIGEST + digest.encode(), msgspec.msgpack.encode(kind))
    name = SOURCE + key.encode("utf-8", "surrogatepass")
    names.put(name, msgspec.msgpack.encode(MaskedSource(at, list(digests), secrets)))
    count_change(names)


def restore_digests(names: NamespaceTxn, lost: Iterable[bytes]) -> None:
    """Make whole what a repair left of this namespace; nothing where no secret was masked.

    lost: the keys of records whose values are gone. A digest is its record's key, and is part of the
    record of each source it was masked in as well.
    """
    lost = list(lost)
    digests = {key[1:]: b"" for key in lost if key.startswith(DIGEST)}
    for _, value in names.items(SOURCE):
        masked = msgspec.msgpack.decode(value, type=MaskedSource)
        digests |= {
            digest.encode(): msgspec.msgpack.encode(kind) for kind, digest, _ in masked.secrets
        }
    for digest, kind in digests.items():
        if names.get(DIGEST + digest) is None:
            names.put(DIGEST + digest, kind or msgspec.msgpack.encode(""))
    has_texts = restore_texts(names, lost)
    if digests or has_texts or any(names.items(DIGEST)):
        count_change(names)


def count_change(names: NamespaceTxn) -> None:
    """Let every open archive read again what is withheld."""
    before = names.get(VERSION)
    number = 0 if before is None else msgspec.msgpack.decode(before, type=int)
    names.put(VERSION, msgspec.msgpack.encode(number + 1))


def masked_batch(batch: Batch, mask: Mask) -> Batch:
    """Return a batch with what is withheld masked in its raw, its turns and its states."""
    raw: dict[str, Sequence[RawDelta]] = {}
    for key, deltas in batch.raw.items():
        mask.scope = (key,)
        raw[key] = [_masked_delta(delta, mask) for delta in deltas]
    updates: list[TurnUpdate] = []
    for update in batch.updates:
        mask.scope = (update.conversation.id,)
        turns = [masked_turn(turn, mask) for turn in update.turns]  # first: a title is cut of one
        conversation = masked_conversation(update.conversation, mask)
        updates.append(TurnUpdate(conversation, update.start, turns, update.source))
    states = {key: mask.mask_known(state) for key, state in batch.states.items()}
    return Batch(raw, updates, batch.cursors, states, batch.links)


def masked_turn(turn: Turn, mask: Mask) -> Turn:
    """Return a turn masked; the very turn where there is nothing to mask."""
    text = to_text(turn)
    masked = mask.turn(text)
    return turn if masked == text else from_text(masked, Turn)


def masked_conversation(conversation: Conversation, mask: Mask) -> Conversation:
    """Return a conversation with its own fields masked, its turns as they are."""
    from dejavu.redact.conversation import redact_title  # the rules, which most who open need not

    def masked(title: str) -> str:
        return redact_title(title, lambda text: masked_text(text, mask))

    title, agent_title = masked(conversation.title), conversation.agent_title
    agent_title = agent_title and masked(agent_title)
    if (title, agent_title) == (conversation.title, conversation.agent_title):
        return conversation
    return msgspec.structs.replace(conversation, title=title, agent_title=agent_title)


def masked_text(text: str, mask: Mask) -> str:
    """Return a text masked, with what its end cuts off a secret that was met."""
    return mask.mask_truncated_end(from_text(mask.mask_known(mask.turn(to_text(text))), str))


def _masked_delta(delta: RawDelta, mask: Mask) -> RawDelta:
    masked = mask(delta.data)
    return delta if masked == delta.data else delta._replace(data=masked)
