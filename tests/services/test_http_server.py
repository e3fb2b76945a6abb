"""Limits of our HTTP servers: half requests, many connections, brackets by the thousand (1.19)."""

import asyncio
import http.client
import importlib
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from tests.factories.wire import served
from tests.other_user import UID, needs_other_user, start

uvicorn = pytest.importorskip("uvicorn", reason="needs the extra http or otlp")
http_server = importlib.import_module("dejavu.services.http_server")
receiver = importlib.import_module("dejavu.extensions.otlp.receiver")


async def _app(_scope: Any, receive: Any, send: Any) -> None:
    """Reads the body, then answers with its length."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-length", b"%d" % len(str(size)))],
        }
    )
    await send({"type": "http.response.body", "body": str(size).encode()})


def _serve(app: Any) -> tuple[list[int], Any]:
    ports: list[int] = []

    async def start() -> Any:
        config = http_server.config(app, idle=30)
        config.load()
        server = uvicorn.Server(config)
        loop = asyncio.get_running_loop()
        return await loop.create_server(
            lambda: http_server.LocalProtocol(config, server.server_state, {}, loop),
            sock=http_server.on_port(0),
        )

    return ports, served(start, ports.append)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(http_server, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(http_server, "BODY_SECONDS", 0.3)
    ports, end = _serve(_app)
    yield ports[0]
    end()


def _post(port: int, body: bytes, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("POST", headers.pop("path", "/"), body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    "half",
    [b"POST / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"],
    ids=["head", "body"],
)
@pytest.mark.fault("1.19")
def test_half_a_request_is_given_up(port: int, half: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as slow:
        start = time.monotonic()
        for byte in half:
            slow.sendall(bytes([byte]))
        assert slow.recv(100) == b""
        assert time.monotonic() - start < 15


@pytest.mark.fault("1.19")
def test_half_open_connections_shut_nobody_out(port: int) -> None:
    with ExitStack() as stack:
        for number in range(3 * http_server.CONNECTIONS):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            if number % 2:
                one.sendall(b"POST / HTTP/1.1\r\n")
        assert _post(port, b"abc") == (200, b"3")


@pytest.mark.fault("1.19")
def test_a_connection_is_used_again_and_pipelined(port: int) -> None:
    request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
        plain.sendall(request + request + request[:-1])
        time.sleep(0.1)
        plain.sendall(request[-1:])
        got = b""
        while got.count(b"200 OK") < 3 or not got.endswith(b"2"):
            piece = plain.recv(1000)
            assert piece
            got += piece


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"a":' * 100_000, b'{"resourceLogs":' + b"[" * 99_999]
)
@pytest.mark.fault("1.19")
def test_brackets_by_the_thousand_are_a_bad_request(body: bytes) -> None:
    ports, end = _serve(
        receiver.Receiver(lambda *_: None, token="t", instance="local", workspace=None).app
    )
    try:
        status, _ = _post(
            ports[0],
            body, path="/v1/logs", **{"Content-Type": "application/json", "Authorization": "Bearer t"},
        )  # fmt: skip
    finally:
        end()
    assert status == 400


_CONNECT = """
import socket, sys
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(40)]
print("connected", flush=True)
sys.stdin.read()
"""
_LISTEN = """
import socket, sys
held = socket.create_server(("127.0.0.1", 0))
print(held.getsockname()[1], flush=True)
sys.stdin.read()
"""


@needs_other_user
def test_connections_of_another_user_are_gone_before_ours_is_taken() -> None:
    with http_server.on_port(0) as listener:
        port = listener.getsockname()[1]
        other = start(_CONNECT, str(port))
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "connected\n"
            with socket.create_connection(("127.0.0.1", port), timeout=20) as ours:
                connection, address = listener.accept()
                connection.close()
                assert address == ours.getsockname()
        finally:
            other.communicate(timeout=20)


@needs_other_user
def test_many_connections_of_another_user_give_the_server_its_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_server, "STRANGERS", 10)
    with http_server.on_port(0) as listener:
        other = start(_CONNECT, str(listener.getsockname()[1]))
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "connected\n"
            for _ in range(4):
                with pytest.raises(ConnectionAbortedError):
                    listener.accept()
        finally:
            other.communicate(timeout=20)


@needs_other_user
def test_another_users_port_is_refused_with_the_users_name() -> None:
    other = start(_LISTEN)
    try:
        assert other.stdout is not None
        port = int(other.stdout.readline())
        with pytest.raises(PermissionError, match=f"uid {UID} has it"):
            http_server.on_port(port)
    finally:
        other.communicate(timeout=20)


def test_our_own_port_is_refused_as_the_system_says_it() -> None:
    with (
        http_server.on_port(0) as listener,
        pytest.raises(OSError, match="in use"),
    ):
        http_server.on_port(listener.getsockname()[1])
