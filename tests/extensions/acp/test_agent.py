"""An agent with a screen, spoken to by the protocol's own library."""

import json
import os
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
