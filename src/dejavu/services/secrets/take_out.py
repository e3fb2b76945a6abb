"""Secrets masked in the archive's copy of what agents wrote themselves.

The raw of each source that holds some is rewritten, of the same length, with the turns of its
conversations, so that `verify`, `reparse` and the indexes agree; what was masked does not come back
when the agent's file is read again (`archive.withheld`). Never done unless asked for. O(raw of the
sources with secrets).
"""

import time
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.archive.withheld import NAMESPACE, masked_conversation, masked_turn, withhold
from dejavu.ingest.reparse import reparse
from dejavu.model import NotFoundError
from dejavu.redact import Redactor
from dejavu.redact.raw_mask import RawMask

from .scan import Scan


class TakenOut(NamedTuple):
    """What was done: secrets and sources masked, conversations changed, secrets that stayed."""

    masked: int
    sources: int
    conversations: tuple[str, ...]
    left: int


def take_out(archive: Archive, redactor: Redactor, scan: Scan) -> TakenOut:
    """Mask every secret that a scan found."""
    changed: dict[str, None] = {}
    masked: set[tuple[str, str]] = set()
    left = 0
    sources: list[str] = []
    for key, found in list(scan.raw.items()):
        if found.hits:
            mask = RawMask(redactor)
            changed.update(dict.fromkeys(archive.maintenance.mask_source(key, mask)))
            masked |= set(mask.masked)
            sources.append(key)
            left += mask.left
            scan.forget(key)
    if sources:
        changed.update(dict.fromkeys(reparse(archive, only=sources).changed))  # titles, states
    # Turns that no raw holds: imported from elsewhere, or read from a screen.
    for conversation in dict.fromkeys(name for name, _ in scan.turns):
        mask = RawMask(redactor)
        if _mask_conversation(archive, conversation, mask):
            changed[conversation] = None
            masked |= set(mask.masked)
            left += mask.left
    return TakenOut(len(masked), len(sources), tuple(changed), left)


def _mask_conversation(archive: Archive, conversation: str, mask: RawMask) -> bool:
    """Mask the turns of a conversation by themselves; whether any changed."""
    try:
        whole = archive.get(conversation)
    except NotFoundError:
        return False
    turns = tuple(masked_turn(turn, mask) for turn in whole.turns)
    clean = msgspec.structs.replace(masked_conversation(whole, mask), turns=turns)
    if clean == whole:
        return False
    archive.put(clean)
    archive.namespace(NAMESPACE).change(
        lambda txn: withhold(txn, f"conversation {conversation}", (), mask, time.time())
    )
    return True
