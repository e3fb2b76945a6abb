"""The code graph: read from files, or asked of a database that speaks Neo4j's HTTP Query API."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.recall.conftest import ASSISTANT, ToolCall, Turn, session

from dejavu.archive import Archive
from dejavu.model import ConfigError
from dejavu.recall import Neo4j, Recall, SearchHelpers
from dejavu.recall.history.code_graph import Imports, imported


def test_what_cannot_be_read_has_no_edges(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "out.py").write_text("import app")
    (tmp_path / "w" / "bad.py").write_text("import (")
    for path in ("../out.py", "missing.py", "bad.py", "."):
        assert imported(tmp_path / "w", path) == []
    assert Imports().neighbours(str(tmp_path), ["a.rs"]) == []


@contextmanager
def database(status: int, body: bytes) -> Iterator[tuple[str, list[Any]]]:
    """A server of the shape that Neo4j documents; what it was asked."""
    seen: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            sent = json.loads(self.rfile.read(length))
            seen.append((self.path, self.headers["Authorization"], sent))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_neighbours_come_from_the_database(archive: Archive) -> None:
    turn = Turn(role=ASSISTANT, parts=(ToolCall("1", "Edit", {"file_path": "app/ledger.py"}),))
    archive.put(session("a", turn))
    said = {"data": {"fields": ["b.path"], "values": [["app/ledger.py"], [None], [7]]}}
    with database(202, json.dumps(said).encode()) as (place, seen):
        graph = Neo4j(f"http://me:p%40ss@{place}/code")
        assert graph.neighbours("/w", ["app/main.rs"]) == ["app/ledger.py"]
        assert graph.neighbours("/w", []) == []
        recall = Recall(archive, tiers=["graph"], aids=SearchHelpers(graph=graph))
        (hit,) = recall.search("what about app/main.rs", workspace="/w", floor=0.0)
        assert hit.tiers == ("graph",)
    path, word, sent = seen[0]
    assert path == "/db/code/query/v2"
    assert base64.b64decode(word.split()[1]) == b"me:p@ss"
    assert sent["parameters"] == {"paths": ["app/main.rs"]}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, b"{}"),
        (202, b"no json"),
        (202, b'{"errors": []}'),
        (202, b'{"data": {"values": [[]]}}'),
    ],
)
def test_a_database_that_does_not_answer_knows_nothing(status: int, body: bytes) -> None:
    with database(status, body) as (place, _):
        assert Neo4j(f"http://{place}").neighbours("/w", ["a.py"]) == []
    assert Neo4j("http://127.0.0.1:9").neighbours("/w", ["a.py"]) == []


def test_another_address_is_refused() -> None:
    for url in ("bolt://host:7687", "file:///etc/passwd", "host", "http://h/a/b"):
        with pytest.raises(ConfigError, match="neo4j"):
            Neo4j(url)
