import gzip
import json

import pytest
from tests.factories.wire import ASKED, KEY, SSE

from dejavu.extensions.wire.tap import Tap, tap_of

BODY = json.dumps(ASKED).encode()


def _tap(**headers: str) -> Tap:
    tap = tap_of("/v1/messages", headers)
    assert tap is not None
    return tap


def test_only_where_a_model_is_asked() -> None:
    assert tap_of("/v1/models", {}) is None
    assert tap_of("/v1/chat/completions?x=1", {}) is not None


def test_compressed_bodies_are_read_and_keys_are_not_kept() -> None:
    tap = _tap(**{"content-encoding": "gzip", "authorization": f"Bearer {KEY}"})
    tap.request(gzip.compress(BODY + b" " * 10))
    tap.begin(401, {})
    tap.response(f'{{"error":{{"message":"bad key {KEY}"}}}}'.encode())
    line = tap.line() or b""
    assert (json.loads(line)["request"], KEY.encode() in line) == (ASKED, False)
    assert tap.size > len(BODY)


@pytest.mark.parametrize("coding", ["br", "gzip"])
def test_a_body_that_cannot_be_read_costs_the_line_only(coding: str) -> None:
    tap = _tap()
    tap.request(BODY)
    tap.begin(200, {"content-encoding": coding})
    tap.response(SSE[0])
    assert (tap.line(), tap.dropped) == (None, True)


def test_a_request_that_was_never_answered_is_no_exchange() -> None:
    tap = _tap()
    tap.request(BODY)
    assert (tap.line(), tap.dropped) == (None, False)


def test_a_bomb_is_dropped_when_it_is_too_long() -> None:
    tap = _tap(**{"content-encoding": "gzip"})
    tap.request(gzip.compress(bytes(80 << 20)))
    assert (tap.dropped, tap.size) == (True, 0)
