import gzip
import http.client
import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from dejavu.config.extras import extra_hint

pytest.importorskip("uvicorn", reason="needs the extra otlp")
pytest.importorskip("starlette", reason="needs the extra otlp")

import uvicorn

from dejavu.extensions.otlp.receiver import MAX_BODY, TIMEOUT, Receiver, session_of
from dejavu.ingest.channel import Channel
from dejavu.services.http_server import config, on_port

TOKEN = "a-token-of-this-receiver"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def _pairs(facts: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in facts.items()]


def export(*events: dict[str, str], service: str = "claude-code") -> dict[str, Any]:
    records = [
        {"timeUnixNano": str(10**18 + i), "attributes": _pairs(facts)}
        for i, facts in enumerate(events)
    ]
    resource = {"attributes": _pairs({"service.name": service})}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": records}]}]}


PROMPT = {"event.name": "user_prompt", "prompt": "Why?", "session.id": "s-1"}
ANSWER = {"event.name": "assistant_response", "response": "So.", "session.id": "s-1"}


def protobuf(body: dict[str, Any]) -> bytes:
    """The same request in its binary form."""
    service = pytest.importorskip("opentelemetry.proto.collector.logs.v1.logs_service_pb2")
    from google.protobuf.json_format import ParseDict

    return bytes(ParseDict(body, service.ExportLogsServiceRequest()).SerializeToString())


@contextmanager
def served(receiver: Receiver, idle: int = TIMEOUT) -> Iterator[int]:
    """The receiver on a port of its own."""
    listener = on_port(0)
    server = uvicorn.Server(config(receiver.app, idle=idle))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@dataclass
