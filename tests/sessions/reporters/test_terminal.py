"""An agent under the wrapper in a terminal that answers the query: it is told its state, in time."""

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from dejavu.screen import Terminal
from dejavu.screen.program_status import parse_report
from dejavu.sessions.reporters.report import Report
from dejavu.sessions.reporters.terminal import children, is_asked, sequence

QUERY, ANSWER = b"\x1b]7501;?\x1b\\", b"\x1b]7501;?\x1b\\"
AGENT = Path(__file__).parents[2] / "extensions/acp/programs/typed_agent.py"
REPORT = Report("blocked", "Kimi Code", "s", "api", "Übernehmen: rm -r x?")


def wrapped(
    home: Path, *words: str, answers: bool = True, typed: bytes = b"", until: bytes = b"7501;state=",
    seconds: float = 20.0, **environ: str,
) -> bytes:  # fmt: skip
    """What a terminal shows of a wrapped agent, which is ended once it is told `until`.

    `typed` is sent with the first report. A terminal that does not answer is watched for two seconds
    more after the question.
    """
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(environ, HOME=str(home), TERM="xterm-ghostty")
        command = [sys.executable, "-m", "dejavu.interfaces.run", *words]
        os.execv(sys.executable, command)
    shown, end = b"", time.monotonic() + seconds
    try:
        while time.monotonic() < end and (not answers or until not in shown):
            if not select.select([fd], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            shown += data
            if typed and b"7501;state=idle" in shown:
                os.write(fd, typed)
                typed = b""
            if QUERY in data and answers:
                os.write(fd, ANSWER)
            elif QUERY in data:
                end = time.monotonic() + 2
    finally:
        os.kill(pid, signal.SIGTERM)
        while select.select([fd], [], [], 5)[0]:
            try:
                shown += os.read(fd, 65536)
            except OSError:
                break
        os.waitpid(pid, 0)
        os.close(fd)
    return shown


def test_a_terminal_that_answers_is_told(home: Path) -> None:
    agent = home / "claude"
    agent.write_text(f"#!{sys.executable}\n{AGENT.read_text()}")
    agent.chmod(0o755)
    shown = wrapped(home, str(agent), typed=b"wait\r", until=b"7501;state=working", seconds=60.0)
    assert shown.count(QUERY) == 1
    reports = [part.partition(b"\x1b\\")[0] for part in shown.split(b"\x1b]7501;")[2:]]
    states = [report.state for body in reports if (report := parse_report(body.decode()))]
    assert states == ["idle", "working", "clear"]
    assert ANSWER not in shown.partition(QUERY)[2]  # the agent's terminal did not echo it


def test_one_that_does_not_is_asked_once_and_no_more(home: Path) -> None:
    shown = wrapped(home, "demo", answers=False)
    assert shown.count(QUERY) == 1
    assert b"7501;state" not in shown


def test_one_that_is_not_known_to_know_is_not_asked(home: Path) -> None:
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[report]\nterminal = "never"\n')
    assert b"7501" not in wrapped(home, "demo", seconds=3.0)


@pytest.mark.parametrize(
    ("environ", "setting", "asked"),
    [
        ({"TERM": "xterm-ghostty"}, "auto", True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, "auto", True),
        ({"TERM": "xterm-256color"}, "auto", True),
        ({"TERM": "emacs"}, "auto", False),
        ({"TERM": "dumb-emacs-ansi"}, "auto", False),
        ({"TERM": "screen", "STY": "1"}, "auto", False),
        ({"TERM": "tmux-256color", "TMUX": "/x,1,0", "HC_TERMINAL_ID": "t1"}, "auto", True),
        ({"TERM": "xterm", "TUIOS_PANE_ID": "p1", "TMUX": "/x,1,0"}, "auto", True),
        ({"TERM": "xterm-256color"}, "always", True),
        ({"TERM": "linux"}, "always", False),
        ({"TERM": "xterm-ghostty", "TMUX": "/x,1,0"}, "auto", False),
        ({"TERM": "xterm-ghostty"}, "never", False),
        ({}, "auto", False),
    ],
)
def test_which_terminals_are_asked(environ: dict[str, str], setting: str, asked: bool) -> None:
    assert is_asked(environ, setting) is asked


def test_what_runs_in_the_background_is_told_as_children_and_taken_back() -> None:
    told: set[str] = set()
    terminal = Terminal(20, 4)
    busy = REPORT._replace(state="done", pending=(("agent", 1), ("shell", 2)))
    for report, expected in (
        (busy, [("", "done"), ("agent", "working"), ("shell", "working")]),
        (busy._replace(pending=(("shell", 1),)), [("", "done"), ("shell", "working")]),
        (busy._replace(pending=()), [("", "done")]),
    ):
        said = sequence(report, "")
        assert said is not None
        terminal.feed(said + children(report, told))
        records = terminal.program_status
        assert [(record.id, record.state) for record in records] == expected
    assert children(REPORT, set()) == b""


def test_a_report_is_one_by_the_protocols_rules() -> None:
    said = sequence(REPORT, "permission")
    assert said is not None
    report = parse_report(said.removeprefix(b"\x1b]7501;").removesuffix(b"\x1b\\").decode())
    assert report is not None
    assert (report.state, report.kind, report.app) == ("blocked", "permission", "Kimi-Code")
    assert report.message == "Übernehmen: rm -r x?"
    assert sequence(REPORT._replace(state="unknown"), "") is None
    assert sequence(REPORT._replace(agent="", message=""), "limit") == (
        b"\x1b]7501;state=blocked:app=agent:kind=question\x1b\\"
    )
