"""Requests to the daemon: whatever a hook writes is read back; nothing else is taken for one."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.services.hook_protocol import ASSIST, GUARD, PROMPT, decode_request, encode_request

SOON = time.monotonic() + 3600
_BYTES = st.binary(max_size=30).map(lambda data: data.replace(b"\0", b"\n"))
VALUES = _BYTES.map(lambda data: data.decode("utf-8", "surrogateescape"))
NAMES = VALUES.filter(lambda name: "=" not in name).map("env.{}".format)


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.binary(max_size=60))
def test_every_value_and_payload_comes_back(fields: dict[str, str], payload: bytes) -> None:
    request = encode_request(GUARD, SOON, fields, payload)
    kind, deadline, found, data = decode_request(request, PROMPT, GUARD)
    assert (kind, found, data) == (GUARD, fields, payload)
    assert deadline == int(SOON * 1e9)


@given(st.binary(max_size=80))
def test_anything_else_is_refused(request: bytes) -> None:
    with pytest.raises(ValueError, match="no request"):
        decode_request(request, PROMPT, ASSIST)


@pytest.mark.parametrize("cut", [5, 20, 40])
def test_half_a_request_is_refused(cut: int) -> None:
    request = encode_request(PROMPT, SOON, {"agent": "claude", "folder": "/work/pond"}, b"{}")
    with pytest.raises(ValueError, match="no request"):
        decode_request(request[:cut], PROMPT)


def test_one_that_came_too_late_is_refused() -> None:
    with pytest.raises(ValueError, match="too late"):
        decode_request(encode_request(PROMPT, time.monotonic() - 1, {}, b"{}"), PROMPT)
