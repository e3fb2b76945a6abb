import hashlib
import http.client
import json
import resource
import socket
import threading
from collections.abc import Iterator

import pytest
from tests.factories.waiting import until
from tests.factories.wire import ASKED, KEY, SECRET, SSE, Gate, Model

PIECE = bytes(range(256)) * 256


def _pieces(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield number.to_bytes(4, "big") + PIECE[4:]


def _line(gate: Gate) -> dict[str, object]:
    until(lambda: gate.taps)
    (tap,) = gate.taps
    return dict(json.loads(tap.line() or b""))


def test_an_exchange_passes_and_is_copied_without_its_key(gate: Gate, model: Model) -> None:
    body = json.dumps(ASKED).encode()
    status, answer = gate.post("/v1/messages?beta=true", body, **{"X-Api-Key": KEY})
    assert (status, answer) == (200, b"".join(SSE))
    ((path, head),) = model.heads
    assert path == "/v1/messages?beta=true"
    assert (head["x-api-key"], head["host"]) == (KEY, model.url.removeprefix("http://"))
    line = _line(gate)
    assert (line["request"], line["response"]) == (ASKED, answer.decode())
    assert KEY not in json.dumps(line)


def test_a_stream_is_passed_on_event_by_event(gate: Gate, model: Model) -> None:
    model.go.clear()
    connection = gate.connect()
    connection.request("POST", f"/{SECRET}/0/v1/messages", json.dumps(ASKED))
    answer = connection.getresponse()
    first = answer.read1()
    assert first == SSE[0], "the first event is here while the server still holds the others"
    model.go.set()
    assert first + answer.read() == b"".join(SSE)
    connection.close()


@pytest.mark.soak
@pytest.mark.parametrize("chunked", [False, True])
def test_a_hundred_megabytes_are_the_same_both_ways(
    gate: Gate, model: Model, chunked: bool
) -> None:
    count = (100 << 20) // len(PIECE)
    expected = hashlib.sha256()
    for piece in _pieces(count):
        expected.update(piece)
    back, size = hashlib.sha256(), 0
    with socket.create_connection(("127.0.0.1", gate.port), timeout=60) as plain:
        framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {100 << 20}"
        plain.sendall(f"POST /{SECRET}/0/echo HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n".encode())

        def send() -> None:
            for piece in _pieces(count):
                plain.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            if chunked:
                plain.sendall(b"0\r\n\r\n")

        sender = threading.Thread(target=send)
        sender.start()
        answer = http.client.HTTPResponse(plain)
        answer.begin()
        while piece := answer.read(1 << 16):
            back.update(piece)
            size += len(piece)
        sender.join()
        answer.close()
    assert size == 100 << 20
    assert model.digest == expected.hexdigest() == back.hexdigest()


@pytest.mark.soak
def test_a_request_of_64_megabytes_is_not_held(gate: Gate, model: Model) -> None:
    gate.post("/v1/messages")  # what is loaded once is loaded
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    connection = gate.connect()
    count = (64 << 20) // len(PIECE)
    headers = {"Content-Length": str(count * len(PIECE))}
    connection.request("POST", f"/{SECRET}/0/v1/messages", _pieces(count), headers)
    assert connection.getresponse().read() == b"".join(SSE)
    connection.close()
    until(lambda: len(gate.taps) == 2)
    assert gate.taps[1].dropped
    assert gate.taps[1].line() is None
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    # A tap holds 32 MB at most; a buffer grows by an eighth, and is copied while it does.
    assert grown < 80 << 20, grown


def test_a_connection_is_used_again_and_a_stale_one_is_not(gate: Gate, model: Model) -> None:
    connection = gate.connect()
    for _ in range(3):
        connection.request("POST", f"/{SECRET}/0/count", b"four")
        assert connection.getresponse().read() == b"4"
    assert len(model.sources) == 1
    connection.request("POST", f"/{SECRET}/0/drop", b"x")
    assert connection.getresponse().status == 502
    connection.close()


def test_what_is_compressed_passes_compressed_and_is_read(gate: Gate, model: Model) -> None:
    status, answer = gate.post("/gzip/v1/messages", **{"Accept-Encoding": "gzip, br, zstd;q=0.5"})
    assert (status, answer[:2]) == (200, b"\x1f\x8b")
    assert model.heads[0][1]["accept-encoding"] == "gzip, zstd;q=0.5", "br cannot be read here"
    assert _line(gate)["response"] == b"".join(SSE).decode()


def test_other_traffic_is_passed_on_and_not_looked_at(gate: Gate, model: Model) -> None:
    connection = gate.connect()
    headers = {"Accept-Encoding": "br", "Connection": "X-Private", "X-Private": "1", "X-Mine": "2"}
    connection.request("GET", f"/{SECRET}/0/v1/models", headers=headers)
    answer = connection.getresponse()
    assert (answer.read(), answer.headers["X-Kept"]) == (b"plain", "Yes")
    connection.request("HEAD", f"/{SECRET}/0/v1/models")
    answer = connection.getresponse()
    assert (answer.read(), answer.headers["Content-Length"]) == (b"", "12345")
    connection.close()
    head = model.heads[0][1]
    assert (head["accept-encoding"], head["x-mine"], head.get("x-private")) == ("br", "2", None)
    assert gate.taps == []


def test_an_early_answer_reaches_a_client_that_still_sends(gate: Gate, model: Model) -> None:
    status, body = gate.post("/refuse", b"x" * 1000)
    assert (status, body) == (413, b"too large")


def test_an_unreachable_server_is_one_sentence(gate: Gate) -> None:
    connection = gate.connect()
    connection.request("POST", f"/{SECRET}/1/v1/messages", b"{}", {"X-Api-Key": KEY})
    answer = connection.getresponse()
    told = answer.read().decode()
    assert answer.status == 502
    assert told.startswith("dejavu wire: cannot reach http://127.0.0.1:9 (")
    assert (told.count("\n"), KEY in told) == (1, False)
    connection.close()


def test_an_answer_that_breaks_off_is_broken_off_here(gate: Gate) -> None:
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        gate.post("/broken/v1/messages")
    assert _line(gate)["response"] == b"".join(SSE[:3]).decode(), "what came is kept"


def test_a_client_that_leaves_takes_the_server_with_it(gate: Gate, model: Model) -> None:
    model.go.clear()
    connection = gate.connect()
    connection.request("POST", f"/{SECRET}/0/v1/messages", json.dumps(ASKED))
    answer = connection.getresponse()
    assert answer.read1() == SSE[0]
    answer.close()
    connection.close()
    until(lambda: gate.taps)  # the exchange is over although the server says nothing
    model.go.set()
    until(model.cut.is_set)


@pytest.mark.parametrize(
    "target", ["/", "/v1/messages", f"/{SECRET}", f"/{SECRET}/7/v1", f"/{SECRET}x/0/v1/messages"]
)
def test_without_the_secret_nothing_is_here(gate: Gate, model: Model, target: str) -> None:
    connection = gate.connect()
    connection.request("POST", target, b"{}")
    assert connection.getresponse().status == 404
    connection.close()
    assert model.heads == []


def test_a_websocket_is_told_to_use_http(gate: Gate) -> None:
    connection = gate.connect()
    headers = {"Connection": "Upgrade", "Upgrade": "websocket"}
    connection.request("GET", f"/{SECRET}/0/v1/responses", headers=headers)
    assert connection.getresponse().status == 426
    connection.close()


def test_what_is_no_http_gets_an_answer_and_no_more(gate: Gate) -> None:
    with socket.create_connection(("127.0.0.1", gate.port), timeout=30) as plain:
        plain.sendall(b"\x16\x03\x01 no http\r\n\r\n")
        assert plain.recv(100).startswith(b"HTTP/1.1 400")


def test_a_client_that_waits_for_100_is_told_to_go_on(gate: Gate) -> None:
    with socket.create_connection(("127.0.0.1", gate.port), timeout=30) as plain:
        head = f"POST /{SECRET}/0/count HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
        plain.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert plain.recv(100).startswith(b"HTTP/1.1 100")
        plain.sendall(b"ab")
        answer = http.client.HTTPResponse(plain)
        answer.begin()
        assert answer.read() == b"2"
        answer.close()
