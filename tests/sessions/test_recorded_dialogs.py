"""Recorded dialogs, drawn in a real terminal under the real wrapper, answered by every way there is.

Each is drawn with the choice that allows highlighted, which is what Enter takes. What a person refused
must never run, and nothing is entered where how to answer was not read.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.factories.dialogs import PROGRAM, Dialog, drawn, plain, recorded, shown_blocked, taken

from dejavu.sessions.answer import answer
from dejavu.sessions.send_input import InputRefusedError

READ = {
    "copilot/copilot-1.0.82-120x40-02-blocked.txt": ("No, and", "Yes"),
    "copilot/copilot-1.0.82-120x40-03-blocked.txt": ("No, and", "Yes"),
    "codex/codex-0.160.1-120x40-01-blocked.txt": ("No, and", "Yes, proceed"),
    "cline/cline-tour-120x40-06-blocked.txt": ("Deny", "Approve"),
    "opencode/opencode-1.17.11-120x40-01-blocked.txt": ("Reject", "Allow once"),
    "opencode/opencode-tools-120x40-29-blocked.txt": ("Reject", "Allow once"),
}
UNREAD = (
    "opencode/opencode-1.17.11-120x40-03-blocked.txt",
    "opencode/opencode-tools-120x40-17-blocked.txt",
)
"""Drawn without a highlight: which choice Enter takes is not to be seen."""


def blocked(dialog: Dialog, folder: Path, screen: str) -> Any:
    return drawn(dialog, folder, screen.partition("/")[0], "120x40")


def command_line(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", *words],
        env=os.environ, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.fault("A1")
@pytest.mark.fault("A2")
@pytest.mark.parametrize("screen", READ)
def test_a_refusal_is_what_the_agent_takes(home: Path, tmp_path: Path, screen: str) -> None:
    refuses, allows = READ[screen]
    with blocked(recorded(screen), tmp_path, screen) as started:
        view = shown_blocked(started, refuses)
        assert view is not None
        done = command_line("answer", view.label, refuses)
        assert done.returncode == 0, done.stderr
        assert taken(tmp_path)[0].startswith(refuses)
        assert len(taken(tmp_path)) == 1
    (tmp_path / "log").unlink()
    with blocked(recorded(screen), tmp_path, screen) as started:
        view = shown_blocked(started, refuses)
        assert view is not None
        assert answer(view, "1").startswith(allows)
        assert taken(tmp_path)[0].startswith(allows)


@pytest.mark.fault("A1")
@pytest.mark.parametrize("screen", UNREAD)
def test_nothing_is_entered_where_the_choices_were_not_read(
    home: Path, tmp_path: Path, screen: str
) -> None:
    with blocked(plain(recorded(screen)), tmp_path, screen) as started:
        view = shown_blocked(started, "Permission required")
        assert view is not None
        for wanted in ("Reject", "1", "3", "No", "Allow once", "y"):
            done = command_line("answer", view.label, wanted)
            assert done.returncode == 1
            assert "was not read; nothing was entered" in done.stderr
            assert "enter confirm" in done.stderr, "it says which keys the dialog takes"
            assert f"dejavu attach {view.label}" in done.stderr
        assert taken(tmp_path) == []


@pytest.mark.fault("A1")
def test_an_editor_is_told_the_keys_and_no_key_is_pressed(home: Path, tmp_path: Path) -> None:
    pytest.importorskip("acp")
    dialog = plain(recorded(UNREAD[0]))
    program, spec = tmp_path / "opencode", tmp_path / "dialog.json"
    program.write_text(f"#!{sys.executable}\n{PROGRAM}")
    program.chmod(0o755)
    dialog.write(spec)
    prompts = tmp_path / "prompts.json"
    prompts.write_text(json.dumps([{"user": "hello"}, {"user": "no", "deny": True}]))
    client = Path(__file__).parents[1] / "e2e" / "programs" / "acp_client.py"
    done = subprocess.run(
        [sys.executable, str(client), str(tmp_path), str(prompts), sys.executable, "-m",
         "dejavu.interfaces.cli", "acp", str(program), str(spec), str(tmp_path / "log")],
        stdout=subprocess.PIPE, env=os.environ, timeout=120, check=True,
    )  # fmt: skip
    for turn in json.loads(done.stdout)["turns"]:
        assert turn["questions"] == []
        assert "rror" in turn["stop"]
    assert taken(tmp_path) == []


@pytest.mark.fault("A1")
def test_a_highlight_that_was_not_seen_to_move_gets_no_enter(home: Path, tmp_path: Path) -> None:
    rows = ["Run this command?", " > Keep it", "   Remove it", "", " ←/→ choose, Enter to confirm"]
    dialog = Dialog(["Remove it", "Keep it"], [rows, rows], "CD")
    with drawn(dialog, tmp_path, "unknown-agent", "80x24") as started:
        view = shown_blocked(started, "Keep it")
        assert view is not None
        for wanted in ("Keep it", "Remove it"):
            with pytest.raises(InputRefusedError, match="did not go"):
                answer(view, wanted)
        assert taken(tmp_path) == []
