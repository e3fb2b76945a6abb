"""Hosts are told of an agent's state: by their own commands, without being waited for."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.sessions import header
from tests.factories.waiting import until

from dejavu.config.settings import Reporting
from dejavu.sessions.reporters import cmux, desktop, herdr, host_command, kitty, tmux, zellij
from dejavu.sessions.reporters.host_command import HostCommand
from dejavu.sessions.reporters.report import Report, one_line
from dejavu.sessions.reporters.reporters import Reporters, report_of
from dejavu.sessions.session_store import SessionView, Status

Told = Callable[[], list[list[str]]]
Host = Callable[..., tuple[str, Told]]
ODD = "a'b\"c $(touch x) `y` #{pane_id} #(date) \\; ;"
REPORT = Report("blocked", "claude", "s-1", ODD, "Do you want to?;")


def view(state: str, name: str = "api", **status: object) -> SessionView:
    return SessionView(
        Path("/none"), header("claude", "claude")._replace(name=name),
        Status(state=state, **status), live=True,  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host's program that writes its arguments down, and what was written."""

    def make(name: str, after: str = "") -> tuple[str, Told]:
        log, program = tmp_path / f"{name}.log", tmp_path / name
        program.write_text(
            f"#!{sys.executable}\nimport json, sys, time\n"
            f"with open({str(log)!r}, 'a') as file: file.write(json.dumps(sys.argv[1:]) + chr(10))\n"
            f"{after}\n"
        )
        program.chmod(0o755)

        def told() -> list[list[str]]:
            return (
                [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
            )

        return str(program), told

    return make


def play(reporters: Reporters, *views: SessionView) -> None:
    for one in views:
        reporters.changed(one, time.time())
        for _ in range(100):
            if reporters.due is None:
                break
            time.sleep(0.02)
            reporters.tick(time.time())


def test_no_host_no_command() -> None:
    reporters = Reporters({}, Reporting(), pytest.fail)
    play(reporters, view("working"))
    reporters.close()
    everywhere = {"TMUX": "/x,1,0", "TMUX_PANE": "%1", "HERDR_PANE_ID": "p"}
    assert Reporters(everywhere, Reporting(hosts=False), pytest.fail)._hosts == []


def test_herdr_hears_every_state_and_is_released(host: Host) -> None:
    program, told = host("herdr")
    environ = {"HERDR_PANE_ID": "w1:p2", "HERDR_BIN_PATH": program}
    reporters = Reporters(environ, Reporting(), pytest.fail)
    asked = {"kind": "permission", "question": "Run\n rm -r x?", "choices": ["Yes"]}
    play(reporters, view("working", message="Reading"), view("working", message="Reading"),
         view("blocked", blocked=asked), view("done"))  # fmt: skip
    reporters.close()
    source = ["w1:p2", "--source", "custom:dejavu", "--agent", "claude"]
    states = [line for line in told() if line[1] == "report-agent"]
    assert [line[7:9] for line in states] == [
        ["--state", "working"], ["--state", "blocked"], ["--state", "idle"],
    ]  # fmt: skip
    assert all(line[2:7] == source for line in told())
    assert states[1][-2:] == ["--message", "Run rm -r x?"]
    assert [line for line in told() if line[1] == "release-agent"] == [
        ["pane", "release-agent", *source]
    ]
    shown = [line[7:] for line in told() if line[1] == "report-metadata"]
    named = ["--title", "api", "--clear-state-labels"]
    assert shown == [named, named, named, ["--clear-title", "--clear-state-labels"]]
    assert herdr.Metadata.update_command(environ, REPORT._replace(state="error"))[-2:] == [
        "--state-label", "idle=error",
    ]  # fmt: skip
    assert "unknown" in herdr.update_command(environ, REPORT._replace(state="unknown"))


def test_a_host_that_hangs_is_left_alone(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_command, "LIMIT", 0.5)
    program, told = host("herdr", "time.sleep(60)")
    notes: list[str] = []
    environ = {"HERDR_PANE_ID": "p", "HERDR_BIN_PATH": program}
    reporters = Reporters(environ, Reporting(), notes.append)
    began = time.monotonic()
    for number in range(50):
        reporters.changed(view("working", message=str(number)), time.time())
    assert time.monotonic() - began < 0.4
    play(reporters, view("idle"))
    reporters.close()
    assert len(notes) == 2  # of its state, and of its list
    assert "left alone" in notes[0]
    assert len(told()) <= 2


def test_of_changes_that_come_too_fast_the_last_is_told(host: Host) -> None:
    program, told = host("herdr", "time.sleep(0.2)")
    reporters = Reporters(
        {"HERDR_PANE_ID": "p", "HERDR_BIN_PATH": program}, Reporting(), pytest.fail
    )
    for number in range(50):
        reporters.changed(view("working", message=str(number)), time.time())
    play(reporters)
    for _ in range(50):
        time.sleep(0.02)
        reporters.tick(time.time())
    assert [line[-1] for line in told() if line[1] == "report-agent"] == ["0", "49"]


def test_a_host_without_its_program_costs_a_note() -> None:
    notes: list[str] = []
    command = HostCommand("herdr", notes.append)
    for number in range(3):
        command.run(["/nonexistent/herdr"], float(number))
    command.run(["a\0b"], 9.0)
    command.close(["/nonexistent/herdr"])
    assert len(notes) == 1
    assert notes[0].startswith("herdr is not told: ")


def test_another_process_waits_for_the_command_that_runs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = HostCommand("host", print)
    command.run(["sh", "-c", f"sleep 0.3; echo update >> {out}"], 1.0)
    command.moved()
    command.close(["sh", "-c", f"echo clear >> {out}"])
    assert out.read_text().split() == ["update", "clear"]


def test_words_of_each_host() -> None:
    said = zellij.update_command({"ZELLIJ_PANE_ID": "3", "ZELLIJ_SESSION_NAME": "z"}, REPORT)
    assert said[:6] == ["zellij", "--session", "z", "pipe", "--name", "dejavu"]
    assert json.loads(said[-1]) == {"pane": "3", **REPORT._asdict(), "pending": []}
    window = {"KITTY_WINDOW_ID": "7", "KITTY_LISTEN_ON": "unix:/x"}
    assert list(kitty.update_command(window, REPORT))[-3:] == [
        "--", "dejavu_state=blocked", "dejavu_agent=claude",
    ]  # fmt: skip
    surface = {"CMUX_SURFACE_ID": "s"}
    assert ODD in (cmux.update_command(surface, REPORT) or ())
    assert cmux.update_command(surface, REPORT._replace(state="working")) is None
    assert desktop.update_command({}, REPORT._replace(state="idle")) is None
    assert (desktop.update_command({}, REPORT) or ())[-1] == "Do you want to?;"
    assert herdr.update_command({"HERDR_PANE_ID": "p"}, REPORT)[0] == "herdr"


def test_a_text_is_one_line_without_control_characters() -> None:
    assert one_line("a\x1b[31m\x07b\n\tc\u2028d\x9b" + "x" * 500)[:12] == "a[31mb c d" + "xx"
    assert report_of(view("working", message="one\ntwo")).message == "one two"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """A tmux server of its own."""
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux")
    socket = tmp_path / "tmux"
    environ = {name: value for name, value in os.environ.items() if name != "TMUX"}

    def call(*words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(socket), "-f", "/dev/null", *words],
            env=environ, capture_output=True, text=True, timeout=20,
        )  # fmt: skip
        return done.stdout.strip()

    call("new-session", "-d", "-x", "100", "-y", "30", "cat")
    yield call
    call("kill-server")


