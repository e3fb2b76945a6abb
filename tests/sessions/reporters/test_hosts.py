"""Hosts that are told in their own words: what shows that they are there, and the bytes they get."""

import json
from pathlib import Path

import pytest
from tests.sessions.reporters.test_outside import saying
from tests.sessions.reporters.test_terminal import wrapped

from dejavu.capsule.announcer import is_announcement
from dejavu.config.settings import Reporting
from dejavu.interfaces.doctor.installation import hosts, program_status
from dejavu.screen import AgentStatus, Terminal
from dejavu.sessions.reporters import iterm, orca, tmux
from dejavu.sessions.reporters.announcements import is_announced
from dejavu.sessions.reporters.marks import MARKS, found
from dejavu.sessions.reporters.report import Report

REPORT = Report("blocked", "amp", "s", "api", "Run a; b \\\\ c?")


@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({"HC_TERMINAL_ID": "t1", "TERM": "xterm-256color"}, ["Herdr 2"]),
        (
            {"TERM_PROGRAM": "ghostty", "TERM": "xterm-ghostty", "TMUX": "/x,1,0"},
            ["Ghostty", "tmux"],
        ),
        ({"TUIOS_PANE_ID": "p", "HERDR_PANE_ID": "1"}, ["herdr", "tuios"]),
        ({"ORCA_PANE_KEY": "t:1"}, ["orca"]),
        ({"TERM_PROGRAM": "iTerm.app"}, ["iTerm2"]),
        ({"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"}, []),
        ({}, []),
    ],
)
def test_hosts_are_found_by_what_they_set(environ: dict[str, str], names: list[str]) -> None:
    assert [mark.host for mark in found(environ)] == names


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("working", "status=Working\u2026;indicator=#ff9500;status-color=#ff9500;detail="),
        ("blocked", "status=Waiting;indicator=#5f87ff;status-color=#5f87ff;detail="),
        ("done", "status=Idle;indicator=#00d75f;status-color=#00d75f;detail="),
        ("unknown", "status=;indicator=;status-color=;detail="),
    ],
)
def test_iterm_is_told_and_what_it_is_told_is_read(state: str, expected: str) -> None:
    said = iterm.sequence(REPORT._replace(state=state, message=""))
    assert said == f"\x1b]21337;{expected}\x1b\\"
    assert is_announcement(said.encode())
    detailed = iterm.sequence(REPORT)
    assert is_announcement(detailed.encode())
    (event,) = Terminal(20, 4).feed(detailed.encode()).events
    assert event == AgentStatus("waiting", "", "", REPORT.message)


def test_orca_is_told_the_state_and_no_text() -> None:
    said = orca.sequence(REPORT)
    assert json.loads(said.removeprefix("\x1b]9999;").removesuffix("\x1b\\")) == {
        "state": "blocked", "agentType": "amp",
    }  # fmt: skip
    assert is_announcement(said.encode())
    assert orca.sequence(REPORT._replace(state="unknown")) == ""
    (event,) = Terminal(20, 4).feed(said.encode()).events
    assert event == AgentStatus("blocked", "amp")


def test_nobody_listens_where_no_host_is_around_or_a_multiplexer_stands_between() -> None:
    assert not is_announced({"TERM": "xterm-256color"}, Reporting())
    assert is_announced({"TERM": "xterm", "ITERM_SESSION_ID": "w0"}, Reporting())
    assert not is_announced({"TERM": "xterm", "ITERM_SESSION_ID": "w0"}, Reporting(hosts=False))
    assert not is_announced({"TERM": "tmux", "TMUX": "/x,1,0", "ORCA_PANE_KEY": "1"}, Reporting())


def test_a_wrapped_agent_tells_iterm_and_takes_it_back(home: Path) -> None:
    shown = wrapped(home, "demo", until=b"\x1b]21337;status=", ITERM_SESSION_ID="w0t0")
    assert b"\x1b]21337;status=" in shown
    assert iterm.TAKEN_BACK.encode() in shown


def test_doctor_says_which_host_it_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "STY", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HC_TERMINAL_ID", "t1")
    assert "Herdr 2 runs around this shell and gets states by program status (OSC 7501)" in [
        finding.message for finding in hosts()
    ]


@pytest.mark.parametrize(
    ("environ", "said", "message"),
    [
        ({"TERM": "xterm-ghostty"}, "", "sent if this terminal says that it can show it"),
        ({"TERM": "dumb"}, "", "not sent to this terminal"),
        ({"TERM": "tmux", "TMUX": "/x,1,0"}, "off\nxterm-ghostty\t", "not sent to this terminal"),
        ({"TERM": "tmux", "TMUX": "/x,1,0"}, "on\nxterm-256color\tghostty 1.4.0",
         "sent to ghostty 1.4.0 through tmux, without asking it"),
    ],
)  # fmt: skip
def test_doctor_says_whether_the_terminal_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], said: str, message: str
) -> None:
    for name in (
        "TMUX",
        "STY",
        "TERM_PROGRAM",
        *(name for mark in MARKS for name in mark.variables),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tmux, "answer", saying(said))
    for name, value in {"TMUX_PANE": "%1", **environ}.items():
        monkeypatch.setenv(name, value)
    (finding,) = program_status()
    assert finding.message == message
    assert bool(finding.fix) == ("off" in said)
