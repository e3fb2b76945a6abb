import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.archive import Archive
from dejavu.model import Vector

pytest.importorskip("uvicorn", reason="needs the extra otlp")
pytest.importorskip("starlette", reason="needs the extra otlp")

EXPORT = {
    "resourceLogs": [
        {
            "resource": {
                "attributes": [{"key": "service.name", "value": {"stringValue": "claude-code"}}]
            },
            "scopeLogs": [
                {
                    "logRecords": [
                        {
                            "timeUnixNano": "1000000000000000000",
                            "attributes": [
                                {"key": key, "value": {"stringValue": value}}
                                for key, value in (
                                    ("event.name", "user_prompt"),
                                    ("prompt", "Why?"),
                                    ("session.id", "s-1"),
                                )
                            ],
                        }
                    ]
                }
            ],
        }
    ]
}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_receives_until_it_is_ended_and_archives(home: Path, number: signal.Signals) -> None:
    receiver = subprocess.Popen(
        [sys.executable, "-m", "dejavu.interfaces.cli", "otlp", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
    )
    assert receiver.stdout is not None
    told = json.loads(receiver.stdout.readline())
    settings = told["settings"]["claude"]
    name, _, value = settings["OTEL_EXPORTER_OTLP_HEADERS"].partition("=")
    address = settings["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/logs"
    kind = {"Content-Type": "application/json"}
    bare = urllib.request.Request(address, json.dumps(EXPORT).encode(), kind)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(bare)
    kind[name] = urllib.parse.unquote(value)  # as exporters do
    request = urllib.request.Request(address, json.dumps(EXPORT).encode(), kind)
    with urllib.request.urlopen(request) as answer:
        assert answer.read() == b"{}"
    receiver.send_signal(number)
    _, said = receiver.communicate(timeout=60)
    assert receiver.returncode == 0, said
    assert b"1 exports were refused: without the token" in said
    assert b"1 export, 1 conversation" in said
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        (head,) = archive.scan()
        assert (head.native_id, head.vectors) == ("s-1", (Vector.OTLP,))


def test_a_port_that_is_taken(dejavu: Callable[..., Result]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        result = dejavu("otlp", "--port", str(other.getsockname()[1]))
    assert (result.code, "--port 0" in result.err) == (1, True)
