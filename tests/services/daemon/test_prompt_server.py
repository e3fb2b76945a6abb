"""The desk: a daemon that answers prompts as the hook itself would, and falls back to it."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.factories.edits import Script

from dejavu.archive import Archive
from dejavu.interfaces.hooks import inject
from dejavu.model import Conversation, Role, Text, Turn, conversation_id
from dejavu.recall import Recall
from dejavu.recall.injection_log import audit
from dejavu.services.daemon import instance_lock as single
from dejavu.services.hook_protocol import ASSIST, PROMPT_SOCKET, folder

from .test_instance_lock import DAEMON, until

START = 1_795_000_000.0
PROMPT = "why does the retry_budget tick run dry?"


def put(root: Path, name: str, prompt: str, answer: str, workspace: str = "/work/retry") -> None:
    head = Conversation(
        id=conversation_id("claude", "local", name),
        agent="claude",
        native_id=name,
        workspace=workspace,
    )
    turns = (
        Turn(role=Role.USER, parts=(Text(prompt),), at=START),
        Turn(role=Role.ASSISTANT, parts=(Text(answer),), at=START + 1),
    )
    with Archive.open(root) as archive:
        archive.put(head.with_turns(turns))


@pytest.fixture
def root(home: Path) -> Path:
    root = home / ".local/share/dejavu/archive"
    put(root, "s-1", "Why does retry_budget run dry?", "Since `RetryBudget.tick` is not called.")
    return root


@pytest.fixture
def daemon(root: Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([*DAEMON, "--idle", "60"]) as process:
        until((Path(folder()) / PROMPT_SOCKET).exists)
        until(lambda: seen(root))
        yield process
        process.kill()


def seen(root: Path) -> bool:
    """Whether the index has everything."""
    with Archive.open(root) as archive:
        return Recall(archive).pending(1) == 0 and (root / "recall" / "meta.json").exists()


def payload(**more: Any) -> bytes:
    told = {
        "session_id": "now", "cwd": "/work/retry", "hook_event_name": "UserPromptSubmit",
        "prompt": PROMPT, **more,
    }  # fmt: skip
    return json.dumps(told).encode()


def header(**more: str) -> dict[str, str]:
    """What Claude Code's hook says besides the payload."""
    return inject.request_header(["--agent", "claude"]) | {"folder": "/work/retry"} | more


def asked(data: bytes) -> bytes | None:
    """The daemon's answer, without a limit of time."""
    return inject.ask_daemon(header(), data)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop it, every thread: a thread may run on until the one that took the signal has run."""
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inject, "DAEMON_TIMEOUT", 30.0)


def test_it_answers_once_a_session_and_notes_it(
    daemon: subprocess.Popen[bytes], root: Path
) -> None:
    told = asked(payload())
    assert told is not None
    context = json.loads(told)["hookSpecificOutput"]["additionalContext"]
    assert "RetryBudget.tick" in context
    assert asked(payload()) == b""
    with Archive.open(root) as archive:
        (row,) = audit(archive)
    assert row.session == "now"
    assert row.items
    door = Path(folder()) / PROMPT_SOCKET
    assert stat.S_IMODE(door.stat().st_mode) == 0o600


def test_an_edit_is_answered_out_of_the_same_archive(
    daemon: subprocess.Popen[bytes], root: Path
) -> None:
    script = Script("edits", "/work/retry")
    script.user("Never edit budget.py by hand.")
    script.edit("/work/retry/budget.py", "a", "b")
    with Archive.open(root) as archive:
        archive.put(script.conversation())
    call = {"file_path": "budget.py", "old_string": "b", "new_string": "c"}

    def ask(**more: Any) -> bytes | None:
        event = {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": call}
        return inject.ask_daemon(header(), payload(**event, **more), ASSIST)

    answer = ask()
    assert answer is not None
    assert b"Never edit budget.py by hand" in answer
    assert ask() == b""  # once a session
    assert inject.ask_daemon(header(), b"[]", ASSIST) is None


def test_what_others_archive_is_taken_in_meanwhile(
    daemon: subprocess.Popen[bytes], root: Path
) -> None:
    assert asked(payload())
    put(root, "s-2", "Which zebra_crossing palette?", "The zebra_crossing palette is ochre.")
    until(lambda: seen(root))
    told = asked(payload(prompt="which palette has the zebra_crossing?"))
    assert told is not None
    assert b"ochre" in told


def test_an_archive_it_does_not_keep_is_not_answered_for(
    daemon: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    assert inject.ask_daemon(header(location=str(tmp_path / "another")), payload()) is None
    assert inject.ask_daemon({"agent": "claude", "location": inject.location()}, payload()) is None
    assert asked(b"{") is None  # no JSON: the hook finds out by itself
    assert asked(payload(prompt="")) == b""
    assert inject.ask_daemon(header(folder="/a\nb"), payload()) is not None


def test_a_request_that_came_too_late_is_not_worked_on(
    daemon: subprocess.Popen[bytes], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop(daemon)
    monkeypatch.setattr(inject, "DAEMON_TIMEOUT", 0.1)
    assert asked(payload()) is None
    os.kill(daemon.pid, signal.SIGCONT)
    monkeypatch.setattr(inject, "DAEMON_TIMEOUT", 30.0)
    assert asked(payload(session_id="later"))
    with Archive.open(root) as archive:
        assert [row.session for row in audit(archive)] == ["later"]


def test_the_hook_falls_back_and_stays_silent_where_the_daemon_is_stuck_or_gone(
    daemon: subprocess.Popen[bytes],
) -> None:
    stop(daemon)
    done = hook(payload(session_id="stuck"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"RetryBudget.tick" in done.stdout
    os.kill(daemon.pid, signal.SIGCONT)
    daemon.kill()
    daemon.wait()
    gone = hook(payload(session_id="gone"))
    assert (gone.returncode, gone.stderr) == (0, b"")
    assert b"RetryBudget.tick" in gone.stdout


def test_a_damaged_archive_is_silence_and_the_daemon_goes_on(
    daemon: subprocess.Popen[bytes], root: Path
) -> None:
    assert asked(payload())
    scratch = root / "broken"
    scratch.write_bytes(b"no database" * 100)
    scratch.replace(root / "data.mdb")
    assert asked(payload(session_id="other")) is None
    done = hook(payload(session_id="other"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert daemon.poll() is None
    assert single.stop(30)


def hook(data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.hooks.inject", "--agent", "claude"],
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "DEJAVU_HOOK_LIMIT": "30"},
    )
