"""The launcher, run as agents run it."""

import subprocess
from pathlib import Path

import pytest

from dejavu.archive.access import open_archive
from dejavu.integrations import launcher
from dejavu.interfaces.hooks import capture
from dejavu.model import Conversation, Role, Text, Turn
from dejavu.services.daemon import instance_lock as single
from dejavu.services.daemon.spool import Spool


def test_it_keeps_a_payload_without_the_environment_it_was_made_in(state: Path, home: Path) -> None:
    assert launcher.write()
    assert not launcher.write()
    assert launcher.launcher().stat().st_mode & 0o777 == 0o700
    done = subprocess.run(
        launcher.hook_command("capture", "codex"),
        shell=True,
        input=b'{"session_id":"s","hook_event_name":"SessionStart"}',
        capture_output=True,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert single.stop(30)
    assert not Spool(Path(capture.folder()))
    assert (home.parent / "state" / "hooks" / "lock").exists()


def test_a_prompt_is_answered_without_a_daemon(state: Path, home: Path) -> None:
    turn = Turn(role=Role.ASSISTANT, parts=(Text("The zebra_crossing palette is ochre."),), at=1.0)
    head = Conversation(id="c-1", agent="amp", native_id="1", workspace="/w").with_turns((turn,))
    with open_archive(write=True) as archive:
        archive.put(head)
    launcher.write()
    done = subprocess.run(
        launcher.hook_command("inject", "claude"),
        shell=True,
        input=b'{"session_id":"s","cwd":"/w","prompt":"which palette has the zebra_crossing?"}',
        capture_output=True,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "DEJAVU_HOOK_LIMIT": "30"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"ochre" in done.stdout


def test_it_does_nothing_where_its_python_is_gone(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    launcher.write()
    done = subprocess.run([launcher.launcher(), "hook", "capture"], input=b"{}", timeout=30)
    assert done.returncode == 0


def test_commands_are_known_wherever_their_launcher_was(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert launcher.is_ours(launcher.hook_command("capture", "claude"))
    monkeypatch.setenv("DEJAVU_DATA_HOME", "/a folder/with 'marks'")
    command = launcher.hook_command("inject", "kimi")
    assert launcher.is_ours(command)
    assert "'/a folder/" in command
    assert launcher.is_ours("dejavu hook capture")
    for other in ("say dejavu", "dejavu list", "my-dejavu hook capture", "notify-send done"):
        assert not launcher.is_ours(other)
