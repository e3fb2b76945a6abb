"""Which sessions have a server that is followed, and that it ends with them."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.factories.sessions import header
from tests.factories.waiting import until

from dejavu.archive import Archive
from dejavu.config.files import read_json
from dejavu.model import Vector
from dejavu.sessions.observer.session_log_follower import ServerFollower, port_of
from dejavu.sessions.session_store import sessions_folder


@pytest.mark.parametrize(
    ("words", "port"),
    [("opencode --port 4096", 4096), ("opencode serve --port=5000", 5000), ("opencode", 0),
     ("opencode --port", 0), ("opencode --port 0", 0), ("opencode --port x", 0),
     ("opencode --port 70000", 0), ("opencode --port 1 --port 2", 2)],
)  # fmt: skip
def test_the_port_a_command_line_names(words: str, port: int) -> None:
    assert port_of(words.split()) == port


@pytest.mark.parametrize("argv", [["opencode"], ["claude", "--port", "4096"]])
def test_other_sessions_have_none(argv: list[str]) -> None:
    follower = ServerFollower(header(argv[0], *argv))
    assert not follower.runs
    follower.end()


def test_what_the_server_says_is_kept_and_is_evidence(home: Path) -> None:
    folder = sessions_folder() / "s"
    folder.mkdir(parents=True)
    (folder / "session.json").write_text(json.dumps(_SESSION))
    over = threading.Event()

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for told in _TOLD:
                self.wfile.write(f"data: {json.dumps(told)}\n\n".encode())
            over.wait(60)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        argv = ["opencode", "--port", str(server.server_address[1])]
        follower = ServerFollower(header("opencode", *argv, id="s"))
        assert follower.runs
        until(lambda: read_json(folder / "structured.json").get("state") == "blocked")
        follower.end()
        over.set()
        server.shutdown()
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        (head,) = archive.scan()
        said = [(turn.text, turn.vector) for turn in archive.get(head.id).turns]
    assert said == [("Hi", Vector.STREAM)]


_SESSION = {
    "id": "s", "agent": "opencode", "argv": [], "workspace": "/w", "instance": "local", "name": "s",
    "wrapper_pid": 1, "wrapper_started": 1, "started_at": 1.0, "screen": False,
}  # fmt: skip
_ASKED = {"id": "p1", "messageID": "m1", "sessionID": "ses_1", "type": "text", "text": "Hi"}
_INFO = {"id": "m1", "role": "user", "sessionID": "ses_1"}
_TOLD = [
    {"type": "message.updated", "properties": {"sessionID": "ses_1", "info": _INFO}},
    {"type": "message.part.updated", "properties": {"sessionID": "ses_1", "part": _ASKED}},
    {"type": "permission.asked", "properties": {"sessionID": "ses_1"}},
]
