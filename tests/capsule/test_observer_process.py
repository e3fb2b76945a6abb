"""The observer: told everything in bounds, never able to hurt the session or to be lost with it."""

import contextlib
import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from dejavu.capsule import Exit, ObserverProcess, Output

PROGRAM = Path(__file__).parent / "programs" / "observer.py"
MB = 1 << 20


@pytest.fixture
def watched(tmp_path):
    """The option that has the wrapper start the test observer, with these wishes."""
    return lambda *wishes: [sys.executable, str(PROGRAM), str(tmp_path), *wishes]


def observed(outer):
    return json.loads(outer.result["report"])


def test_it_is_told_everything_in_order(outer, agent_command, watched):
    outer.start(agent_command("flood", MB, 6), observer=watched())
    outer.read_some(6 + MB)
    assert outer.exit_code() == 6
    seen = observed(outer)
    assert seen["hash"] == hashlib.sha256(outer.seen).hexdigest()
    assert (seen["kinds"], seen["status"], seen["lost"]) == (["h", "o", "x"], 6, 0)
    assert seen["sid"], "it leads a session of its own"
    header = seen["header"]
    assert (header["columns"], header["lines"], header["mode"]) == (100, 30, "terminal")
    assert header["term"] == "xterm-256color"
    assert header["wrapper"] == outer.pid
    assert outer.result["notes"] == []


def test_resizes_stand_in_their_place(outer, agent_command, watched):
    outer.start(agent_command("sizes"), observer=watched())
    outer.read_until(b"ready")
    outer.resize(77, 11)
    outer.read_until(b"size 77x11")
    outer.kill(signal.SIGTERM)
    assert outer.exit_code() == 143
    assert observed(outer)["kinds"] == ["h", "o", "r", "o", "x"]


def test_one_that_is_slow_loses_output_and_is_told_how_much(
    outer, agent_command, watched, tmp_path
):
    size = 8 * MB
    outer.start(agent_command("flood", size), observer=watched("slow"), limit=MB)
    outer.read_some(6 + size)  # all of it arrives although the observer reads nothing
    (tmp_path / "go").touch()
    assert outer.exit_code() == 0
    seen = observed(outer)
    assert seen["lost"] > 0
    assert seen["lost"] == outer.result["lost"]
    assert seen["bytes"] + seen["lost"] == len(outer.seen)
    assert seen["bytes"] >= MB
    assert "g" in seen["kinds"]


def test_one_that_dies_is_dropped_and_noted(outer, agent_command, watched, tmp_path, processes):
    outer.start(agent_command("sleeper"), observer=watched("mortal"))
    outer.read_until(b"ready\n")
    leader = processes.children(outer.pid)[0]
    for _ in range(10_000):  # until it is gone; the wrapper learns of it at the next event
        place = len(outer.seen)
        outer.type(b"x")
        outer.read_until(b"[x]", place)
        others = [c for c in processes.children(outer.pid) if c != leader]
        if all(map(processes.ended, others)) and (tmp_path / "observer.pid").exists():
            break
    place = len(outer.seen)
    outer.type(b"y")
    outer.read_until(b"[y]", place)
    outer.type(b"q")
    assert outer.exit_code() == 0
    assert outer.result["notes"] == ["ObserverProcess was dropped: [Errno 32] Broken pipe"]
    assert outer.modes == outer.before


@pytest.mark.parametrize("command", [["/no/such/observer"], [sys.executable, "-c", "boom"]])
def test_one_that_cannot_work_is_noted(outer, agent_command, command):
    outer.start(agent_command("flood", MB), observer=command)
    outer.read_some(6 + MB)
    assert outer.exit_code() == 0
    assert outer.modes == outer.before
    assert outer.result["report"] == ""
    if command[0] == "/no/such/observer":
        assert outer.result["notes"] == [
            "ObserverProcess was dropped: [Errno 2] No such file or directory: '/no/such/observer'"
        ]


def test_nothing_it_prints_reaches_the_terminal(outer, agent_command, watched):
    outer.start(agent_command("bye"), observer=watched("noisy"))
    assert outer.exit_code() == 0
    assert b"never" not in outer.seen
    assert observed(outer)["status"] == 0


def test_one_that_never_ends_is_left_to_itself(outer, agent_command, watched):
    outer.start(agent_command("bye", 2), observer=watched("mute"), sink_timeout=0.5)
    assert outer.exit_code() == 2
    assert outer.modes == outer.before
    os.kill(outer.result["observer"], signal.SIGKILL)


def test_waiting_for_it_ends_with_a_signal(outer, agent_command, watched, tmp_path, wait_until):
    outer.start(agent_command("bye", 2), observer=watched("mute"), sink_timeout=3600)
    wait_until((tmp_path / "observed.json").exists, "the observer's end of input")
    assert outer.modes == outer.before  # the user has the terminal back while we wait
    outer.kill(signal.SIGTERM)
    assert outer.exit_code() == 2
    os.kill(outer.result["observer"], signal.SIGKILL)


