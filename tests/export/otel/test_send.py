import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from dejavu.export.otel import send
from dejavu.model import ConfigError, Conversation, DejavuError, Role, Text, Turn

CONVERSATION = Conversation(id="x", agent="amp").with_turns(
    tuple(Turn(role=Role.ASSISTANT, parts=(Text("é"),), at=float(n)) for n in range(450))
)


class _Receiver(HTTPServer):
    """An OTLP receiver on loopback that answers what it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.status, self.answer, self.location = 200, b"{}", ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: _Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, dict(self.headers), json.loads(body)))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()
        self.wfile.write(self.server.answer)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[_Receiver]:
    server = _Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_every_span_arrives_once_in_batches(receiver: _Receiver) -> None:
    taken = send(CONVERSATION, receiver.address, headers={"X-Key": "k"})
    assert taken == 451
    ids = [
        span["spanId"]
        for _, _, body in receiver.seen
        for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"]
    ]
    assert len(set(ids)) == 451
    assert len(receiver.seen) == 3
    path, headers, _ = receiver.seen[0]
    assert path == "/v1/traces"
    assert headers["Content-Type"] == "application/json"
    assert headers["X-Key"] == "k"


def test_the_path_is_kept_where_it_is_given(receiver: _Receiver) -> None:
    send(CONVERSATION, receiver.address + "/otlp/v1/traces?tenant=a")
    assert receiver.seen[0][0] == "/otlp/v1/traces?tenant=a"


def test_spans_refused_are_not_counted(receiver: _Receiver) -> None:
    receiver.answer = b'{"partialSuccess": {"rejectedSpans": "1"}}'
    assert send(CONVERSATION, receiver.address) == 448


def test_a_refusal_is_said_with_its_status(receiver: _Receiver) -> None:
    receiver.status = 401
    with pytest.raises(DejavuError, match=r"127\.0\.0\.1.*answered 401"):
        send(CONVERSATION, receiver.address)


def test_redirects_are_not_followed(receiver: _Receiver) -> None:
    receiver.status, receiver.location = 307, receiver.address + "/elsewhere"
    with pytest.raises(DejavuError, match="answered 307"):
        send(CONVERSATION, receiver.address)
    assert len(receiver.seen) == 1


def test_nobody_there_is_said() -> None:
    with pytest.raises(DejavuError, match="cannot be reached"):
        send(CONVERSATION, "http://127.0.0.1:9", timeout=5)


@pytest.mark.parametrize(
    "endpoint", ["file:///etc/passwd", "127.0.0.1:4318", "ftp://x", "", "http://[", "http://"]
)
def test_only_web_addresses_are_endpoints(endpoint: str) -> None:
    with pytest.raises(ConfigError, match="OTLP endpoint"):
        send(CONVERSATION, endpoint)
