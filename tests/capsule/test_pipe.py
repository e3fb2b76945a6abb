"""No terminal, no PTY: the agent runs straight, its stdout copied byte for byte."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.capsule import read_recording

WRAPPER = [sys.executable, str(Path(__file__).parent / "programs" / "wrapper.py")]


def same(one, other):
    """Equality without a diff: pytest would compare megabytes line by line for minutes."""
    return bytes(one) == bytes(other)


@pytest.fixture
def run(tmp_path):
    """Start the wrapper around a command; pipes all round."""

    def start(*command, options=None, **streams):
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | streams
        wrap = {"record": str(tmp_path / "out.cast"), "result": str(tmp_path / "result.json")}
        return subprocess.Popen(
            [*WRAPPER, *command],
            stderr=subprocess.PIPE,
            env={**os.environ, "WRAP": json.dumps(wrap | (options or {}))},
            start_new_session=True,
            **streams,
        )

    return start


def recorded(tmp_path):
    return b"".join(e.data for e in read_recording(tmp_path / "out.cast") if e.kind == "o")


def test_every_byte_passes_and_is_copied(run, tmp_path, agent_command, stream):
    size = 3 << 20
    out, err = run(*agent_command("flood", size, 4)).communicate(timeout=60)
    assert same(out, b"ready\n" + stream(size))
    assert err == b""
    assert same(recorded(tmp_path), out)


def test_stdin_is_the_agents_own(run):
    data = os.urandom(1 << 20)
    process = run("sha256sum")
    out, _ = process.communicate(data, timeout=60)
    assert out.split()[0].decode() == hashlib.sha256(data).hexdigest()


def test_it_sees_no_terminal_and_its_own_argv(run, agent_command):
    out, _ = run(*agent_command("report")).communicate(timeout=60)
    seen = eval(out.decode())
    assert seen["tty"] == [False, False, False]
    assert (seen["blocked"], seen["ignored"], seen["fds"]) == (0, [], [])


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("kill -TERM $$", 143)])
def test_exit_codes_pass(run, command, code):
    process = run("sh", "-c", command)
    process.communicate(timeout=60)
    assert process.returncode == code


@pytest.mark.parametrize("name", ["TERM", "HUP", "INT", "QUIT", "USR1"])
def test_signals_pass(run, agent_command, name):
    process = run(*agent_command("idle"))
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.Signals[f"SIG{name}"])
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.Signals[f"SIG{name}"]


def test_a_reader_that_goes_away_ends_the_agent_as_in_a_shell(run, agent_command):
    process = run(*agent_command("flood"))
    assert process.stdout.readline() == b"ready\n"
    process.stdout.close()
    assert process.wait(timeout=60) in (128 + signal.SIGPIPE, 1)  # Python makes it an error
    process.stderr.close()
    process.stdin.close()


def test_the_reader_who_is_slow_gets_everything(run, agent_command, stream):
    size = 1 << 20
    process = run(*agent_command("flood", size))
    data = b""
    while chunk := os.read(process.stdout.fileno(), 10_000):
        data += chunk
    assert same(data, b"ready\n" + stream(size))
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_file_is_appended_to_where_it_stands(run, tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"before\n")
    with path.open("ab") as file:
        run("echo", "after", stdout=file).communicate(timeout=60)
        file.write(b"last\n")
    assert path.read_bytes() == b"before\nafter\nlast\n"


def test_a_missing_agent_is_a_clear_error(run):
    _, err = run("no-such-agent-anywhere").communicate(timeout=60)
    assert b"SpawnError: cannot start 'no-such-agent-anywhere': not found in PATH" in err


def test_a_script_without_its_first_line_runs(run, tmp_path):
    script = tmp_path / "script"
    script.write_text("echo $1\n")
    script.chmod(0o755)
    assert run(str(script), "given").communicate(timeout=60)[0] == b"given\n"


def test_a_failing_sink_is_noted_and_nothing_else(run, tmp_path):
    out, _ = run("echo", "hello", options={"broken": True}).communicate(timeout=60)
    assert out == b"hello\n"
    notes = json.loads((tmp_path / "result.json").read_text())["notes"]
    assert notes == ["Broken was dropped: no more of this"]


def test_a_daemon_left_behind_does_not_keep_us(run, agent_command):
    process = run(*agent_command("orphan", 60))
    line = process.stdout.readline()
    assert process.wait(timeout=30) == 3
    os.kill(int(line.split()[1].rstrip(b".")), signal.SIGKILL)
    process.communicate()