def test_a_name_full_of_marks_stays_a_text_in_tmux(
    server: Callable[..., str], tmp_path: Path
) -> None:
    pane = server("list-panes", "-F", "#{pane_id}")
    environ = {"TMUX": f"{tmp_path / 'tmux'},1,0", "TMUX_PANE": pane}
    subprocess.run(list(tmux.update_command(environ, REPORT)), check=True, timeout=20)
    assert server("display", "-p", "-t", pane, "#{@dejavu_state}") == "blocked"
    assert server("display", "-p", "-t", pane, "#{E:@dejavu_name}") == ODD.replace("#", "")
    assert server("display", "-p", "-t", pane, "#{@dejavu_message}") == "Do you want to?;"
    subprocess.run(list(tmux.clear_command(environ, REPORT)), check=True, timeout=20)
    assert server("display", "-p", "-t", pane, "[#{@dejavu_state}]") == "[]"


def test_an_agent_in_a_pane_of_tmux(home: Path, server: Callable[..., str]) -> None:
    words = [sys.executable, "-m", "dejavu.interfaces.run", "--name", "odd; #{pid}", "demo"]
    pane = server("new-window", "-P", "-F", "#{pane_id}", "-e", f"HOME={home}", shlex.join(words))
    seen: set[str] = set()

    def states() -> set[str]:
        seen.add(server("display", "-p", "-t", pane, "#{@dejavu_state}"))
        return seen

    until(lambda: "working" in states())
    assert server("display", "-p", "-t", pane, "#{@dejavu_name}") == "odd; {pid}"
    assert server("display", "-p", "-t", pane, "#{pane_current_command}") == "demo"
    until(lambda: states() & {"blocked", "idle", "done"})


def test_a_server_that_has_gone_costs_nothing(tmp_path: Path) -> None:
    environ = {"TMUX": f"{tmp_path / 'gone'},1,0", "TMUX_PANE": "%1"}
    reporters = Reporters(environ, Reporting(), pytest.fail)
    play(reporters, view("working"), view("idle"))
    reporters.close()


def test_of_reports_in_quick_succession_the_last_is_told_a_moment_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    monkeypatch.setattr(HostCommand, "run", lambda _self, command, _now: told.append(command[-1]))
    reporters = Reporters({"ZELLIJ": "0", "ZELLIJ_PANE_ID": "3"}, Reporting(), print)
    for step in range(100):  # a hundred changes in a second
        state = ("working", "idle")[step % 2]
        now = 10.0 + step / 100
        reporters.changed(view(state), now)
        if reporters.due is not None and now >= reporters.due:
            reporters.tick(now)
    assert len(told) <= 11
    reporters.tick(12.0)
    assert json.loads(told[-1])["state"] == "idle"
    assert reporters.due is None
