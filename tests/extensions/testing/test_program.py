import os
import re
import signal
import sys
from pathlib import Path

import pytest

from dejavu.extensions.testing import (
    Program,
    ProgramEndedError,
    ProgramError,
    TerminalFixture,
    WaitError,
)
from dejavu.extensions.testing.processes import alive
from dejavu.model import SpawnError

ECHO = """
import os, sys, termios, tty
tty.setraw(0)
print(end="{modes}ready\\r\\n", flush=True)
while (data := os.read(0, 4096)) not in (b"q", b""):
    print(data, end="\\r\\n", flush=True)
"""


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


def echo(modes: str = "") -> list[str]:
    return python(ECHO.replace("{modes}", modes))


def test_keys_arrive_as_the_modes_want_them(terminal: TerminalFixture) -> None:
    app = terminal(echo())
    app.press("Up")
    app.wait_for(r"b'\x1b[A'")
    app.paste("two\nlines").wait_for(r"b'two\rlines'")
    app.press("q")
    assert app.wait_exit() == 0
    app = terminal(echo("\x1b[?1h\x1b[?2004h\x1b[>1u"))
    app.press("Up")
    app.wait_for(r"b'\x1bOA'")
    app.press("Escape")
    app.wait_for(r"b'\x1b[27u'")
    app.paste("x")
    app.wait_for(r"b'\x1b[200~x\x1b[201~'")


def test_clicks(terminal: TerminalFixture) -> None:
    app = terminal(echo("日本 "))
    with pytest.raises(ProgramError, match="has not asked for mouse"):
        app.click("ready")
    app = terminal(echo("\x1b[?1000h\x1b[?1006h日本 "))
    app.click("ready")
    app.wait_for(r"\x1b[<0;6;1M\x1b[<0;6;1m")
    app.click((3, 4), "wheel-down").wait_for(r"\x1b[<65;5;4M")
    with pytest.raises(ProgramError, match="looked for 'nowhere'"):
        app.click("nowhere")
    app = terminal(echo("\x1b[?1002h"))
    app.click((0, 300))
    app.wait_for(r"b'\x1b[M \xff!\x1b[M#\xff!'")


def test_the_window_is_what_was_asked_for(terminal: TerminalFixture) -> None:
    code = (
        "import os, signal\n"
        "def show(*_): os.write(1, b'%d %d\\n' % os.get_terminal_size())\n"
        "signal.signal(signal.SIGWINCH, show); show()\nwhile True: signal.pause()"
    )
    app = terminal(python(code), size=(33, 7))
    app.wait_for("33 7")
    app.resize(120, 40).wait_for("120 40")
    assert app.screen.columns == 120


def test_home_and_environment_are_clean(terminal: TerminalFixture, tmp_path: Path) -> None:
    os.environ["DEJAVU_LEAK"] = "1"
    code = (
        "import os; from pathlib import Path\nprint(Path.home(), os.getcwd(), sorted(os.environ))"
    )
    try:
        app = terminal(python(code), env={"EXTRA": "1", "TZ": None}, cwd=tmp_path, size=(200, 10))
        app.wait_exit()
    finally:
        del os.environ["DEJAVU_LEAK"]
    text = app.screen.unwrapped
    assert str(tmp_path) in text
    assert app.home in text
    assert Path(app.home).is_dir()
    assert "'EXTRA'" in text
    assert "'TZ'" not in text
    assert "LEAK" not in text
    app.close()
    assert not Path(app.home).exists()


def test_waiting_by_text_pattern_and_function(terminal: TerminalFixture) -> None:
    app = terminal(
        python("print('x' * 30 + 'wrapped' + 'y' * 9); print('n=12'); input()"), size=(33, 9)
    )
    app.wait_for("wrapped")
    match = app.wait_for(re.compile(r"n=(\d+)")).search(r"n=(\d+)")
    assert match is not None
    assert match[1] == "12"
    assert app.wait_for(lambda screen: screen.cursor[0] == 3).find("n=12") == (2, 0)


def test_what_is_not_there_fails_with_the_screen(terminal: TerminalFixture) -> None:
    app = terminal(python("print('Hello, World'); input()"), size=(30, 5))
    app.type("abc")
    with pytest.raises(WaitError) as failure:
        app.wait_for("Hello, Wrold", timeout=0.3)
    text = str(failure.value)
    assert "waited for text 'Hello, Wrold'" in text
    assert "nearest row: 'Hello, World'" in text
    assert "keys so far: type 'abc'" in text
    assert "│Hello, World" in text


def test_what_has_scrolled_away_is_named(terminal: TerminalFixture) -> None:
    app = terminal(python("for n in range(20): print(f'line {n:02}')\ninput()"), size=(20, 5))
    app.wait_for("line 19")
    with pytest.raises(WaitError, match="in the history, 14 lines above"):
        app.wait_for("line 02", timeout=0.1)
    assert app.screen.history[2] == "line 02"


