"""A member of a team with rights archives into a workspace that the archive has never seen, every way.

A real server, rights on, a login that is a writer: `sync`, `sync --watch`, `ingest`, the spool, and a
wrapped agent's observer.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.drills.test_teams import SESSION, Member
from tests.ingest.test_stream import STREAM
from tests.postgres import Server

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_team import Team
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.spool import save_lines
from dejavu.model import Vector

pytestmark = pytest.mark.fault("C5")

AGENT = f"""#!{sys.executable}
import json, os, pathlib, sys
if "--version" in sys.argv:
    sys.exit(print("2.1.0 (Claude Code)"))
folder = pathlib.Path.home() / ".claude" / "projects" / "-work"
folder.mkdir(parents=True, exist_ok=True)
line = {{
    "type": "user", "uuid": "1", "sessionId": "{SESSION}", "cwd": os.getcwd(),
    "timestamp": "2026-01-02T03:04:05Z", "version": "2.1.0",
    "message": {{"role": "user", "content": "what a wrapped agent was asked"}},
}}
(folder / "{SESSION}.jsonl").write_text(json.dumps(line) + "\\n")
"""


@pytest.fixture
def join(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Member]]:
    """`join(right)` makes a login with that right; the archive holds nothing yet."""
    url = server.url(schema=server.new_schema())
    schema = url.rpartition("%3D")[2]
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "keeper"))
    Archive.open(url).close()
    team = Team(url)
    team.init()
    logins: list[str] = []

    def joined(right: str) -> Member:
        login = f"{right}_{schema}"
        team.invite(login, right, None, None)
        logins.append(login)
        return Member(tmp_path / login, url.replace("//keeper@", f"//{login}@"))

    yield joined
    team.close()
    for login in logins:
        server.run(f"drop owned by {login}; drop role {login}")


def listed(member: Member) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(member.run("list", "--json"))["conversations"]
    return found


def test_by_sync(join: Callable[[str], Member]) -> None:
    ann = join("writer")
    ann.talk("how does the walrus sleep?")
    ann.run("sync")
    ann.run("sync")
    [one] = listed(ann)
    assert (one["workspace"], one["turn_count"]) == ("/work", 1)
    assert one["instance"].startswith(f"{ann.home.name}@")


def test_by_sync_that_watches(join: Callable[[str], Member]) -> None:
    ann = join("writer")
    ann.talk("and the penguin?")
    watching = ann.start("sync", "--watch")
    try:
        deadline = time.monotonic() + 90
        while not (found := listed(ann)) and time.monotonic() < deadline:
            assert watching.poll() is None, watching.communicate()
            time.sleep(0.5)
    finally:
        watching.send_signal(signal.SIGTERM)
        watching.communicate(timeout=60)
    assert [one["turn_count"] for one in found] == [1]


def piped(member: Member, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", *arguments], input=STREAM,
        env=member._backend, capture_output=True, check=False, timeout=120,
    )  # fmt: skip


def test_by_a_stream(join: Callable[[str], Member]) -> None:
    ann = join("writer")
    done = piped(ann, "ingest", "--agent", "claude", "--workspace", "/never/seen")
    assert done.returncode == 0, done.stderr
    assert [one["workspace"] for one in listed(ann)] == ["/never/seen"]


def test_a_stream_that_is_refused_is_kept_and_archived_later(
    join: Callable[[str], Member],
) -> None:
    """A reader may not archive; given the right, the next sync does."""
    bob = join("reader")
    arguments = ("ingest", "--agent", "claude", "--workspace", "/never/seen", "--prompt", "why?")
    done = piped(bob, *arguments)
    assert done.returncode == 4
    assert b"is kept in" in done.stderr
    away = Member(bob.home.parent / "away", "postgresql://ann@127.0.0.1:1/x")
    assert piped(away, *arguments).returncode == 4
    assert list(away.home.rglob("*.at0.jsonl"))
    assert listed(bob) == []
    team = Team(bob._backend["DEJAVU_ARCHIVE"].replace(f"//{bob.home.name}@", "//keeper@"))
    team.grant(bob.home.name, "writer", None)
    team.close()
    bob.run("sync")
    [one] = listed(bob)
    assert one["workspace"] == "/never/seen"
    assert "why?" in bob.run("show", one["id"])
    assert list(bob.home.rglob("*.at0.jsonl")) == []
    before = one["turn_count"]
    assert piped(bob, *arguments).returncode == 0  # the same bytes are the same source
    assert [one["turn_count"] for one in listed(bob)] == [before]


def test_by_the_spool(join: Callable[[str], Member]) -> None:
    ann = join("writer")
    source = pushed_source("claude", "stream:x", f"{ann.home.name}@box", workspace="/never/seen")
    spool = ann.home / ".local" / "state" / "dejavu" / "gateway"
    save_lines(spool, Channel(Vector.STREAM, source), STREAM.splitlines(keepends=True))
    ann.run("sync")
    assert [one["workspace"] for one in listed(ann)] == ["/never/seen"]
    assert list(spool.glob("*.jsonl")) == []


def test_by_the_observer_of_a_wrapped_agent(join: Callable[[str], Member]) -> None:
    ann = join("writer")
    agent = ann.home / "bin" / "claude"
    agent.parent.mkdir()
    agent.write_text(AGENT)
    agent.chmod(0o755)
    place = ann.home / "place"
    place.mkdir()
    path = f"{agent.parent}{os.pathsep}{ann._backend['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.run", "claude"], cwd=place, check=False, timeout=120,
        env={**ann._backend, "PATH": path, "DEJAVU_WARM_OBSERVER": "off"},
        stdin=subprocess.DEVNULL, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    deadline = time.monotonic() + 90
    while not (found := listed(ann)) and time.monotonic() < deadline:
        time.sleep(0.5)
    assert [(one["workspace"], one["turn_count"]) for one in found] == [(str(place), 1)]
