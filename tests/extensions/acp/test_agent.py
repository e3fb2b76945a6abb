"""An agent with a screen, spoken to by the protocol's own library."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dejavu.sessions.session_store import find_all

pytest.importorskip("acp")

CLIENT = Path(__file__).parents[2] / "e2e" / "programs" / "acp_client.py"
AGENT = Path(__file__).parent / "programs" / "typed_agent.py"


@pytest.fixture
def asked(home: Path, tmp_path: Path) -> Any:
    """What an editor hears of some prompts."""

    def ask(*prompts: dict[str, Any], program: str = "") -> dict[str, Any]:
        agent = tmp_path / "claude"
        agent.write_text(f"#!{sys.executable}\n{AGENT.read_text()}")
        agent.chmod(0o755)
        script, folder = tmp_path / "prompts.json", tmp_path / "work"
        folder.mkdir(exist_ok=True)
        script.write_text(json.dumps(prompts))
        command = [
            sys.executable, str(CLIENT), str(folder), str(script),
            sys.executable, "-m", "dejavu.interfaces.cli", "acp", program or str(agent),
        ]  # fmt: skip
        done = subprocess.run(command, stdout=subprocess.PIPE, env=os.environ, timeout=120)
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    return ask


def test_prompts_questions_and_a_cancel(asked: Any) -> None:
    told = asked(
        {"user": "hello"},
        {"user": "run make"},
        {"user": "run rm", "deny": True},
        {"user": "wait", "cancel": 2.0},
        {"user": "bye"},
    )
    turns = [(turn["said"], turn["stop"], len(turn["questions"])) for turn in told["turns"]]
    assert turns == [
        ("You said hello.", "end_turn", 0),
        ("I run it.It was ran.", "end_turn", 1),
        ("I run it.It was refused.", "end_turn", 1),
        ("It was interrupted.", "cancelled", 0),
        ("You said bye.", "end_turn", 0),
    ]
    assert "make" in told["turns"][1]["questions"][0]
    assert len(told["calls"]) == 2
    assert not [view for view in find_all() if view.live]  # it ends with the editor


def test_an_agent_that_ends_is_an_error(asked: Any) -> None:
    first, second = asked({"user": "end"}, {"user": "more"})["turns"]
    assert "has ended" in first["stop"] or first["said"] == "You said end."
    assert "rror" in second["stop"]


def test_an_agent_that_is_not_there(home: Path) -> None:
    command = [sys.executable, "-m", "dejavu.interfaces.cli", "acp", "no-such-agent"]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == 1
    assert done.stdout == b""
    assert b"no-such-agent" in done.stderr


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Yes, and don't ask again", "allow_always"),
        ("No, and tell Claude what to do differently (esc)", "reject_once"),
        ("No, don't run it", "reject_once"),
        ("Deny and don't ask again", "reject_always"),
        ("Don't ask again for this command, just run it", "allow_always"),
        ("Stop asking and run", "allow_once"),
        ("No, never ask again and proceed", "allow_once"),
        ("Cancel nothing, go ahead", "allow_once"),
    ],
)
def test_what_may_run_is_no_refusal(label: str, kind: str) -> None:
    from dejavu.extensions.acp.agent import kind_of

    assert kind_of(label) == kind


@pytest.fixture
def spoken_to(home: Path, tmp_path: Path) -> Any:
    """An agent by the protocol, spoken to line by line."""
    agent = tmp_path / "claude"
    agent.write_text(f"#!{sys.executable}\n{AGENT.read_text()}")
    agent.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-m", "dejavu.interfaces.cli", "acp", str(agent)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=os.environ,
    ) as process:  # fmt: skip
        yield process
        process.communicate(timeout=60)  # the editor goes, and its sessions with it


def _call(process: Any, number: int, method: str, **params: Any) -> dict[str, Any]:
    asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(asked) + "\n")
    process.stdin.flush()
    while True:
        told: dict[str, Any] = json.loads(process.stdout.readline())
        if told.get("id") == number and "method" not in told:
            return told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_editor_that_ends_it_by_a_signal_ends_the_agent(
    spoken_to: Any, tmp_path: Path, number: signal.Signals
) -> None:
    _call(spoken_to, 1, "initialize", protocolVersion=1, clientCapabilities={})
    _call(spoken_to, 2, "session/new", cwd=str(tmp_path), mcpServers=[])
    assert [view for view in find_all() if view.live]
    spoken_to.send_signal(number)
    spoken_to.wait(60)
    assert not [view for view in find_all() if view.live]


def test_an_option_that_was_not_offered_is_an_error_of_its_sender(
    spoken_to: Any, tmp_path: Path
) -> None:
    _call(spoken_to, 1, "initialize", protocolVersion=1, clientCapabilities={})
    session = _call(spoken_to, 2, "session/new", cwd=str(tmp_path), mcpServers=[])["result"]
    prompt = [{"type": "text", "text": "run make"}]
    params = {"sessionId": session["sessionId"], "prompt": prompt}
    asked = {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": params}
    spoken_to.stdin.write(json.dumps(asked) + "\n")
    spoken_to.stdin.flush()
    while (told := json.loads(spoken_to.stdout.readline())).get("id") != 3:
        if told.get("method") == "session/request_permission":
            outcome = {"outcome": "selected", "optionId": "yes please"}
            answer = {"jsonrpc": "2.0", "id": told["id"], "result": {"outcome": outcome}}
            spoken_to.stdin.write(json.dumps(answer) + "\n")
            spoken_to.stdin.flush()
    assert told["error"]["code"] == -32602


def test_a_file_is_no_editor(home: Path, tmp_path: Path) -> None:
    with (tmp_path / "told").open("wb") as told:
        done = subprocess.run(
            [sys.executable, "-m", "dejavu.interfaces.cli", "acp", "sh"],
            stdin=subprocess.DEVNULL, stdout=told, stderr=subprocess.PIPE, timeout=60,
        )  # fmt: skip
    assert (done.returncode, b"stdout is a file" in done.stderr) == (1, True)
