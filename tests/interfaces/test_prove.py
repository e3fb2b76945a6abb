"""`dejavu-run --prove` says what passed between the agent and the terminal, and finds any change."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.config.own_program import own_program
from dejavu.interfaces.prove import Stream, compare, questions, read, report, until
from dejavu.interfaces.prove_tap import EXIT, FROM_AGENT, RECORD

_AGENT = """
import os, sys, time
os.write(1, b"ready\\r\\n")
key = os.read(0, 100)
for n in range(200):
    os.write(1, b"\\x1b[38;5;%dmline %d\\x1b[0m\\r\\n" % (n, n))
os.write(1, b"got " + key)
sys.exit(7)
"""


def stream(*pieces: bytes, start: float = 0.0) -> Stream:
    ends = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    return Stream(b"".join(pieces), ends, [start + n for n in range(len(pieces))])


def run(home: Path, *words: str, type_: bytes = b"x\r", send: int = 0) -> tuple[int, str]:
    """`dejavu-run --prove` in a terminal: its exit code, and all that the terminal showed."""
    line = own_program("dejavu.interfaces.run", "--prove", *words)
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.execv(line[0], line)
    seen, end = b"", time.monotonic() + 40
    while True:
        if not select.select([fd], [], [], max(0.0, end - time.monotonic()))[0]:
            os.kill(pid, signal.SIGKILL)
            break
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
        if type_ and b"ready" in seen:
            os.write(fd, type_)
            type_ = b""
        if send and b"ready" in seen:
            os.kill(pid, send)
            send = 0
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode(errors="replace")


def test_a_run_in_a_terminal_is_proven(home: Path) -> None:
    program = home / "agent.py"
    program.write_text(_AGENT)
    code, seen = run(home, "--", sys.executable, str(program))
    assert code == 7
    assert "line 199" in seen
    assert re.search(r"output: the agent wrote [\d,]{5,} bytes, your terminal got the same", seen)
    assert "input: your terminal sent 2 bytes, the agent got the same" in seen
    assert "exit code: 7, passed on" in seen
    assert re.search(r"output delay: median [\d.]+ ms, p95 [\d.]+ ms, longest [\d.]+ ms", seen)


def test_an_agent_that_cannot_start(home: Path) -> None:
    code, seen = run(home, "--", "no-such-agent-anywhere", type_=b"")
    assert code == 127
    assert "cannot start 'no-such-agent-anywhere'" in seen
    assert "the same" not in seen


def test_it_is_for_agents_that_run_here(home: Path) -> None:
    code, seen = run(home, "--detach", "--", "true", type_=b"")
    assert (code, "--prove goes with an agent that runs here" in seen) == (2, True)


def test_a_key_that_kills_the_agent_is_passed_on_as_a_death_by_signal(home: Path) -> None:
    code, seen = run(home, "--", "sh", "-c", "echo ready; exec sleep 60", type_=b"\x03")
    assert code == -signal.SIGINT
    assert "ended by SIGINT, passed on" in seen


def test_a_signal_from_outside_reaches_the_agent(home: Path) -> None:
    script = "trap 'echo told; exit 9' TERM; echo ready $PPID; while :; do sleep .1; done"
    code, seen = run(home, "--", "sh", "-c", script, type_=b"", send=signal.SIGTERM)
    assert (code, "told" in seen) == (9, True)
    assert "exit code: 9, passed on" in seen


def test_an_agent_that_stops_itself_is_woken(home: Path) -> None:
    script = "echo ready; kill -STOP $$; echo awake; exit 3"
    code, seen = run(home, "--", "sh", "-c", script, type_=b"")
    assert (code, "awake" in seen) == (3, True)


def test_an_agent_that_stopped_before_it_was_watched_is_woken(tmp_path: Path) -> None:
    program = """
