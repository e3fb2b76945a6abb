"""Where a message ends (RFC 9112): what two servers could read in two ways goes no further (1.19)."""

import socket
import threading
import time

import pytest
from tests.factories.wire import SECRET, Gate, Model, served

from dejavu.extensions.wire import proxy as proxy_module

HEAD = f"POST /{SECRET}/0/echo HTTP/1.1\r\nHost: x\r\n".encode()
HIDDEN = f"GET /{SECRET}/0/hidden HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def _ask(gate: Gate, data: bytes) -> bytes:
    """All that comes back until the proxy closes, or has been silent for a second."""
    with socket.create_connection(("127.0.0.1", gate.port), timeout=1) as plain:
        plain.sendall(data)
        got = b""
        try:
            while piece := plain.recv(1 << 16):
                got += piece
        except TimeoutError:
            pass
        return got


@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"Content-Length: 4\r\nContent-Length: 44\r\n\r\nabcd" + HIDDEN,
        b"Content-Length: 4, 44\r\n\r\nabcd" + HIDDEN,
        b"Content-Length: +4\r\n\r\nabcd" + HIDDEN,
        b"Content-Length: 0x4\r\n\r\nabcd" + HIDDEN,
        b"Content-Length: -1\r\n\r\n" + HIDDEN,
        b"Content-Length: " + b"9" * 30 + b"\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 30 + b"\r\nabc\r\n0\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n0\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding: chunked\r\n\r\n3;a=b\rc\r\nabcd\r\n0\r\n\r\n" + HIDDEN,
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n" + HIDDEN,
        b"X-A: b\rContent-Length: 4\r\n\r\nabcd" + HIDDEN,
        b"X-A: b\x00c\r\nContent-Length: 4\r\n\r\nabcd" + HIDDEN,
    ],
)
@pytest.mark.fault("1.19")
def test_a_length_that_is_none_or_two_is_refused(gate: Gate, model: Model, rest: bytes) -> None:
    answer = _ask(gate, HEAD + rest)
    assert all("hidden" not in path for path, _ in model.heads)
    assert not answer.startswith(b"HTTP/1.1 2") or answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    ("rest", "sent"),
    [
        (b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd", b"abcd"),
        (b"Content-Length: 4\r\nX-Folded: a\r\n  b\r\n\r\nabcd", b"abcd"),
        (b"Content-Length: 4\nX-Bare: line feed\n\nabcd", b"abcd"),
        (
            b'Transfer-Encoding: chunked\r\n\r\n4;name="a;b"\r\nabcd\r\n0\r\nX-End: 1\r\n\r\n',
            b"abcd",
        ),
        (b"Connection: close, Content-Length\r\nContent-Length: 4\r\n\r\nabcd", b"abcd"),
    ],
)
@pytest.mark.fault("1.19")
def test_odd_forms_go_on_in_the_one_plain_form(
    gate: Gate, model: Model, rest: bytes, sent: bytes
) -> None:
    answer = _ask(gate, HEAD + rest)
    assert answer.startswith(b"HTTP/1.1 200")
    assert sent in answer
    ((_, head),) = model.heads
    lengths = [name for name in ("content-length", "transfer-encoding") if name in head]
    assert len(lengths) == 1
    assert "\n" not in "".join(head.values())
    assert head.get("x-folded", "a b") == "a b"
    assert head.get("x-bare", "line feed") == "line feed"
    assert head.get("content-length", "4") == "4"


@pytest.mark.fault("1.19")
def test_pipelined_requests_are_answered_one_after_the_other(gate: Gate, model: Model) -> None:
    one = HEAD + b"Content-Length: 1\r\n\r\n"
    answer = _ask(gate, b"".join(one + b"%d" % number for number in range(5)))
    assert [path for path, _ in model.heads] == ["/echo"] * 5
    bodies = answer.split(b"HTTP/1.1 200 OK")
    assert [b"\r\n1\r\n%d\r\n" % number in body for number, body in enumerate(bodies[1:])] == [
        True
    ] * 5


@pytest.mark.fault("1.19")
def test_an_answer_with_two_lengths_comes_with_one(gate: Gate) -> None:
    """Way 1 leads to port 9; a server of two lengths stands there for once."""
    import ssl

    from dejavu.extensions.wire.proxy import Proxy
    from dejavu.extensions.wire.routes import Routes, upstream

    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1 << 16)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                b"5\r\nabcde\r\n0\r\n\r\n"
            )

    thread = threading.Thread(target=answer)
    thread.start()
    routes = Routes([upstream(f"http://127.0.0.1:{listener.getsockname()[1]}")], SECRET)
    other = Gate(0)
    end = served(
        Proxy(routes, other.taps.append, ssl.create_default_context()).listen,
        lambda port: setattr(other, "port", port),
    )
    try:
        got = _ask(other, f"GET /{SECRET}/0/x HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    finally:
        end()
        thread.join()
        listener.close()
    assert b"content-length" not in got.lower()
    assert b"5\r\nabcde\r\n0\r\n\r\n" in got


@pytest.mark.fault("1.19")
def test_half_a_head_is_given_up(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "_HEAD", 0.2)
    with socket.create_connection(("127.0.0.1", gate.port), timeout=20) as slow:
        slow.sendall(b"POST /")
        assert slow.recv(100) == b""


@pytest.mark.fault("1.19")
def test_half_a_body_is_given_up(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "_STALLED", 0.2)
    start = time.monotonic()
    with socket.create_connection(("127.0.0.1", gate.port), timeout=20) as slow:
        slow.sendall(HEAD.replace(b"echo", b"count") + b"Content-Length: 9\r\n\r\nhalf")
        assert slow.recv(1000) == b""
    assert time.monotonic() - start < 15


@pytest.mark.fault("1.19")
def test_half_open_connections_shut_nobody_out(gate: Gate) -> None:
    half = [
        socket.create_connection(("127.0.0.1", gate.port), timeout=20)
        for _ in range(proxy_module.CONNECTIONS + 40)
    ]
    try:
        for one in half[::2]:
            one.sendall(b"POST /")
        assert gate.post("/count", b"abc") == (200, b"3")
    finally:
        for one in half:
            one.close()
