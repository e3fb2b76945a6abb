"""Real agents that speak ACP, driven by the protocol's own library, with the tap between."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.e2e.rigrun import BIN, Run

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

PROGRAMS = Path(__file__).parent / "programs"
CACHE = Path(os.environ.get("RIG_NPM", Path.home() / ".cache" / "agent-clis"))
ADAPTER = "@agentclientprotocol/claude-agent-acp"


class Driven(NamedTuple):
    """What the client saw, what the archive has, and where."""

    told: dict[str, Any]
    shown: dict[str, Any]
    folder: Path
    run: Run


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _adapter() -> list[str]:
    """Claude's adapter from npm, beside the other agents."""
    folder = CACHE / "claude-acp"
    if not folder.is_dir():
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), ADAPTER]
        node = CACHE / "node22/node_modules/node/bin"
        path = f"{node}:{os.environ['PATH']}"
        subprocess.run(command, check=True, timeout=900, env={**os.environ, "PATH": path})
    return [str(folder / "node_modules/.bin/claude-agent-acp")]


@pytest.fixture
def drive(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Driven]:
    pytest.importorskip("acp")
    monkeypatch.setenv("RIG_NPM", str(CACHE))
    monkeypatch.syspath_prepend(str(shared / "rig"))
    import agents  # type: ignore[import-not-found]

    def run(name: str, command: Callable[[Any], list[str]], *, tap: bool = True) -> Driven:
        profile, port = agents.AGENTS[name], _free_port()
        home, work = tmp_path / "home", tmp_path / "work"
        home.mkdir()
        work.mkdir()
        (work / "hello.py").write_text('print("Hello, rig!")\n')
        scenario = (shared / "rig" / "scenarios" / "tools.json").read_text("utf-8")
        turns = json.loads(scenario.replace("@WORK@", str(work)))["turns"]
        wait = [{"text": "Waiting now."}, {"sleep": 30}, {"text": "late"}]
        turns.append({"user": "Wait a while.", "reply": [wait], "cancel": 5 if tap else 8})
        prompts, script = tmp_path / "prompts.json", tmp_path / "script.json"
        asked = [{key: turn.get(key) for key in ("user", "deny", "cancel")} for turn in turns]
        prompts.write_text(json.dumps(asked))
        script.write_text(json.dumps({"turns": turns}))
        fake = [sys.executable, str(shared / "rig/fakemodel.py"), str(script), "--port", str(port)]
        server = subprocess.Popen([*fake, "--log", str(tmp_path / "log")])
        profile.setup(home, port, work)
        environment = {
            "HOME": str(home), "PATH": f"{agents.NODE}:/usr/bin:/bin", "LANG": "C.UTF-8",
            **{key: value for key, value in profile.env(port).items() if "OTEL" not in key},
        }  # fmt: skip
        tee = [sys.executable, str(PROGRAMS / "tee_stdio.py")]
        ours = [str(BIN / "dejavu"), "acp", *(["--tap"] if tap else []), "--agent", name]
        inner = ["--", *tee, str(tmp_path / "agent")] if tap else []
        editor = [*tee, str(tmp_path / "editor"), *ours, *inner]
        client = [sys.executable, str(PROGRAMS / "acp_client.py"), str(work), str(prompts)]
        try:
            done = subprocess.run(
                [*client, *editor, *command(profile)],
                env=environment, stdout=subprocess.PIPE, check=True, timeout=300,
            )  # fmt: skip
        finally:
            server.kill()
            server.wait()
        monkeypatch.setenv("HOME", str(home))
        found = Run(tmp_path, home / ".local/share/dejavu", home / ".local/state/dejavu")
        told = json.loads(done.stdout)
        if not tap:
            return Driven(told, {}, tmp_path, found)
        for _ in range(100):  # the observer writes a little later
            heads = [
                one
                for one in found.dejavu("list")["conversations"]
                if one["native_id"] == told["session"]
            ]
            shown = found.dejavu("show", heads[0]["id"]) if heads else {"turns": []}
            if shown["turns"] and shown["turns"][-1]["role"] == "assistant":
                break
            time.sleep(0.2)
        return Driven(told, shown, tmp_path, found)

    return run


def words(shown: dict[str, Any], role: str) -> list[str]:
    return [
        part["content"]
        for turn in shown["turns"]
        if turn["role"] == role
        for part in turn["parts"]
        if part["type"] == "text"
    ]


def calls_of(shown: dict[str, Any]) -> list[str]:
    """Prompts, and the ids of the calls that each led to, in their order."""
    return [
        part["content"] if turn["role"] == "user" else part["id"]
        for turn in shown["turns"]
        for part in turn["parts"]
        if (turn["role"] == "user" and part["type"] == "text") or part["type"] == "tool_call"
    ]


@pytest.mark.parametrize("name", ["gemini", "claude"])
def test_every_turn_is_kept_once_and_nothing_is_changed(
    drive: Callable[..., Driven], name: str
) -> None:
    def command(profile: Any) -> list[str]:
        return _adapter() if name == "claude" else [*profile.argv(0, ""), "--acp"]

    told, shown, folder, run = drive(name, command)
    for direction in ("in", "out"):
        ours = (folder / f"agent.{direction}").read_bytes()
        assert ours
        assert (folder / f"editor.{direction}").read_bytes() == ours
    assert shown["vectors"] == ["stream"]
    assert words(shown, "user") == [turn["user"] for turn in told["turns"]]
    assert "".join(words(shown, "assistant")) == "".join(turn["said"] for turn in told["turns"])
    parts = [part for turn in shown["turns"] for part in turn["parts"]]
    calls = [part["id"] for part in parts if part["type"] == "tool_call"]
    assert len(calls) == len({*calls})
    assert {*told["calls"]} <= {*calls}
    questions = [part for part in parts if part["type"] == f"x.{name}.permission"]
    assert len(questions) == sum(len(turn["questions"]) for turn in told["turns"])
    assert all(part["outcome"] == "selected" for part in questions)
    assert shown["turns"][-1]["parts"] == [{"type": "text", "content": "Waiting now."}]
    run.dejavu("sync")  # the agent's own file of it: the same conversation, each prompt once
    heads = [
        one for one in run.dejavu("list")["conversations"] if one["native_id"] == told["session"]
    ]
    merged = run.dejavu("show", heads[0]["id"])
    assert merged["vectors"][:2] == ["native", "stream"]
    assert words(merged, "user") == words(shown, "user")
    assert calls_of(merged) == calls_of(shown)


@pytest.mark.parametrize("name", ["claude", "codex", "opencode"])
def test_an_agent_with_a_screen_is_driven_by_the_protocol(
    drive: Callable[..., Driven], name: str
) -> None:
    told, _, _, _ = drive(name, lambda profile: list(profile.argv(0, "")), tap=False)
    said = [(turn["said"], turn["stop"]) for turn in told["turns"]]
    assert said[0] == ("`hello.py` prints `Hello, rig!`.", "end_turn")
    assert said[1][0].endswith("Wrote `notes.md` with two lines.")
    assert said[2][0].startswith("This will remove the folder.")
    assert told["turns"][2]["questions"]
    assert said[3] == ("It worked at the third try.", "end_turn")
    assert said[4][0].startswith("First command.Second command.Both ran")
    assert said[5][1] == "cancelled"
    assert len(told["calls"]) >= 4
