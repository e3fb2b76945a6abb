"""Texts of turns that were pruned by themselves, and do not come back, whichever source holds them.

In the namespace `withheld`, beside the secrets: `t`, the digest of a text and its length (4 bytes), and
`l` and the digest of a line with the places in it that are masked. The texts themselves are nowhere.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from dejavu.model import CorruptArchiveError

from .namespace import NamespaceTxn

if TYPE_CHECKING:
    from dejavu.redact.turn_mask import Extents, TurnMask

TEXT, RECORD = b"t", b"l"
_DIGEST = 16


def withhold_texts(
    names: NamespaceTxn, texts: Iterable[tuple[bytes, int]], records: Mapping[bytes, "Extents"]
) -> None:
    """Note texts (digest, characters) and lines by digest; the caller counts the change."""
    for digest, length in texts:
        names.put(TEXT + digest + min(length, 0xFFFFFFFF).to_bytes(4, "big"), b"\xc0")
    for digest, places in records.items():
        names.put(RECORD + digest, msgspec.msgpack.encode(places))


def turn_mask(names: NamespaceTxn) -> "TurnMask | None":
    """Return what masks them; None where no turn was pruned. O(what was withheld)."""
    keys = [key[1:] for key, _ in names.items(TEXT)]
    records = {
        key[1:]: msgspec.msgpack.decode(value, type=list[tuple[int, int]])
        for key, value in names.items(RECORD)
    }
    if not keys and not records:
        return None
    from dejavu.config.redaction_key import redaction_key
    from dejavu.redact.turn_mask import TurnMask

    if any(len(key) != _DIGEST + 4 for key in keys):
        raise CorruptArchiveError(
            "the list of pruned turns is damaged; run `dejavu verify --repair`"
        )
    texts = frozenset(key[:_DIGEST] for key in keys)
    lengths = frozenset(int.from_bytes(key[_DIGEST:], "big") for key in keys)
    return TurnMask(redaction_key(), texts, lengths, records)


def restore_texts(names: NamespaceTxn, lost: Iterable[bytes]) -> bool:
    """Put back what a repair lost the values of: a text is its key. Whether any turn was pruned."""
    for key in lost:
        if key.startswith(TEXT) and len(key) == 1 + _DIGEST + 4 and names.get(key) is None:
            names.put(key, b"\xc0")
    return any(True for prefix in (TEXT, RECORD) for _ in names.items(prefix))
