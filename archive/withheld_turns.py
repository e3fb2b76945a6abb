"""Texts of turns that were pruned by themselves, and do not come back, whichever source holds them.

In the namespace `withheld`, next to the secrets: `t`, the digest of a text, a colon and its length, and
`l` and the digest of a line, with the places in it that are masked; digests in hexadecimal. The texts
themselves are nowhere.

Tested in: tests/archive/maintenance/test_pack.py
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from dejavu.model import CorruptArchiveError

from .namespace import NamespaceTxn

if TYPE_CHECKING:
    from dejavu.redact.turn_mask import Extents, TurnMask

TEXT, RECORD = b"t", b"l"
_NOTHING = msgspec.msgpack.encode(None)
_TEXT_KEY = re.compile(rb"t([0-9a-f]{32}):([0-9]{1,19})")


def withhold_texts(
    names: NamespaceTxn, texts: Iterable[tuple[bytes, int]], records: Mapping[bytes, "Extents"]
) -> None:
    """Note texts (digest, characters) and lines by digest; the caller counts the change."""
    for digest, length in texts:
        names.put(TEXT + f"{digest.hex()}:{length}".encode(), _NOTHING)
    for digest, places in records.items():
        names.put(RECORD + digest.hex().encode(), msgspec.msgpack.encode(places))


def turn_mask(names: NamespaceTxn) -> "TurnMask | None":
    """Return what masks them; None where no turn was pruned. O(what was withheld)."""
    keys = [_TEXT_KEY.fullmatch(key) for key, _ in names.items(TEXT)]
    records = {
        bytes.fromhex(key[1:].decode()): msgspec.msgpack.decode(value, type=list[tuple[int, int]])
        for key, value in names.items(RECORD)
    }
    if not keys and not records:
        return None
    from dejavu.redact.turn_mask import TurnMask

    from .redactor import redaction_key

    known = [key for key in keys if key is not None]
    if len(known) < len(keys):
        raise CorruptArchiveError(
            "the list of pruned turns is damaged; run `dejavu archive verify --repair`"
        )
    texts = frozenset(bytes.fromhex(key[1].decode()) for key in known)
    lengths = frozenset(int(key[2]) for key in known)
    return TurnMask(redaction_key(), texts, lengths, records)


def restore_texts(names: NamespaceTxn, lost: Iterable[bytes]) -> bool:
    """Put back what a repair lost the values of: a text is its key. Whether any turn was pruned."""
    for key in lost:
        if _TEXT_KEY.fullmatch(key) and names.get(key) is None:
            names.put(key, _NOTHING)
    return any(True for prefix in (TEXT, RECORD) for _ in names.items(prefix))
