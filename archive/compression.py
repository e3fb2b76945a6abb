"""Zstandard with or without a prefix: the one place that chooses the library.

A prefix is text both sides already have: what repeats it costs a few bytes, so a value can lean on
raw bytes that are stored anyway. Frames carry a checksum of their content (XXH64), which is what
`verify` counts on. Costs O(data + prefix), about 500 MB/s.
"""

import sys
from collections.abc import Sequence

from dejavu.model import CorruptArchiveError

if sys.version_info >= (3, 14):
    from compression.zstd import CompressionParameter, ZstdCompressor, ZstdDict, ZstdError
    from compression.zstd import compress as _compress
    from compression.zstd import decompress as _decompress
else:
    from backports.zstd import CompressionParameter, ZstdCompressor, ZstdDict, ZstdError
    from backports.zstd import compress as _compress
    from backports.zstd import decompress as _decompress

# Below 8 bytes zstd takes no dictionary (ZstdDict's own limit), and nothing would be gained.
SHORTEST_PREFIX = 8
# The widest window a stock decoder accepts (ZSTD_WINDOWLOG_LIMIT_DEFAULT, 128 MiB).
WIDEST_WINDOW = 27
_PLAIN: dict[int, int] = {
    CompressionParameter.compression_level: 1,
    CompressionParameter.checksum_flag: 1,
}
# Measured by benchmarks/archive/layout.py: long matches into the prefix are what pays, so a table
# wide enough to hold it (2**17) and a longer least match than level 1's own.
_LEANING: dict[int, int] = {
    **_PLAIN,
    CompressionParameter.hash_log: 17,
    CompressionParameter.min_match: 7,
}


def compress(data: bytes, prefix: bytes = b"", *, level: int = 1) -> bytes:
    """One zstd frame of `data`, leaning on `prefix` where it repeats it.

    Speed falls with `level`: 1 makes about 400 MB/s, 9 makes 85, 19 makes 4.
    """
    harder: dict[int, int] = {} if level == 1 else {CompressionParameter.compression_level: level}
    if len(prefix) < SHORTEST_PREFIX:
        return _compress(data, options={**_PLAIN, **harder})
    window = min(WIDEST_WINDOW, max(17, (len(prefix) + len(data)).bit_length()))
    tuned = {**_PLAIN, **harder} if harder else _LEANING
    options = {**tuned, CompressionParameter.window_log: window}
    return _compress(data, options=options, zstd_dict=ZstdDict(prefix, is_raw=True).as_prefix)


def compress_parts(parts: Sequence[bytes]) -> bytes:
    """One frame of the parts end to end, which are not joined: for values of many megabytes."""
    compressor = ZstdCompressor(options=_PLAIN)
    compressor.set_pledged_input_size(sum(map(len, parts)))
    return b"".join((*map(compressor.compress, parts), compressor.flush()))


def decompress(frame: bytes, prefix: bytes = b"") -> bytes:
    """The data of a frame made by `compress` with the same prefix.

    Raises:
        CorruptArchiveError: the frame is damaged, or the prefix is not the one it was made with.
    """
    try:
        if len(prefix) < SHORTEST_PREFIX:
            return _decompress(frame)
        return _decompress(frame, zstd_dict=ZstdDict(prefix, is_raw=True).as_prefix)
    except ZstdError as error:
        raise CorruptArchiveError(
            f"a stored value does not match its checksum ({error}); run `dejavu archive verify --repair`"
        ) from error
