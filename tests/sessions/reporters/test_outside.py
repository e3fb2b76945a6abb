"""The terminal outside a multiplexer: told through real tmux and GNU screen, and through two of them."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.factories.outer_terminal import PLAIN, OuterTerminal, Puppet

from dejavu.sessions.reporters import iterm, orca, outside, tmux
from dejavu.sessions.reporters.outside import WayOut, way_out
from dejavu.sessions.reporters.report import Report

LINE = "\u2500" * 78
BOX = f"{LINE}\n\u276f \n{LINE}\n  ? for shortcuts"
_DIALOG = (
    f"{LINE}\n Bash command\n\n   rm x\n\n Do you want to proceed?\n \u276f 1. Yes\n   2. No\n\n"
    " Esc to cancel \u00b7 Tab to amend"
)
SCREENS = [
    ("working", f"\u276f go\n\n\u273b Working\u2026 (1s \u00b7 esc to interrupt)\n\n{BOX}", 1.5),
    ("blocked", _DIALOG, 1.5),
    ("working", f"\u276f go\n\n\u273b Working\u2026 (4s \u00b7 esc to interrupt)\n\n{BOX}", 1.0),
]  # fmt: skip
NAMED = {
    b"\x1b[>q": b"\x1bP>|ghostty 1.4.0\x1b\\",
    b"\x1b[>0q": b"\x1bP>|ghostty 1.4.0\x1b\\",
    **PLAIN,
}

needs_tmux = pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux")
needs_screen = pytest.mark.skipif(not shutil.which("screen"), reason="needs GNU screen")


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="dvout") as folder:
        yield Path(folder)


def environment(home: Path, setting: str = "auto") -> dict[str, str]:
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[report]\nterminal = "{setting}"\n')
    return {
        "HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": os.environ["PATH"],
        "DEJAVU_WARM_OBSERVER": "off", "SHELL": "/bin/sh",
    }  # fmt: skip


def saying(said: str) -> Callable[[Mapping[str, str], list[str]], str]:
    """A tmux that answers every question with `said`."""

    def answer(_environ: Mapping[str, str], _question: list[str]) -> str:
        return said

    return answer


def in_tmux(server: Path, words: list[str], *options: str) -> list[str]:
    """A tmux server of its own whose pane runs a command."""
    set_options = [word for option in options for word in (*option.split(), ";")]
    return ["tmux", "-S", str(server), "-f", "/dev/null", *set_options, "new-session",
            "-x", "120", "-y", "40", shlex.join(words)]  # fmt: skip


def states_outside(
    puppet: Puppet, argv: list[str], environ: dict[str, str], answers: dict[bytes, bytes]
) -> tuple[list[tuple[str, str]], bytes]:
    """The reports that the terminal outside got, and all that it was sent."""
    terminal = OuterTerminal(argv, environ, answers)
    try:
        assert terminal.run(lambda: puppet.is_done), terminal.shown
        terminal.run(lambda: any(state == "clear" for _, _, state in terminal.statuses()), 12)
    finally:
        terminal.close()
    return [(record, state) for _, record, state in terminal.statuses()], terminal.shown


@needs_tmux
@pytest.mark.parametrize(
    ("option", "answers", "setting", "told"),
    [
        ("allow-passthrough on", NAMED, "auto", True),
        ("allow-passthrough on", PLAIN, "auto", False),  # a terminal that is not known to listen
        ("allow-passthrough on", PLAIN, "always", True),
        ("allow-passthrough off", NAMED, "auto", False),
    ],
)
def test_a_terminal_outside_tmux_is_told_where_it_listens(
    home: Path, short: Path, option: str, answers: dict[bytes, bytes], setting: str, told: bool
) -> None:
    puppet, server = Puppet(short / "a", "claude", SCREENS, after=6), short / "t"
    argv = in_tmux(server, puppet.argv, f"set-option -g {option}")
    try:
        states, shown = states_outside(puppet, argv, environment(home, setting), answers)
    finally:
        subprocess.run(["tmux", "-S", str(server), "kill-server"], check=False)
    expected = [("pane.0", state) for state in ("working", "blocked", "working", "clear")]
    assert states == (expected if told else [])
    assert b"7501;?" not in shown  # the terminal outside is never asked
    assert puppet.typed == b""


@needs_tmux
def test_iterm_and_orca_are_told_through_a_tmux_that_passes_sequences_on(
    home: Path, short: Path
) -> None:
    puppet, server = Puppet(short / "a", "claude", SCREENS, after=6), short / "t"
    argv = in_tmux(server, puppet.argv, "set-option -g allow-passthrough on")
    names = b"\x1bP>|iTerm2 3.6.0\x1b\\"
    terminal = OuterTerminal(
        argv, environment(home), {b"\x1b[>q": names, b"\x1b[>0q": names, **PLAIN}
    )
    try:
        assert terminal.run(lambda: puppet.is_done), terminal.shown
        terminal.run(lambda: iterm.TAKEN_BACK.encode() in terminal.shown, 12)
    finally:
        terminal.close()
        subprocess.run(["tmux", "-S", str(server), "kill-server"], check=False)
    told = re.findall(rb"\x1b\]21337;status=([^;]*);", terminal.shown)
    assert told == [word.encode() for word in ("Working\u2026", "Waiting", "Working\u2026", "")]
    assert b"]9999;" not in terminal.shown


@pytest.mark.parametrize(
    ("said", "orca_key", "hosts"),
    [
        ("on\nxterm-256color\tiTerm2 3.6.0", "", ["iterm"]),
        ("on\nxterm-256color\txterm.js(5.5.0)", "t:1", ["orca"]),
        ("on\nxterm-256color\txterm.js(5.5.0)", "", []),  # another terminal of that making
        ("off\nxterm-256color\tiTerm2 3.6.0", "", []),
    ],
)
def test_hosts_outside_are_known_by_what_they_told_tmux(
    monkeypatch: pytest.MonkeyPatch, said: str, orca_key: str, hosts: list[str]
) -> None:
    monkeypatch.setattr(tmux, "answer", saying(said))
    environ = {"TERM": "tmux", "TMUX": "/x,1,0", "TMUX_PANE": "%3", "ORCA_PANE_KEY": orca_key}
    around = outside.terminals(environ)
    found = [host.__name__.rpartition(".")[2] for host in (iterm, orca)
             if host.is_outside(environ, around)]  # fmt: skip
    assert found == hosts


def test_one_state_for_all_panes_is_that_of_the_pane_which_needs_a_person_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    panes = "%3\terror\tclaude\told\n%4\tblocked\tcodex\tRun it?\n%5\t\t\t\n%6\tidle\tamp\t"
    monkeypatch.setattr(tmux, "answer", saying(panes))
    environ = {"TMUX": "/x,1,0", "TMUX_PANE": "%3"}
    report = Report("working", "claude", "s", "api", "Reading")
    told = tmux.most_urgent(environ, report)
    assert (told.state, told.agent, told.message) == ("blocked", "codex", "Run it?")
    monkeypatch.setattr(tmux, "answer", saying("%3\tblocked\tclaude\told\n%6\tidle\tamp\t"))
    assert tmux.most_urgent(environ, report) == report


@needs_tmux
def test_through_two_tmux_where_the_operator_says_so(home: Path, short: Path) -> None:
    puppet, passes = (
        Puppet(short / "a", "claude", SCREENS, after=6),
        "set-option -g allow-passthrough on",
    )
    inner = ["env", "-u", "TMUX", *in_tmux(short / "i", puppet.argv, passes)]
    argv = in_tmux(short / "o", inner, passes)
    try:
        states, _ = states_outside(puppet, argv, environment(home, "always"), PLAIN)
    finally:
        for server in ("i", "o"):
            subprocess.run(["tmux", "-S", str(short / server), "kill-server"], check=False)
    assert states == [("pane.0", state) for state in ("working", "blocked", "working", "clear")]


@needs_screen
def test_through_gnu_screen_where_the_operator_says_so(home: Path, short: Path) -> None:
    puppet = Puppet(short / "a", "claude", SCREENS, after=6)
    (short / "rc").write_text("startup_message off\n")
    (short / "s").mkdir(mode=0o700)
    environ = {**environment(home, "always"), "SCREENDIR": str(short / "s")}
    argv = ["screen", "-U", "-c", str(short / "rc"), "-S", "dv", *puppet.argv]
    states, _ = states_outside(puppet, argv, environ, PLAIN)
    assert states == [("window.0", state) for state in ("working", "blocked", "working", "clear")]


@pytest.mark.parametrize(
    ("environ", "setting", "said", "way"),
    [
        ({"TERM": "tmux-256color"}, "auto", "on\nxterm-ghostty\t",
         WayOut(("tmux",), "pane.3", "xterm-ghostty")),
        ({"TERM": "screen"}, "auto", "all\nxterm-256color\tghostty 1.4.0",
         WayOut(("tmux",), "pane.3", "ghostty 1.4.0")),
        ({"TERM": "tmux"}, "always", "on\ntmux-256color\ttmux 3.5",
         WayOut(("tmux", "tmux"), "pane.3", "tmux 3.5")),
        ({"TERM": "tmux"}, "always", "on\nscreen\t", WayOut(("tmux", "screen"), "pane.3", "screen")),
        ({"TERM": "tmux"}, "auto", "on\ntmux-256color\ttmux 3.5", None),
        ({"TERM": "tmux"}, "auto", "on", None),  # no terminal is attached
        ({"TERM": "tmux"}, "auto", "\nxterm-ghostty\t", None),  # a tmux that does not say
        ({"TERM": "xterm-ghostty"}, "always", "on\nxterm-ghostty\t", None),  # TMUX is inherited
        ({"TERM": "screen", "STY": "1"}, "always", "on\nxterm-ghostty\t", None),  # which is inside?
        ({"TERM": "tmux"}, "never", "on\nxterm-ghostty\t", None),
    ],
)  # fmt: skip
def test_the_way_out_is_tmuxs_own_word(
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
    setting: str,
    said: str,
    way: WayOut | None,
) -> None:
    monkeypatch.setattr(tmux, "answer", saying(said))
    assert way_out({"TMUX": "/x,1,0", "TMUX_PANE": "%3", **environ}, setting) == way


def test_gnu_screen_is_used_only_where_the_operator_says_so() -> None:
    environ = {"TERM": "screen.xterm-256color", "STY": "1.pts", "WINDOW": "2"}
    assert way_out(environ, "auto") is None
    assert way_out(environ, "always") == WayOut(("screen",), "window.2", "")
    assert way_out({**environ, "TERM": "xterm"}, "always") is None
    assert outside.way_out({"TERM": "xterm-ghostty"}, "auto") is None
