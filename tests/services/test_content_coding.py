import gzip
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.services.content_coding import acceptable, decoder

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CODINGS = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstd.compress,
}


def _decoded(coding: str, chunks: list[bytes]) -> bytes:
    one = decoder(coding)
    assert one is not None
    return b"".join(piece for chunk in chunks for piece in one.feed(chunk))


@pytest.mark.parametrize("coding", CODINGS)
@given(body=st.binary(max_size=4000), cut=st.integers(1, 700))
def test_every_coding_unfolds_however_it_is_cut(coding: str, body: bytes, cut: int) -> None:
    packed = CODINGS[coding](body)
    chunks = [packed[at : at + cut] for at in range(0, len(packed), cut)]
    assert _decoded(coding.upper(), chunks) == body


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_bomb_comes_in_bounded_pieces(coding: str) -> None:
    one = decoder(coding)
    assert one is not None
    packed = CODINGS[coding](bytes(64 << 20))
    sizes = [len(piece) for piece in one.feed(packed)]
    assert (sum(sizes), max(sizes) <= 1 << 20) == (64 << 20, True)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_damage_is_a_value_error(coding: str) -> None:
    with pytest.raises(ValueError, match="damaged"):
        _decoded(coding, [b"no such thing, and long enough to tell"])


def test_what_cannot_be_read_has_no_decoder() -> None:
    assert decoder("br") is None


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("gzip, deflate, br, zstd", "gzip, deflate, zstd"),
        ("br;q=1.0, gzip;q=0.5, *", "gzip;q=0.5"),
        ("br", "identity"),
        ("", "identity"),
    ],
)
def test_a_server_may_choose_only_what_both_can_read(asked: str, kept: str) -> None:
    assert acceptable(asked) == kept
