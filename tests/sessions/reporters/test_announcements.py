"""Progress, notices and variables in the terminal: said where they are asked for, and nowhere else."""

from pathlib import Path

import pytest
from tests.sessions.reporters.test_terminal import wrapped

from dejavu.config.settings import Reporting
from dejavu.sessions.reporters.announcements import Announcements
from dejavu.sessions.reporters.report import Report

EVERY = Reporting(terminal_progress=True, terminal_notify=True, terminal_variables=True)
REPORT = Report("blocked", "claude", "s", "a;pi", "Run; it?")


def said(report: Report, config: Reporting = EVERY, **environ: str) -> str:
    environ = {"TERM": "xterm-256color", **environ}
    return "".join(Announcements(environ, config, Path("/none"), pytest.fail)._sequences(report))


def test_each_only_where_it_is_asked_for() -> None:
    assert said(REPORT, Reporting()) == ""
    assert said(REPORT, Reporting(terminal_progress=True)) == "\x1b]9;4;4;100\x1b\\"
    assert said(REPORT) == "\x1b]9;4;4;100\x1b\\\x1b]777;notify;a,pi: blocked;Run, it?\x1b\\"
    assert "SetUserVar=dejavu_state=YmxvY2tlZA==" in said(REPORT, WEZTERM_PANE="0")
    assert "SetUserVar" in said(REPORT, TERM_PROGRAM="iTerm.app")
    assert said(REPORT, TMUX="/x,1,0") == said(REPORT, TERM="dumb") == said(REPORT, STY="1") == ""
    assert said(REPORT._replace(state="idle")) == "\x1b]9;4;0\x1b\\"


def test_a_session_that_is_gone_is_a_note(tmp_path: Path) -> None:
    notes: list[str] = []
    announcements = Announcements({"TERM": "xterm"}, EVERY, tmp_path, notes.append)
    announcements.told(REPORT)
    announcements.told(REPORT._replace(state="working"))
    assert len(notes) == 1


def test_a_wrapped_agent_says_them_to_its_terminal(home: Path) -> None:
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[report]\nterminal_progress = true\nterminal_variables = true\n")
    shown = wrapped(home, "demo", until=b"\x1b]9;4;3\x1b\\", WEZTERM_PANE="1")
    assert b"\x1b]9;4;3\x1b\\" in shown
    assert b"\x1b]1337;SetUserVar=dejavu_agent=ZGVtbw==\x1b\\" in shown
    assert shown.endswith(b"\x1b]1337;SetUserVar=dejavu_state=\x1b\\") or b"9;4;0\x1b\\" in shown
    assert b"777;notify" not in shown
