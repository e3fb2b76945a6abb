"""GNU screen as it is; the others by stand-ins that answer to their documented commands only."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.panes import BLOCKED, IDLE, PUPPET, tour
from tests.factories.waiting import until

from dejavu.extensions.panes.drawing import paint
from dejavu.extensions.panes.gnu_screen import GnuScreen
from dejavu.extensions.panes.kitty import Kitty
from dejavu.extensions.panes.multiplexer import Multiplexer, Pane, PaneError
from dejavu.extensions.panes.processes import agent_in
from dejavu.extensions.panes.wezterm import WezTerm
from dejavu.extensions.panes.zellij import Zellij
from dejavu.scrapers import Confidence, SessionReader, State
from dejavu.screen import Terminal

# Prints the answer filed under its arguments, and notes what it was called with.
STAND_IN = """#!{python}
import json, os, sys
folder = {folder!r}
name = " ".join(sys.argv[1:])
data = "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode()
with open(folder + "/calls", "a") as calls:
    calls.write(json.dumps([name, data]) + "\\n")
answers = json.load(open(folder + "/answers"))
if name not in answers:
    sys.exit("no such command: " + name)
sys.stdout.write(answers[name])
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """`stand_in("kitty", {"@ ls": "[]"})` puts such a program on the PATH."""

    def make(name: str, answers: dict[str, str]) -> Path:
        (tmp_path / "answers").write_text(json.dumps(answers))
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(STAND_IN.format(python=sys.executable, folder=str(tmp_path)))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        return tmp_path / "calls"

    return make


