"""`dejavu wire` as a person runs it: its own process, an agent of ours, a server of ours."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.factories.wire import ASKED, KEY, SSE, Model

from dejavu.archive import Archive
from dejavu.extensions.wire import launch
from dejavu.model import ConfigError, Role, Vector

AGENT = """\
#!{python}
import json, os, sys, urllib.request
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
headers = {{"X-Api-Key": os.environ["ANTHROPIC_API_KEY"], "X-Claude-Code-Session-Id": "s-1"}}
for _ in range(int(sys.argv[1])):
    request = urllib.request.Request(url, {body!r}, headers)
    sys.stdout.write(urllib.request.urlopen(request).read().decode())
sys.exit(7)
"""


@pytest.fixture
def agent(home: Path) -> Path:
    path = home / "claude"
    tools = [{"name": "Bash", "input_schema": {}}]
    body = json.dumps({**ASKED, "tools": tools}).encode()
    path.write_text(AGENT.format(python=sys.executable, body=body))
    path.chmod(0o700)
    return path


def _wire(agent: Path, *words: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", "wire", "--", str(agent), *words],
        env={**os.environ, "ANTHROPIC_API_KEY": KEY, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _files_with(folder: Path, needle: bytes) -> list[Any]:
    return [path for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()]


def test_an_agent_runs_as_ever_and_what_passed_is_archived(
    home: Path, agent: Path, model: Model
) -> None:
    done = _wire(agent, "2", ANTHROPIC_BASE_URL=model.url)
    assert (done.returncode, done.stdout) == (7, b"".join(SSE).decode() * 2)
    assert [head["x-api-key"] for _, head in model.heads] == [KEY, KEY]
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        (head,) = archive.scan(agent="claude")
        turns = [(turn.role, turn.text) for turn in archive.turns(head.id)]
        raw = b"".join(b"".join(archive.sources.raw(key)) for key in archive.sources.of(head.id))
    assert (head.native_id, head.vectors) == ("s-1", (Vector.WIRE,))
    assert (Role.USER, "Why is the sky blue?") in turns
    assert (Role.ASSISTANT, "Rayleigh scattering.") in turns
    assert raw.count(b"\n") == 2
    assert KEY.encode() not in raw
    assert _files_with(home, KEY.encode()) == []


def test_an_agent_without_traffic_is_remarked_upon(home: Path, agent: Path, model: Model) -> None:
    done = _wire(agent, "0", ANTHROPIC_BASE_URL=model.url)
    assert (done.returncode, "no exchange with a model passed" in done.stderr) == (7, True)


def test_inside_another_wrapper_the_proxy_outlives_its_parent(
    home: Path, agent: Path, model: Model
) -> None:
    done = _wire(agent, "1", ANTHROPIC_BASE_URL=model.url, DEJAVU_SESSION="outer")
    assert (done.returncode, done.stdout) == (7, b"".join(SSE).decode())


def test_an_unreachable_server_is_the_agents_to_hear(home: Path, agent: Path) -> None:
    done = _wire(agent, "1", ANTHROPIC_BASE_URL="http://127.0.0.1:9")
    assert (done.returncode, "502" in done.stderr) == (1, True)


def test_a_bad_url_stops_before_anything_is_started(home: Path) -> None:
    with pytest.raises(ConfigError, match="ftp"):
        launch.wire(["claude"], lambda words: len(words), server="ftp://x")
