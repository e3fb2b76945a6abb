"""The guard as agents run it: their JSON in, their form out, exit 0; closed or open when it fails."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.services.daemon.test_instance_lock import DAEMON, until

from dejavu.integrations import launcher
from dejavu.interfaces.hooks import guard
from dejavu.services.daemon import instance_lock
from dejavu.services.daemon.spool import Spool
from dejavu.services.hook_protocol import GUARD_SOCKET, LOCK, folder

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MINE = "zq-Zeppelin-2049"


def hook(home: Path, payload: Any, *arguments: str, **environ: str) -> Any:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.hooks.guard", "--agent", "claude", *arguments],
        input=data, capture_output=True, timeout=60, check=False,
        env={
            "HOME": str(home), "PATH": os.environ["PATH"], "DEJAVU_HOOK_LIMIT": "30", **environ,
        },
    )  # fmt: skip


def payload(text: str = f"token: {TOKEN}") -> dict[str, Any]:
    return {
        "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {}, "tool_response": {"stdout": text},
    }  # fmt: skip


def stdout_of(done: Any) -> str:
    assert done.returncode == 0
    told = json.loads(done.stdout)["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    return str(told)


@pytest.fixture
def alone(home: Path) -> Iterator[Path]:
    """No daemon, and none can be started: its lock is held."""
    Path(folder()).mkdir(parents=True, mode=0o700)
    lock = instance_lock._lock(Path(folder()))
    assert lock is not None
    yield home
    os.close(lock)


@pytest.fixture
def daemon(home: Path) -> Iterator[Path]:
    with subprocess.Popen([*DAEMON, "--idle", "60"]) as process:
        until((Path(folder()) / GUARD_SOCKET).exists)
        yield home
        process.kill()


def spooled(home: Path) -> bytes:
    return b"".join(entry.payload for entry in Spool(Path(folder())).entries(99))


def test_without_a_daemon_it_checks_itself(alone: Path) -> None:
    assert stdout_of(hook(alone, payload())).startswith("token: [redacted:github:")
    assert b"[redacted:github:" in spooled(alone)
    assert TOKEN.encode() not in spooled(alone)


def test_the_daemon_checks_for_it(daemon: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stdout_of(hook(daemon, payload())).startswith("token: [redacted:github:")
    own = hook(daemon, payload(f"it is {MINE}"), MY_API_KEY=MINE)
    assert stdout_of(own).startswith("it is [redacted:known:")
    odd = 'a"b\\c\n1\u00e9-x'
    assert odd not in stdout_of(hook(daemon, payload(f"it is {odd}"), MY_TOKEN=odd))
    assert hook(daemon, payload(f"it is {MINE}")).stdout == b""  # the next has no such variable


def test_a_clean_result_is_only_captured(alone: Path) -> None:
    assert hook(alone, payload("fine")).stdout == b""
    assert b'"fine"' in spooled(alone)
    assert hook(alone, payload("again"), "--no-capture").stdout == b""
    assert b'"again"' not in spooled(alone)


@pytest.mark.parametrize("data", [b"{no json", b"[" * 200_000, b"\xff\xfe"])
def test_closed_withholds_and_open_lets_pass(alone: Path, data: bytes) -> None:
    done = hook(alone, data)
    assert done.returncode == 0
    assert json.loads(done.stdout)["continue"] is False
    assert hook(alone, data, "--fail-open").stdout == b""
    assert spooled(alone) == b""  # what was not judged is not kept


def test_out_of_time_withholds(alone: Path) -> None:
    text = "the token of a key is no password\n" * 700_000 + TOKEN
    held = hook(alone, payload(text), DEJAVU_HOOK_LIMIT="1.8")
    assert b"[withheld: " in held.stdout  # on a busy machine in no agent's own form
    assert TOKEN.encode() not in held.stdout


@pytest.mark.fault("33.G2")
def test_a_large_result_is_checked_and_answered(alone: Path) -> None:
    text = "a row of output\n" * 100_000
    assert stdout_of(hook(alone, payload(text + TOKEN))).startswith(text + "[redacted:github:")
    assert hook(alone, payload(text)).stdout == b""
    assert b"a row of output" in spooled(alone)


@pytest.mark.fault("33.G2")
def test_a_step_that_nothing_interrupts_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """One search by a pattern gives no thread a turn, however long it takes."""

    def endless(agent: str, data: bytes) -> tuple[bytes, bytes]:
        assert re.match(rb"(a+)+$", b"a" * 64 + b"!") is None
        return b"", b""

    monkeypatch.setattr(guard, "_checked", endless)
    with pytest.raises(TimeoutError):
        guard._check_here("claude", b" " * (2 << 20), time.monotonic() + 0.5)


def test_a_check_that_fails_in_its_child_fails_here() -> None:
    with pytest.raises(OSError, match="failed"):
        guard._check_here("claude", b"no json" * (1 << 18), time.monotonic() + 60)


@pytest.mark.parametrize("limit", ["0.02", "0.1", "0.9", "1.0"])
def test_out_of_time_at_the_start_withholds_and_never_crashes(alone: Path, limit: str) -> None:
    for _ in range(4):
        held = hook(alone, payload(), DEJAVU_HOOK_LIMIT=limit)
        assert held.returncode == 0
        assert TOKEN.encode() not in held.stdout
        answer = json.loads(held.stdout)
        assert answer.get("continue") is False or "hookSpecificOutput" in answer
        assert hook(alone, payload(), "--fail-open", DEJAVU_HOOK_LIMIT=limit).returncode == 0


def test_it_can_be_switched_off(alone: Path) -> None:
    assert hook(alone, payload(), DEJAVU_GUARD="off").stdout == b""


def test_the_launcher_runs_it(alone: Path) -> None:
    launcher.write()
    done = subprocess.run(
        [str(launcher.launcher()), "hook", "guard", "--agent", "claude"],
        input=json.dumps(payload()).encode(), capture_output=True, timeout=60, check=False,
        env={"HOME": str(alone), "PATH": os.environ["PATH"], "DEJAVU_HOOK_LIMIT": "30"},
    )  # fmt: skip
    assert stdout_of(done).startswith("token: [redacted:github:")


def test_a_crowd_of_tools_is_checked(daemon: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "dejavu.interfaces.hooks.guard", "--agent", "claude"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={"HOME": str(daemon), "PATH": os.environ["PATH"], "DEJAVU_HOOK_LIMIT": "30"},
        )
        for _ in range(8)
    ]  # fmt: skip
    data = json.dumps(payload("noise\n" * 20_000 + TOKEN)).encode()
    for process in running:
        out, _ = process.communicate(data, timeout=60)
        assert b"[redacted:github:" in out
        assert TOKEN.encode() not in out
    assert (Path(folder()) / LOCK).exists()