def test_the_end_ends_every_wait_at_once(terminal: TerminalFixture) -> None:
    app = terminal(python("print('bye'); raise SystemExit(3)"), timeout=60)
    with pytest.raises(WaitError, match="ended with exit code 3"):
        app.wait_for("never")
    assert app.wait_idle().text == "bye"
    assert app.exit_code == app.wait_exit() == 3
    with pytest.raises(ProgramEndedError, match="tried to type 'x'"):
        app.type("x")


def test_a_program_that_cannot_be_started(terminal: TerminalFixture) -> None:
    with pytest.raises(SpawnError, match="not found"):
        terminal("no-such-program-at-all")
    with pytest.raises(ValueError, match="empty"):
        terminal([])


@pytest.mark.parametrize("cwd", [f"{__file__}.gone", __file__])
def test_a_folder_it_cannot_start_in(terminal: TerminalFixture, cwd: str) -> None:
    with pytest.raises(SpawnError, match="sleep"):
        terminal("sleep 60", cwd=cwd)


def test_output_that_never_rests(terminal: TerminalFixture) -> None:
    app = terminal("yes", timeout=0.5)
    app.wait_for("y")
    with pytest.raises(WaitError, match="mask what keeps changing"):
        app.wait_idle()


def test_a_spinner_rests_behind_a_mask(terminal: TerminalFixture) -> None:
    code = (
        "import itertools, time\n"
        "for c in itertools.cycle('|/-\\\\'): print('\\r' + c + ' busy', end='', flush=True); time.sleep(.02)"
    )
    app = terminal(python(code), masks=[r"^[|/\\-] busy"])
    app.wait_for("busy")
    app.wait_idle(0.2)


def test_an_update_that_is_not_closed_is_no_rest(terminal: TerminalFixture) -> None:
    app = terminal(python("print('\\x1b[?2026hhalf', flush=True); input()"), timeout=0.5)
    with pytest.raises(WaitError, match=r"update .* not ended"):
        app.wait_idle()


def test_silence_is_rest(terminal: TerminalFixture) -> None:
    assert terminal("sleep 60").wait_idle().text == ""


def test_frames_that_come_late_are_not_missed(terminal: TerminalFixture) -> None:
    """All are in the kernel's buffer before the first is looked at."""
    frames = "".join(f"\\x1b[?2026h\\x1b[Hframe {n}\\x1b[?2026l" for n in range(9))
    app = terminal(python(f"print('{frames}', end='', flush=True); input()"))
    while not app._frames:
        app._read()
    assert [app.wait_for(f"frame {n}").text for n in range(9)][3] == "frame 3"


def test_suspended_and_resumed(terminal: TerminalFixture) -> None:
    app = terminal(python("while True: print('got', input(), flush=True)"))
    app.type("one\n").wait_for("got one")
    app.press("Ctrl+Z").wait_idle()
    assert "is suspended" in app.describe()
    app.resume().type("two\n").wait_for("got two")


def test_signals_and_exit_codes(terminal: TerminalFixture) -> None:
    app = terminal("sleep 60")
    assert app.signal(signal.SIGTERM).wait_exit() == 128 + signal.SIGTERM


def test_more_than_it_reads(terminal: TerminalFixture) -> None:
    app = terminal(
        python("import tty, time\ntty.setraw(0)\nprint('up')\ntime.sleep(60)"), timeout=1
    )
    app.wait_for("up")
    with pytest.raises(WaitError, match="bytes are not read"):
        app.paste("x" * 300_000)


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (500, 200)])
def test_odd_sizes(terminal: TerminalFixture, size: tuple[int, int]) -> None:
    app = terminal(python("print('日本語 e\u0301 🧑‍💻' * 3); input()"), size=size)
    screen = app.wait_idle()
    assert (screen.columns, screen.lines) == size
    app.press("Enter")
    assert app.wait_exit() == 0


def test_whoever_ignores_everything_is_ended() -> None:
    code = (
        "import os, signal, time\n"
        "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n"
        "if os.fork() == 0: os.setsid()\n"
        "print('up', flush=True); time.sleep(600)"
    )
    with Program(python(code)) as app:
        app.wait_for(lambda screen: screen.text.count("up") == 2)
        marker = app._marker
        assert len(list(alive(marker, app._pty.leader))) >= 2
    assert not list(alive(marker, app._pty.leader))
    app.close()


def test_screens_have_links_styles_and_a_title(terminal: TerminalFixture) -> None:
    code = r"print('\x1b]2;name\x07日 \x1b]8;;https://a.example\x1b\\link\x1b]8;;\x1b\\ \x1b[1;32mok'); input()"
    screen = terminal(python(code)).wait_for("ok")
    assert screen.title == "name"
    assert screen.links == (("link", "https://a.example", 0, 3),)
    assert screen.find("ok") == (0, 8)
    assert screen.style(0, 8).bold
    assert screen.style(0, 8).fg == 2
    assert not screen.style(0, 0).bold
    with pytest.raises(IndexError):
        screen.style(24, 0)
    assert "missing" not in screen
