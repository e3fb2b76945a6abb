"""A checksum around every stored value: `[crc32, value]`, one msgpack object.

The CRC-32 covers the whole key (its table's letter included) and the value, so a value that was
altered, or that is found under another key, is recognised. It finds every single
flipped bit and every burst of up to 32 bits; it is no protection against an attacker. zlib's costs
about 1 ns a byte, and values are compressed: below 1 % of a sync.
"""

from zlib import crc32

import msgspec

from dejavu.model import CorruptArchiveError

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, bytes]).decode


def wrap(key: bytes, value: bytes) -> bytes:
    """Return `value` with its checksum; `key` is the whole key, with its table's letter."""
    return _encode((crc32(value, crc32(key)), value))


def unwrap(key: bytes, stored: bytes) -> bytes:
    """Return the value in `stored`.

    Raises:
        CorruptArchiveError: it is not what was written under this key.
    """
    try:
        checksum, value = _decode(stored)
    except msgspec.MsgspecError as error:
        raise _damaged(key) from error
    if checksum != crc32(value, crc32(key)):
        raise _damaged(key)
    return value


def is_wrapped(stored: bytes) -> bool:
    """Whether `stored` has the shape of a wrapped value: format 1 had none."""
    return stored[:1] == b"\x92"


def _damaged(key: bytes) -> CorruptArchiveError:
    return CorruptArchiveError(
        f"the stored value {key[:1].decode('latin-1')} {key[1:].hex()} does not match its "
        "checksum; run `dejavu archive verify --repair`"
    )