def test_the_keyboards_signals_do_not_reach_it(outer, agent_command, watched, tmp_path, wait_until):
    outer.start(agent_command("bye", 2), observer=watched("mute"), sink_timeout=3600)
    wait_until((tmp_path / "observed.json").exists, "the observer's end of input")
    outer.type(b"\x03")  # the terminal is cooked again: this is SIGINT for its foreground
    assert outer.exit_code() == 2
    pid = outer.result["observer"]
    os.kill(pid, 0)
    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("rounds", [2, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.parametrize("victim", ["observer", "wrapper", "both"])
def test_kill_9(outer, agent_command, watched, tmp_path, wait_until, processes, victim, rounds):
    for number in range(rounds):
        outer.start(agent_command("sleeper"), observer=watched())
        outer.read_until(b"ready\n")
        wait_until(lambda: (tmp_path / "observer.pid").exists(), "the observer's start")
        observer = int(wait_until((tmp_path / "observer.pid").read_text, "its pid"))
        leader = next(c for c in processes.children(outer.pid) if c != observer)
        outer.type(b"x")
        outer.read_until(b"[x]")  # so what came before it has been handed on
        for _ in range(number % 5):
            outer.type(b"x")
        if victim in ("observer", "both"):
            os.kill(observer, signal.SIGKILL)
        if victim in ("wrapper", "both"):
            outer.kill(signal.SIGKILL)
            assert outer.exit_code() == 137
            wait_until(lambda: not outer.is_raw, "the terminal's repair")
            wait_until(lambda pid=leader: processes.ended(pid), "the agent's end")
        else:
            place = len(outer.seen)
            outer.type(b"yq")
            outer.read_until(b"[y]", place)
            assert outer.exit_code() == 0
        if victim == "wrapper":
            wait_until((tmp_path / "observed.json").exists, "the observer's own end")
            seen = json.loads((tmp_path / "observed.json").read_text())
            assert "status" not in seen  # no Exit: it can tell that the wrapper was killed
            assert seen["bytes"] >= len(b"ready\n")
            (tmp_path / "observed.json").unlink()
        assert outer.modes == outer.before
        (tmp_path / "observer.pid").unlink()
        outer.renew()


def test_a_handed_descriptor_is_kept_from_it(tmp_path):
    ours, its = os.pipe()
    os.set_inheritable(its, True)
    script = f"import os; print(os.path.exists('/dev/fd/{its}'))"
    log = tmp_path / "log"
    observer = ObserverProcess([sys.executable, "-c", script], log=str(log))
    with contextlib.suppress(BrokenPipeError):  # it reads nothing and may have ended by now
        observer.event(Output(1.0, b"x"))
    os.close(its)
    os.waitpid(observer.pid, 0)
    observer.abort()
    assert log.read_text() == "False\n"
    assert log.stat().st_mode & 0o777 == 0o600
    os.close(ours)


SLOW = """
import sys, time
from pathlib import Path
from dejavu.capsule import read_events
while not Path(sys.argv[1], "go").exists():
    time.sleep(0.01)
kinds = [(e.kind, len(getattr(e, "data", b""))) for e in read_events(0)]
Path(sys.argv[1], "seen.new").write_text(repr((sum(n for _, n in kinds), kinds[-1][0])))
Path(sys.argv[1], "seen.new").rename(Path(sys.argv[1], "seen"))
"""


def test_what_is_queued_at_the_end_arrives_without_the_wrapper(tmp_path):
    observer = ObserverProcess([sys.executable, "-c", SLOW, str(tmp_path)])
    for _ in range(8):
        observer.event(Output(1.0, bytes(MB)))
    observer.event(Exit(2.0, 0))
    observer.close()
    assert observer.is_behind()
    observer.abort()  # returns although nothing was read
    (tmp_path / "go").touch()
    deadline = time.monotonic() + 60
    while not (tmp_path / "seen").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert (tmp_path / "seen").read_text() == repr((8 * MB, "x"))
    os.waitpid(observer.pid, 0)


ECHOING = "stty -echo; echo hidden; read a; stty echo; echo shown; read b; echo done"


def test_it_is_told_what_is_typed_but_not_what_is_read_without_echo(outer, watched):
    outer.start(["sh", "-c", ECHOING], observer=watched(), tell_keys=True)
    outer.read_until(b"hidden\r\n")
    outer.type(b"secret\r")
    outer.read_until(b"shown\r\n")
    outer.type(b"plain\r")
    outer.read_until(b"done")
    assert outer.exit_code() == 0
    assert observed(outer)["keys"] == "plain\r"


def test_keys_are_told_only_where_that_is_asked_for(outer, watched):
    outer.start(["sh", "-c", "echo shown; read b; echo done"], observer=watched())
    outer.read_until(b"shown\r\n")
    outer.type(b"plain\r")
    outer.read_until(b"done")
    assert outer.exit_code() == 0
    assert "k" not in observed(outer)["kinds"]


def test_keys_that_find_the_queue_long_are_left_out_and_that_is_said(
    outer, agent_command, watched, tmp_path
):
    size = 5 * MB
    outer.start(agent_command("swallow", size, 0), observer=watched("slow"), tell_keys=True)
    outer.read_until(b"ready\n")
    outer.type(b"x" * size)
    outer.read_until(hashlib.sha256(b"x" * size).hexdigest().encode())
    (tmp_path / "go").touch()
    assert outer.exit_code() == 0
    seen = observed(outer)
    assert 0 < seen["typed"] < 3 * MB
    assert seen["lost"] == 0, "it is output that gaps count"
