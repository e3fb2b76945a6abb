"""A model's server of our own, and the proxy before it, both on loopback."""

import asyncio
import gzip
import hashlib
import http.client
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

pytest.importorskip("h11", reason="needs the extra wire")

from dejavu.extensions.wire.proxy import Proxy
from dejavu.extensions.wire.routes import Routes, upstream
from dejavu.extensions.wire.tap import Tap
from dejavu.sessions.sse_client import Address

SECRET = "run-secret-0123456789"
KEY = "sk-ant-api03-never-written-down"
ASKED = {
    "model": "m",
    "max_tokens": 9,
    "stream": True,
    "messages": [{"role": "user", "content": "Why is the sky blue?"}],
}


def event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


SSE = [
    event("message_start", message={"id": "msg_1", "model": "m", "role": "assistant"}),
    event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Rayleigh"}),
    event("content_block_delta", index=0, delta={"type": "text_delta", "text": " scattering."}),
    event("content_block_stop", index=0),
    event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 3}),
    event("message_stop"),
]


class Model(ThreadingHTTPServer):
    """Streams an answer, echoes bodies, breaks off, or compresses: by path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.heads: list[tuple[str, dict[str, str]]] = []
        self.go = threading.Event()
        """Set: the rest of a stream may follow its first event."""
        self.cut = threading.Event()
        """Set: a client left in the middle of a stream."""
        self.digest = ""
        self.sources: set[Any] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        self.cut.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._head()
        self._whole(b"plain")

    def do_HEAD(self) -> None:
        self._head()
        self.send_response(200)
        self.send_header("Content-Length", "12345")
        self.end_headers()

    def do_POST(self) -> None:
        self._head()
        path = self.path.partition("?")[0]
        if path == "/refuse":  # before the body is read
            self.close_connection = True
            return self._whole(b"too large", 413)
        digest, size = hashlib.sha256(), 0
        if path == "/echo":
            self._begin()
        for piece in self._body():
            digest.update(piece)
            size += len(piece)
            if path == "/echo":
                self._chunk(piece)
        self.server.digest = digest.hexdigest()
        if path == "/echo":
            return self._end()
        if path == "/drop":
            self.close_connection = True
            return None
        if path == "/gzip/v1/messages":
            return self._whole(gzip.compress(b"".join(SSE)), coding="gzip")
        if path.endswith("/v1/messages"):
            return self._stream(broken="broken" in path)
        return self._whole(str(size).encode())

    def _stream(self, *, broken: bool) -> None:
        self._begin("text/event-stream")
        self._chunk(SSE[0])
        self.server.go.wait(30)
        for one in SSE[1:3] if broken else SSE[1:]:
            self._chunk(one)
        if broken:
            self.close_connection = True
        else:
            self._end()

    def _head(self) -> None:
        self.server.heads.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        self.server.sources.add(self.client_address)

    def _whole(self, body: bytes, status: int = 200, coding: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Kept", "Yes")
        if coding:
            self.send_header("Content-Encoding", coding)
        self.end_headers()
        self.wfile.write(body)

    def _begin(self, kind: str = "application/octet-stream") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def _body(self) -> Iterator[bytes]:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers.get("Content-Length") or 0)
        while left:
            piece = self.rfile.read(min(left, 1 << 16))
            if not piece:
                return  # the client went
            left -= len(piece)
            yield piece


@dataclass
class Gate:
    """A running proxy."""

    port: int
    taps: list[Tap] = field(default_factory=list)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def post(self, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        connection = self.connect()
        try:
            sent = json.dumps(ASKED).encode() if body is None else body
            connection.request("POST", f"/{SECRET}/0{path}", sent, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    server.go.set()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.go.set()
    server.shutdown()
    server.server_close()
    thread.join()


def served(start: Callable[[], Any], opened: Callable[[int], None]) -> Callable[[], None]:
    """Run an asyncio server in a thread; gives what ends it."""
    port: Future[int] = Future()
    ends: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        server = await start()
        over = asyncio.Event()
        ends.set_result((asyncio.get_running_loop(), over))
        port.set_result(server.sockets[0].getsockname()[1])
        await over.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    opened(port.result(30))

    def end() -> None:
        loop, over = ends.result()
        loop.call_soon_threadsafe(over.set)
        thread.join()

    return end


@pytest.fixture
def gate(model: Model) -> Iterator[Gate]:
    """The proxy before `model`; way 1 leads to a port where nobody listens."""
    one = Gate(0)
    routes = Routes([upstream(model.url), upstream("http://127.0.0.1:9")], SECRET)
    proxy = Proxy(routes, one.taps.append, ssl.create_default_context())
    end = served(proxy.listen, lambda port: setattr(one, "port", port))
    yield one
    end()


Serve = Callable[..., Address]


class Teller(BaseHTTPRequestHandler):
    """Plays server-sent events, one line after the other; then there is no such page."""

    lines: ClassVar[list[list[bytes]]]

    def do_GET(self) -> None:
        if self.path == "/locked":
            self.send_error(401)
        elif self.path != "/event" or not self.lines:
            self.send_error(404)
        else:
            pieces = self.lines.pop(0)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.end_headers()
            for piece in pieces:
                self.wfile.write(piece)
                self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve([pieces], ...)` gives the place of a server that plays these."""
    running: list[ThreadingHTTPServer] = []

    def start(*lines: list[bytes]) -> Address:
        handler = type("Played", (Teller,), {"lines": [*lines]})
        running.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=running[-1].serve_forever, args=(0.02,), daemon=True).start()
        return Address("127.0.0.1", running[-1].server_address[1])

    yield start
    for server in running:
        server.shutdown()
        server.server_close()