class Post:
    port: int = 0
    lines: list[tuple[Channel, bytes]] = field(default_factory=list)
    receiver: Receiver | None = None

    def __call__(
        self, body: bytes, kind: str = "application/json", path: str = "/v1/logs", **headers: str
    ) -> tuple[int, bytes, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", path, body, {"Content-Type": kind, **BEARER, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers["Content-Type"]
        finally:
            connection.close()


@pytest.fixture
def post() -> Iterator[Post]:
    one = Post()
    one.receiver = Receiver(
        lambda feed, line: one.lines.append((feed, line)),
        token=TOKEN,
        instance="local",
        workspace="/w",
    )
    with served(one.receiver) as one.port:
        yield one


BODY = export(PROMPT, ANSWER)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("binary", [False, True])
def test_both_forms_packed_or_not(post: Post, binary: bool, packed: bool) -> None:
    body = protobuf(BODY) if binary else json.dumps(BODY).encode()
    kind = "application/x-protobuf" if binary else "application/json; charset=utf-8"
    coding = {"Content-Encoding": "gzip"} if packed else {}
    status, answer, said = post(gzip.compress(body) if packed else body, kind, **coding)
    assert (status, answer, said) == (200, b"" if binary else b"{}", kind.partition(";")[0])
    ((feed, line),) = post.lines
    parser = feed.parser(feed.source)
    parser.feed(line, 0)
    (update,) = parser.take()
    assert update.conversation.native_id == "s-1"
    assert [turn.text for turn in update.turns] == ["Why?", "So."]


def test_a_connection_takes_many_exports(post: Post) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", post.port, timeout=30)
    for _ in range(3):
        connection.request(
            "POST", "/v1/logs", json.dumps(BODY), {"Content-Type": "application/json", **BEARER}
        )
        assert connection.getresponse().read() == b"{}"
    connection.close()
    assert len({feed.source.key for feed, _ in post.lines}) == 1
    assert len(post.lines) == 3


def test_sessions_are_sources_of_their_own(post: Post) -> None:
    for session in ("s-1", "s-2"):
        post(json.dumps(export({**PROMPT, "session.id": session})).encode())
    codex = {"event.name": "codex.user_prompt", "prompt": "x", "conversation.id": "c-1"}
    post(json.dumps(export(codex, service="codex_cli_rs")).encode())
    assert len({feed.source.key for feed, _ in post.lines}) == len(post.lines)
    assert {feed.source.native_id for feed, _ in post.lines} >= {"s-1", "s-2"}


def test_a_session_is_found_where_any_event_names_it() -> None:
    assert session_of(export({"event.name": "x"}, ANSWER)) == "s-1"
    assert session_of(export({"event.name": "x"})) == ""


def test_metrics_and_strangers_are_answered_and_not_kept(post: Post) -> None:
    assert post(b"\x0a\x00", "application/x-protobuf", "/v1/metrics")[0] == 200
    assert post(json.dumps(export(PROMPT, service="cart")).encode())[0] == 200
    assert post.lines == []
    assert post.receiver is not None
    assert post.receiver.strangers == 1


@pytest.mark.parametrize(
    ("status", "body", "kind", "path", "headers"),
    [
        (400, b"{", "application/json", "/v1/logs", {}),
        (400, b"\xff\xff", "application/x-protobuf", "/v1/logs", {}),
        (400, b"plain", "application/json", "/v1/logs", {"Content-Encoding": "gzip"}),
        (401, b"{}", "application/json", "/v1/logs", {"Authorization": "Bearer wrong"}),
        (401, b"{}", "application/json", "/v1/logs", {"Authorization": "Bearer " + TOKEN[:-1]}),
        (401, b"{}", "application/json", "/v1/logs", {"Authorization": f"Bearer {TOKEN}x"}),
        (401, b"{}", "application/json", "/v1/logs", {"Authorization": "Bearer"}),
        (401, b"{}", "application/json", "/v1/logs", {"Authorization": ""}),
        (401, b"{}", "application/json", "/v1/logs", {"Authorization": f"Basic {TOKEN}"}),
        (401, b"{}", "application/json", "/v1/metrics", {"Authorization": "Bearer \xe9"}),
        (403, b"{}", "application/json", "/v1/logs", {"Origin": "https://evil.example"}),
        (403, b"{}", "application/json", "/v1/logs", {"Host": "evil.example:4318"}),
        (404, b"{}", "application/json", "/", {}),
        (413, gzip.compress(bytes(MAX_BODY + 1)), "application/json", "/v1/logs",
         {"Content-Encoding": "gzip"}),
        (415, b"{}", "text/plain", "/v1/logs", {}),
        (415, b"{}", "application/json", "/v1/logs", {"Content-Encoding": "br"}),
    ],
)  # fmt: skip
@pytest.mark.fault("C2")
def test_what_is_refused_is_told_in_a_sentence(
    post: Post, status: int, body: bytes, kind: str, path: str, headers: dict[str, str]
) -> None:
    got, answer, _ = post(body, kind, path, **headers)
    assert got == status
    assert answer.startswith(b"dejavu otlp: ")
    assert post.lines == []
    assert post(json.dumps(BODY).encode())[0] == 200, "the next one is heard"


def test_without_the_extra_protobuf_is_refused_with_the_cure_and_json_works(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dejavu.providers.formats.otlp import export as otlp_export

    body = protobuf(BODY)
    otlp_export._protobuf.cache_clear()
    monkeypatch.setitem(sys.modules, "opentelemetry.proto.collector.logs.v1.logs_service_pb2", None)
    status, answer, _ = post(body, "application/x-protobuf")
    assert (status, extra_hint("otlp").encode() in answer) == (415, True)
    assert post(json.dumps(BODY).encode())[0] == 200
    assert len(post.lines) == 1
    otlp_export._protobuf.cache_clear()


def test_half_a_head_holds_no_connection() -> None:
    receiver = Receiver(lambda *_: None, token=TOKEN, instance="local", workspace=None)
    with served(receiver, idle=1) as port, socket.create_connection(("127.0.0.1", port)) as half:
        half.settimeout(30)
        started = time.monotonic()
        half.sendall(b"POST /v1/logs HTTP/1.1\r\nHost: 127")
        assert half.recv(100) == b""
        assert 0.5 < time.monotonic() - started < 15