def calls(path: Path) -> list[list[str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_wezterm(stand_in: Callable[..., Path]) -> None:
    listing = [
        {
            "window_id": 0, "tab_id": 0, "pane_id": 4, "workspace": "default",
            "size": {"rows": 3, "cols": 20, "pixel_width": 1}, "title": "t",
            "cwd": "file://host/home/a%20b/", "cursor_x": 2, "cursor_y": 1, "tty_name": "/dev/null",
        }
    ]  # fmt: skip
    cli = "cli --no-auto-start"
    log = stand_in(
        "wezterm",
        {
            f"{cli} list --format json": json.dumps(listing),
            f"{cli} get-text --escapes --pane-id 4": "\x1b[1mone\x1b[0m\r\ntwo\r\n\r\n",
            f"{cli} send-text --pane-id 4": "",
            f"{cli} send-text --pane-id 4 --no-paste": "",
        },
    )
    wezterm = WezTerm()
    (pane,) = wezterm.panes(*wezterm.servers())
    assert (pane.source, pane.workspace, pane.tty) == ("wezterm:4", "/home/a b/", "/dev/null")
    assert agent_in(pane) is None
    shown = _drawn(wezterm, pane)
    assert [row.rstrip() for row in shown.snapshot().rows] == ["one", "two", ""]
    assert shown.snapshot().cursor == (1, 2)
    assert shown.snapshot().styles[0][0].style.bold
    wezterm.write(pane, b"a\rb", paste=True)
    wezterm.write(pane, b"\r", paste=False)
    assert [data for _, data in calls(log)[-2:]] == ["a\rb", "\r"]
    with pytest.raises(PaneError, match="gone"):
        wezterm.frame(pane._replace(id="9"))


def test_kitty(stand_in: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITTY_LISTEN_ON", "tcp:localhost:1")
    window = {
        "id": 7, "pid": os.getpid(), "cwd": "/w", "title": "t", "columns": 20, "lines": 2,
        "in_alternate_screen": True, "foreground_processes": [],
    }  # fmt: skip
    to = "@ --to tcp:localhost:1"
    log = stand_in(
        "kitty",
        {
            f"{to} ls": json.dumps([{"id": 1, "tabs": [{"id": 1, "windows": [window]}]}]),
            f"{to} get-text --ansi --match id:7": "\x1b[31mred\n",
            f"{to} send-text --match id:7 --bracketed-paste auto --stdin": "",
            f"{to} send-text --match id:7 --bracketed-paste disable --stdin": "",
        },
    )
    kitty = Kitty()
    assert kitty.servers() == ["tcp:localhost:1"]
    (pane,) = kitty.panes("tcp:localhost:1")
    assert (pane.source, pane.pid) == ("kitty:7", os.getpid())
    shown = _drawn(kitty, pane).snapshot()
    assert (shown.rows[0].rstrip(), shown.alternate) == ("red", True)
    kitty.write(pane, b"text", paste=True)
    kitty.write(pane, b"y", paste=False)
    assert [data for _, data in calls(log)[-2:]] == ["text", "y"]


def test_zellij(stand_in: Callable[..., Path]) -> None:
    entry = {
        "id": 1, "is_plugin": False, "exited": False, "title": "t", "pane_rows": 5,
        "pane_content_rows": 3, "pane_columns": 22, "pane_content_columns": 20,
        "cursor_coordinates_in_pane": [4, 1], "pane_command": "bash", "pane_cwd": "/w",
    }  # fmt: skip
    plugin = {**entry, "id": 2, "is_plugin": True}
    act = "--session main action"
    log = stand_in(
        "zellij",
        {
            "list-sessions --no-formatting": "main [Created 1s ago]\nold [Created] (EXITED - x)\n",
            f"{act} list-panes --json --all": json.dumps([entry, plugin]),
            f"{act} dump-screen --pane-id terminal_1 --ansi": "\x1b[32mok\x1b[0m\n",
            f"{act} paste --pane-id terminal_1 -- -a\nb": "",
            f"{act} write --pane-id terminal_1 -- 13": "",
        },
    )
    zellij = Zellij()
    assert zellij.servers() == ["main"]
    (pane,) = zellij.panes("main")
    assert (pane.source, pane.columns, pane.lines) == ("zellij:main:terminal_1", 20, 3)
    shown = _drawn(zellij, pane).snapshot()
    assert (shown.rows[0].rstrip(), shown.cursor) == ("ok", (1, 4))
    zellij.write(pane, b"-a\rb", paste=True)
    zellij.write(pane, b"\r", paste=False)
    assert calls(log)[-1][0].endswith("write --pane-id terminal_1 -- 13")


def test_a_multiplexer_that_talks_nonsense_is_an_error(
    stand_in: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("zellij", {"--session main action list-panes --json --all": "There is no pane"})
    with pytest.raises(PaneError):
        Zellij().panes("main")
    monkeypatch.setenv("KITTY_LISTEN_ON", "tcp:x:1")
    stand_in("kitty", {"@ --to tcp:x:1 ls": '{"a": 1}'})
    with pytest.raises(PaneError):
        Kitty().panes("tcp:x:1")
    stand_in("wezterm", {})
    assert WezTerm().servers() == []


@pytest.fixture
def screens(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for GNU screen's sockets, and the end of what was started there."""
    if shutil.which("screen") is None:
        pytest.skip("needs GNU screen")
    folder = Path(tempfile.mkdtemp(prefix="dv-", dir="/tmp"))
    folder.chmod(0o700)
    monkeypatch.setenv("SCREENDIR", str(folder))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    yield folder
    for session in GnuScreen().servers():
        subprocess.run(["screen", "-S", session, "-X", "quit"], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def test_gnu_screen(screens: Path, tmp_path: Path) -> None:
    program = tmp_path / "demo"
    program.write_text(PUPPET.format(python=sys.executable))
    program.chmod(0o755)
    os.mkfifo(tmp_path / "a.in")
    subprocess.run(
        ["screen", "-U", "-d", "-m", "-S", "work", str(program), str(tmp_path / "a")], check=True
    )
    screen = GnuScreen()
    (server,) = until(screen.servers)
    (pane,) = until(lambda: screen.panes(server))
    agent = until(lambda: agent_in(pane))
    assert (agent.agent, pane.source) == ("demo", f"screen:{server}:0")
    with (tmp_path / "a.in").open("wb", buffering=0) as fifo:
        fifo.write("eins zwei ünï\r\n$ ".encode())
        until(lambda: "eins zwei ünï" in screen.frame(pane).rows[0])
    assert not screen.frame(pane).styled
    screen.write(pane, b"a^b \\n $HOME '$(x) \\$\r", paste=True)
    until(
        lambda: (
            (tmp_path / "a.typed").exists() and (tmp_path / "a.typed").read_bytes().endswith(b"\r")
        )
    )
    assert (tmp_path / "a.typed").read_bytes() == b"a^b \\n $HOME '$(x) \\$\r"


def test_without_styles_no_verdict_is_strong() -> None:
    for event, state in ((IDLE, State.IDLE), (BLOCKED, State.BLOCKED)):
        for styled in (True, False):
            reader = SessionReader("demo", 100, 30, styled=styled)
            reader.output(tour(event), 0.0)
            reader.tick(60.0)
            assert reader.reading is not None
            weak = reader.reading.confidence is not Confidence.STRONG
            assert reader.state in (state, State.UNKNOWN)
            assert weak is not styled


def _drawn(multiplexer: Multiplexer, pane: Pane) -> Terminal:
    frame = multiplexer.frame(pane)
    terminal = Terminal(frame.columns, frame.lines)
    terminal.feed(paint(frame, first=True))
    return terminal
