"""The tap between an editor and an agent of ACP version 2, both written with the protocol's own library.

npm install --prefix FOLDER @agentclientprotocol/sdk@2.4.0     then ACP_SDK=FOLDER
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.extensions.acp.test_tap import conversations, plain

from dejavu.archive.access import open_archive
from dejavu.ingest.reparse import reparse
from dejavu.model import ToolCallResponse

PROGRAM = Path(__file__).parent / "programs" / "pond_v2.mjs"
SDK = Path(os.environ.get("ACP_SDK", str(Path.home() / ".cache" / "agent-clis" / "acp-sdk")))
LIBRARY = (
    SDK / "node_modules" / "@agentclientprotocol" / "sdk" / "dist" / "v2" / "stable" / "acp.js"
)
EXCHANGE = ["assistant: Now look.", "system: Run ls?: Allow", "tool: ", "assistant: Two frogs."]


def _node() -> str:
    node = shutil.which("node")
    if node is None or not LIBRARY.exists():
        pytest.skip(f"needs node, and @agentclientprotocol/sdk in {SDK} ($ACP_SDK)")
    return node


def test_turns_of_version_2_are_kept_once(home: Path) -> None:
    node = _node()
    agent = [node, str(PROGRAM), "agent", LIBRARY.as_uri()]
    tap = [sys.executable, "-m", "dejavu.interfaces.cli", "acp", "--tap", "--agent", "gemini", "--"]
    done = subprocess.run(
        [node, str(PROGRAM), "editor", LIBRARY.as_uri(), *tap, *agent],
        cwd=home, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout == "version 2\n"
    found = conversations(1, 10)
    expected = ["user: Count the frogs.", *EXCHANGE, "user: Once more.", *EXCHANGE]
    assert plain(found["s"]) == expected  # what a resumed session replays was known
    results = [p for turn in found["s"] for p in turn.parts if isinstance(p, ToolCallResponse)]
    assert [one.response for one in results] == ["one\ntwo frogs\n"] * 2
    with open_archive(write=True) as archive:
        assert {head.agent_version for head in archive.scan()} == {"3.1"}
        assert not reparse(archive).changed


def test_an_agent_in_a_terminal_offers_version_1_to_an_editor_of_version_2(home: Path) -> None:
    params = {"protocolVersion": 2, "info": {"name": "editor", "version": "1"}, "capabilities": {}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", "acp", "sh"],
        input=json.dumps(asked) + "\n", cwd=home, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    answer = json.loads(done.stdout.splitlines()[0])
    assert answer["result"]["protocolVersion"] == 1
