"""The tap in front of a scripted agent, as processes: nothing changes, and every turn is kept once."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from dejavu.archive.access import open_archive
from dejavu.ingest.reparse import reparse
from dejavu.model import DejavuError, Turn, Vector

AGENT = [sys.executable, str(Path(__file__).parent / "programs" / "scripted_agent.py")]
TAP = [sys.executable, "-m", "dejavu.interfaces.cli", "acp", "--tap"]


class Editor:
    """Asks one thing after the other, and keeps its own side of the traffic."""

    def __init__(self, command: list[str], **environment: str) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, **environment},
        )  # fmt: skip
        self.sent, self.got = b"", b""
        self._number = 0
        self.request("initialize", protocolVersion=1)

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.sent += data
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask, allow what is asked meanwhile, and return the answer; {} where none comes."""
        assert self.process.stdout is not None
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        for line in self.process.stdout:
            self.got += line
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            if message.get("method") == "session/request_permission":
                outcome = {"outcome": "selected", "optionId": "yes"}
                self.send(id=message["id"], result={"outcome": outcome})
            elif message.get("id") == self._number:
                result: dict[str, Any] = message.get("result", {})
                return result
        return {}

    def new(self, folder: str) -> str:
        return str(self.request("session/new", cwd=folder, mcpServers=[])["sessionId"])

    def prompt(self, session: str, words: str) -> None:
        self.request("session/prompt", sessionId=session, prompt=[{"type": "text", "text": words}])

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.got += self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(30)


@pytest.fixture
def editor(home: Path) -> Iterator[Callable[..., Editor]]:
    started: list[Editor] = []

    def start(*words: str, command: list[str] | None = None, **environment: str) -> Editor:
        started.append(Editor(command or [*TAP, *words, "--", *AGENT], **environment))
        return started[-1]

    yield start
    for one in started:
        with suppress(OSError):
            one.process.kill()
        one.process.wait()
        for pipe in (one.process.stdin, one.process.stdout):
            with suppress(OSError, AttributeError):
                pipe.close()  # type: ignore[union-attr]


def conversations(count: int, turns: int) -> dict[str, tuple[Turn, ...]]:
    """The archive's turns by session, once there are so many; the observer writes a little later."""
    found: dict[str, tuple[Turn, ...]] = {}
    for _ in range(200):
        with suppress(DejavuError), open_archive() as archive:
            heads = list(archive.scan())
            found = {head.native_id: archive.get(head.id).turns for head in heads}
        if len(found) >= count and sum(map(len, found.values())) >= turns:
            return found
        time.sleep(0.1)
    return found


def plain(turns: tuple[Turn, ...]) -> list[str]:
    return [f"{turn.role}: {turn.text[:40]}" for turn in turns]


ASKED = ["user: {}", "assistant: You said: {}", "system: ls: Allow", "tool: ", "assistant: Done."]


def exchange(words: str) -> list[str]:
    return [line.format(words) for line in ASKED]


def test_nothing_changes_and_every_turn_is_kept_once(
    editor: Callable[..., Editor], tmp_path: Path
) -> None:
    one = editor("--agent", "gemini", OWN=str(tmp_path / "own"))
    first, second = one.new("/w/one"), one.new("/w/two")
    one.prompt(first, "hello")
    one.prompt(second, "grüße\u2028 \U0001f600")
    one.prompt(first, "noise")
    one.write(b"{ no json\n\n\xff\n")
    one.request("session/load", sessionId=first, cwd="/w/one")
    one.prompt(first, "bye")
    assert one.close() == 0
    assert (tmp_path / "own.in").read_bytes() == one.sent
    assert (tmp_path / "own.out").read_bytes() == one.got
    found = conversations(2, 20)
    assert plain(found[first]) == exchange("hello") + exchange("noise") + exchange("bye")
    assert plain(found[second]) == exchange("grüße\u2028 \U0001f600")
    assert {turn.vector for turns in found.values() for turn in turns} == {Vector.STREAM}
    with open_archive(write=True) as archive:
        assert {head.workspace for head in archive.scan()} == {"/w/one", "/w/two"}
        assert {(head.agent, head.agent_version) for head in archive.scan()} == {("gemini", "1.2")}
        (key,) = {key for head in archive.scan() for key in archive.sources.of(head.id)}
        raw = b"".join(archive.sources.raw(key))
        kept = [json.loads(line) for line in raw.splitlines()]
        assert [row["text"] for row in kept if "text" in row] == ["debug: not json", "{ no json"]
        assert not reparse(archive).changed
        assert archive.maintenance.verify().clean


def test_a_session_that_goes_on_in_another_run_is_one_conversation(
    editor: Callable[..., Editor],
) -> None:
    one = editor()
    session = one.new("/w")
    one.prompt(session, "hello")
    one.close()
    conversations(1, 5)
    two = editor()
    two.request("session/load", sessionId=session, cwd="/w")  # with what it was before
    two.prompt(session, "more")
    two.close()
    found = conversations(1, 12)
    earlier = ["user: earlier", "assistant: You said: earlier"]
    assert plain(found[session]) == earlier + exchange("hello") + exchange("more")


def test_a_line_of_ten_megabytes_passes_and_is_kept(editor: Callable[..., Editor]) -> None:
    one = editor()
    session = one.new("/w")
    one.prompt(session, "y" * 5_000_000)
    one.prompt(session, "big 10000000")
    one.close()
    turns = conversations(1, 10)[session]
    assert len(turns[0].text) == 5_000_000
    assert len(turns[6].text) == 10_000_000 + len("You said: big 10000000")


@pytest.mark.parametrize("words", ["die", "hello"])
def test_it_ends_as_the_agent_ends(editor: Callable[..., Editor], words: str) -> None:
    one = editor()
    session = one.new("/w")
    one.prompt(session, words)
    if words == "hello":
        time.sleep(0.5)  # what passes goes to the editor first, and to the observer behind it
        one.process.kill()
        one.process.wait()
        assert len(conversations(1, 5)[session]) == 5
    else:
        assert one.close() == 7
        assert plain(conversations(1, 1)[session]) == ["user: die"]


def test_where_nothing_can_be_kept_the_agent_runs(
    editor: Callable[..., Editor], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    one = editor(
        DEJAVU_STATE_HOME=str(tmp_path / "file/state"), DEJAVU_DATA_HOME=str(tmp_path / "file/data")
    )
    session = one.new("/w")
    one.prompt(session, "hello")
    assert one.close() == 0
    assert b"You said" in one.got


def test_a_program_that_is_not_there_is_127(home: Path) -> None:
    done = subprocess.run([*TAP, "--", "no-such-agent"], capture_output=True, timeout=60)
    assert done.returncode == 127
    assert b"no-such-agent" in done.stderr
    killed = subprocess.run([*TAP, "--", "sh", "-c", "kill -9 $$"], timeout=60, stdin=-3)
    assert killed.returncode == -9


@pytest.mark.parametrize("words", [["--tap"], ["--tap", "--agent"], ["--tap", "--size", "x"]])
def test_wrong_use_says_how(home: Path, words: list[str]) -> None:
    command = [*TAP[:-1], *words]
    done = subprocess.run(command, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert b"usage: dejavu acp" in done.stderr