import os, sys
from dejavu.interfaces.prove_tap import Tap
tap = Tap(open(sys.argv[1], "wb"), ["sh", "-c", "kill -STOP $$; echo awake; exit 3"])
os.waitid(os.P_PID, tap.pid, os.WSTOPPED | os.WNOWAIT)
sys.exit(os.waitstatus_to_exitcode(tap.run()))
"""
    line = [sys.executable, "-c", program, str(tmp_path / "log")]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (3, b"awake"), done.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("DEJAVU_SESSION", "20261127-100000-aaaa"), ("DEJAVU_CAPTURE", "off")]
)
def test_where_nothing_is_wrapped_there_is_nothing_to_prove(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    code, seen = run(home, "--", "true", type_=b"")
    assert (code, "the same" in seen) == (2, False)


def test_it_needs_a_terminal_and_leaves_no_log(home: Path) -> None:
    line = own_program("dejavu.interfaces.run", "--prove", "--", "cat")
    done = subprocess.run(line, input="x", capture_output=True, text=True, timeout=30)
    assert (done.returncode, "run it in one" in done.stderr) == (2, True)
    run(home, "--", "sh", "-c", "echo ready; read x", type_=b"key\r")
    assert list((home / ".local/state/dejavu").glob("prove-*")) == []


@given(st.binary(min_size=1, max_size=200), st.data())
def test_any_changed_lost_or_added_byte_is_found_where_it_is(
    data: bytes, draw: st.DataObject
) -> None:
    data = data.replace(b"\x1b", b"e")  # so that nothing in it is program status
    at = draw.draw(st.integers(0, len(data) - 1))
    changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    assert compare(stream(data), stream(changed)).differs_at == at
    assert compare(stream(data), stream(data[:at])).differs_at == at
    assert compare(stream(data), stream(data + b"x")).differs_at == len(data)
    assert compare(stream(data), stream(data)).differs_at is None


@pytest.mark.parametrize("report_", [b"\x1b]7501;state=idle\x1b\\", b"\x1b]7501;?\x07"])
def test_program_status_of_the_wrapper_is_taken_out_and_counted(report_: bytes) -> None:
    found = compare(stream(b"one two"), stream(b"one ", report_, b"two"))
    assert (found.differs_at, found.added, found.size) == (None, len(report_), 7)
    lines = report(found, compare(stream(b""), stream(b"")), "0", same_code=True)
    assert f"plus {len(report_)} bytes of program status" in lines[0]
    assert compare(stream(b"one two"), stream(b"one", report_, b"two")).differs_at == 3


QUESTION, ANSWER = b"\x1b]7501;?\x1b\\\x1b[c", b"\x1b[?1;2c"
IN_TMUX = b"\x1bPtmux;\x1b\x1b]7501;?\x1b\x1b\\\x1b\x1b[c\x1b\\"


@pytest.mark.parametrize("question", [QUESTION, IN_TMUX + b"\x1b[c", QUESTION + QUESTION])
def test_the_wrappers_question_and_its_answer_are_taken_out(question: bytes) -> None:
    shown = compare(stream(b"one two"), stream(b"one ", question, b"two"))
    assert (shown.differs_at, shown.added) == (None, len(question))
    asked = questions(question)
    typed = compare(stream(b"k\x1b[", ANSWER * asked, b"A"), stream(b"k\x1b[A"), answers=asked)
    assert (typed.differs_at, typed.added, typed.size) == (None, -len(ANSWER) * asked, 4)
    assert "except" in report(shown, typed, "0", same_code=True)[1]
    # An answer that the agent waited for must reach it.
    assert compare(stream(b"k", ANSWER), stream(b"k")).differs_at == 1
    assert compare(stream(ANSWER + b"k"), stream(b"k"), answers=0).differs_at == 0


def test_keys_after_the_agents_end_prove_nothing(home: Path) -> None:
    code, shown_ = run(home, "--", "sh", "-c", "echo ready; read x; exit 3", type_=b"a\r" + b"\x03")
    assert "something else" not in shown_
    typed = Stream(b"abc", [1, 2, 3], [1.0, 2.0, 3.0])
    assert until(typed, [2.5]) == (Stream(b"ab", [1, 2], [1.0, 2.0]), True)
    assert until(typed, [9.0]) == (typed, False)
    assert compare(stream(b"one"), stream(b"one^C"), echo=True).differs_at is None
    assert compare(stream(b"one"), stream(b"on"), echo=True).differs_at == 2
    assert compare(stream(b"one"), stream(b"onedejavu-run: a note\r\n")).differs_at is None
    assert code in (3, -2, 130)


@given(st.lists(st.sampled_from([b"ab", b"c", b"\x1b]7501;state=idle\x07", b"\x1b[A"]), max_size=9))
def test_delays_are_told_though_status_was_added(pieces: list[bytes]) -> None:
    said = [piece for piece in pieces if not piece.startswith(b"\x1b]")]
    times = [1.0 + n for n, piece in enumerate(pieces) if piece in said]
    given_ = stream(*said)._replace(times=times)
    taken = stream(*pieces, start=1.5)
    found = compare(given_, taken)
    assert found.differs_at is None
    assert found.delays == [0.5] * len(said)


def test_delays_are_from_each_piece_to_its_last_byte() -> None:
    found = compare(stream(b"ab", b"cd"), Stream(b"abcd", [1, 4], [0.5, 1.25]))
    assert found.delays == [1.25, 0.25]


def test_what_differs_is_shown_with_its_place() -> None:
    found = compare(stream(b"hello world"), stream(b"hello there"))
    lines = report(found, found, "0", same_code=False)
    assert lines[2] == "exit code: 0, NOT passed on"
    assert lines[3] == "output differs at byte 6: b'hello world' became b'hello there'"


def test_a_log_whose_end_is_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    whole = RECORD.pack(1.0, FROM_AGENT, 3) + b"abc" + RECORD.pack(2.0, EXIT, 1) + b"0"
    log.write_bytes(whole + RECORD.pack(3.0, FROM_AGENT, 9)[:5])
    assert read(log)[FROM_AGENT].data == b"abc"
    assert read(log)[EXIT].data == b"0"
