"""Bodies as they were before they were compressed, piece by piece.

Decodes chunks as they pass into pieces of bounded size, so a small body that unfolds to gigabytes
costs no memory. The bytes that pass are never touched. O(decoded bytes).
"""

import sys
import zlib
from collections.abc import Iterator
from typing import Protocol

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

READABLE = frozenset({"gzip", "x-gzip", "deflate", "zstd", "identity", ""})
"""Content codings (RFC 9110, 8.4.1; RFC 8878) that can be read here."""
_MOST = 1 << 20


class Decoder(Protocol):
    """A body's decoding between chunks."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """What `chunk` unfolds to. Raises ValueError for a body that is not what it claims."""
        ...


class _Plain:
    def feed(self, chunk: bytes) -> Iterator[bytes]:
        yield chunk


class _Deflated:
    """gzip and zlib, told apart by their heads."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=47)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        while chunk and not self._inner.eof:
            try:
                piece = self._inner.decompress(chunk, _MOST)
            except zlib.error as error:
                raise ValueError(f"damaged compressed body: {error}") from error
            chunk = self._inner.unconsumed_tail
            yield piece


class _Zstandard:
    def __init__(self) -> None:
        self._inner = zstd.ZstdDecompressor()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        try:
            while not self._inner.eof:
                yield self._inner.decompress(chunk, max_length=_MOST)
                chunk = b""
                if self._inner.needs_input:
                    return
        except zstd.ZstdError as error:
            raise ValueError(f"damaged compressed body: {error}") from error


def decoder(coding: str) -> Decoder | None:
    """The decoder of a `Content-Encoding`; None for one that cannot be read."""
    name = coding.strip().lower()
    if name in ("", "identity"):
        return _Plain()
    if name in ("gzip", "x-gzip", "deflate"):
        return _Deflated()
    return _Zstandard() if name == "zstd" else None


def acceptable(accepted: str) -> str:
    """Of an `Accept-Encoding` the codings that can be read here, as they were written.

    Never empty: an empty one means that only plain bodies are wanted, and so does `identity`.
    """
    kept = [
        word.strip()
        for word in accepted.split(",")
        if word.partition(";")[0].strip().lower() in READABLE - {""}
    ]
    return ", ".join(kept) or "identity"
