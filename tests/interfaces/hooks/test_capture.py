"""`dejavu hook capture`, as agents start it: a process with JSON on stdin."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.config import paths
from dejavu.interfaces.hooks import capture
from dejavu.providers.registry import agent_of_payload
from dejavu.services.daemon import instance_lock as single
from dejavu.services.daemon.spool import Spool, SpoolEntry, parse

HOOK = [sys.executable, "-m", "dejavu.interfaces.cli", "hook", "capture", "--agent", "claude"]


@pytest.fixture
def held(home: Path) -> Iterator[Path]:
    """The hooks' folder, with the daemon's lock held by this test: no daemon is started."""
    folder = paths.private_folder(Path(capture.folder()))
    lock = single._lock(folder)
    assert lock is not None
    try:
        yield folder
    finally:
        os.close(lock)


def run(payload: bytes, *more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*HOOK, *more], input=payload, capture_output=True, timeout=30)


def entries(folder: Path) -> list[SpoolEntry]:
    return Spool(folder).entries(100)


def test_a_payload_is_kept_and_nothing_is_said(held: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEJAVU_SESSION", "20261121-203105-3fa9")
    done = run(b'{"session_id":"s"}')
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    [entry] = entries(held)
    assert entry.payload == b'{"session_id":"s"}'
    assert (entry.agent, entry.session) == ("claude", "20261121-203105-3fa9")
    assert entry.path is not None
    assert entry.path.stat().st_mode & 0o777 == 0o600
    assert entry.path.parent.stat().st_mode & 0o777 == 0o700


def test_capture_is_off_where_the_environment_says_so(
    held: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEJAVU_CAPTURE", "off")
    assert run(b'{"session_id":"s"}').returncode == 0
    assert entries(held) == []


def test_the_last_argument_may_be_the_payload(held: Path) -> None:
    run(b"", '{"type":"agent-turn-complete"}')
    assert [entry.payload for entry in entries(held)] == [b'{"type":"agent-turn-complete"}']


def test_no_payload_leaves_no_entry(held: Path) -> None:
    assert run(b" \n").returncode == 0
    assert entries(held) == []


def test_a_state_folder_that_cannot_be_written_is_no_error(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("DEJAVU_STATE_HOME", str(home / "file" / "below"))
    done = run(b"{}")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_came_is_kept_when_stdin_never_ends(held: Path) -> None:
    with subprocess.Popen(HOOK, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"session_id":"s"}')
        process.stdin.flush()
        assert process.wait(timeout=30) == 0  # though stdin is still open
        process.stdin.close()
    assert [entry.payload for entry in entries(held)] == [b'{"session_id":"s"}']


def test_nothing_heavy_is_loaded(held: Path) -> None:
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import os\n"
        "os._exit = lambda code: print(*sorted(set(sys.modules) - before))\n"
        "from dejavu.interfaces.cli import main\n"
        "sys.argv[1:] = ['hook', 'capture']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        input=b"{}",
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(paths.__file__).parents[2])},
    )
    loaded = set(done.stdout.decode().split())
    ours = {name for name in loaded if name.startswith("dejavu")}
    assert ours <= {
        "dejavu", "dejavu.config", "dejavu.config.files", "dejavu.config.own_program",
        "dejavu.interfaces", "dejavu.interfaces.cli", "dejavu.interfaces.hooks",
        "dejavu.interfaces.hooks.capture", "dejavu.interfaces.hooks.program", "dejavu.services",
            "dejavu.services.hook_protocol",
    }  # fmt: skip
    assert ours
    assert not loaded & {"typer", "json", "re", "enum", "socket", "signal", "pathlib", "subprocess"}


def test_the_folder_is_the_one_the_others_mean(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Path(capture.folder()) == paths.state_home() / "hooks"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert Path(capture.folder()) == paths.state_home() / "hooks"
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "xdg"))
    assert Path(capture.folder()) == paths.state_home() / "hooks"
    monkeypatch.setenv("DEJAVU_STATE_HOME", "~/own")
    assert Path(capture.folder()) == paths.state_home() / "hooks"


@given(st.binary(), st.integers(0, 2**62), st.sampled_from(["claude", "kimi", "a b", "", "\n"]))
def test_an_envelope_opens_to_what_was_put_in(payload: bytes, at: int, agent: str) -> None:
    entry = parse(capture.envelope(agent, payload, at))
    assert entry is not None
    assert entry.payload == payload
    assert entry.at == at / 1e9
    # What is no word does not travel; the agent is then known by its payload.
    assert entry.agent == (agent if agent.isalpha() else agent_of_payload({}).name)


def test_the_environment_of_the_daemon_has_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("DEJAVU_SESSION", "s")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/c")
    environment = capture._daemon_environment()
    assert "CLAUDE_CONFIG_DIR" in environment
    assert not {"ANTHROPIC_API_KEY", "DEJAVU_SESSION"} & set(environment)


def test_a_full_spool_takes_no_more(held: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "_CHECK_SIZE_FROM", 2)
    monkeypatch.setattr(capture, "_MAX_FILES", 3)
    (held / "spool").mkdir(exist_ok=True)
    monkeypatch.chdir(held)
    for number in range(6):
        capture._write_entry(capture.envelope("claude", b"%d" % number, time.time_ns()))
    assert [entry.payload for entry in entries(held)] == [b"0", b"1", b"2", b"3"]


def test_a_daemon_that_breaks_down_is_not_started_at_every_hook(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(os, "posix_spawn", lambda *_, **__: started.append(1))
    monkeypatch.chdir(paths.private_folder(Path(capture.folder())))
    for _ in range(3):
        capture.start_daemon()
        for descriptor in _locks():  # as if the daemon had died
            os.close(descriptor)
    assert started == [1]
    os.utime(capture.LOCK, (0, 0))
    capture.start_daemon()
    assert started == [1, 1]
    for descriptor in _locks():
        os.close(descriptor)


def _locks() -> list[int]:
    """The descriptors of the lock that this process holds."""
    folder = Path("/proc/self/fd")
    lock = str(Path(capture.LOCK).resolve())
    every = [(int(path.name), os.path.realpath(path)) for path in folder.iterdir()]
    return [descriptor for descriptor, path in every if path == lock]
