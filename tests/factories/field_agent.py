"""An agent with a text field, drawn in a real terminal by a program, under the real wrapper.

It takes bracketed pastes, answers each prompt after a while, and shows what it took. Words change it:
`deaf` shows nothing of what is typed, `swallows` drops what is entered, `breaks` takes the first Enter
for a line break, `spills` takes no Enter and then draws all but the first row below its field, `folds`
shows a paste as a token, `plain` asks for no pastes, `hint` shows a placeholder, `works` is at work for
long, `drops` works for two seconds and drops what is entered meanwhile. What it took is a line of its
log, as JSON.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.factories.waiting import until

from dejavu.sessions import session_store as sessions
from dejavu.sessions.field_text import FieldText
from dejavu.sessions.session_store import SessionView

PROGRAM = r"""
import json, os, re, select, sys, time, tty
log, words = sys.argv[1], sys.argv[2:]
tty.setraw(0)
if "plain" not in words: os.write(1, b"\x1b[?2004h")
os.write(1, b"\x1b[?1049h")
text, shown, pasted, transcript, until, breaks = "", "", False, ["* Hello."], 0.0, "breaks" in words
spilt = False
def draw():
    rows = transcript[-10:] + [""]
    if time.time() < until: rows += ["✻ Working… (1s · esc to interrupt)", ""]
    field = (shown or text).split("\n")[-8:]
    below = [field.pop() for _ in field[1:]][::-1] if spilt else []
    hint = "\x1b[2mTry: fix it\x1b[m" if "hint" in words and not text else ""
    box = ["─" * 80, "❯ " + (field[0] or hint), *("  " + row for row in field[1:]), "─" * 80,
           *below, "  ? for shortcuts"]
    rows += [""] * max(0, 24 - len(rows) - len(box)) + box
    at = len(rows) - 3 - len(below)
    column = 3 + len(field[-1])
    os.write(1, ("\x1b[?2026h\x1b[2J\x1b[H" + "\r\n".join(rows)
             + f"\x1b[{at + 1};{column}H\x1b[?2026l").encode())
def take():
    global text, shown, until
    if "drops" in words and until: text = shown = ""; return
    with open(log, "a") as file: file.write(json.dumps(text) + "\n")
    if "swallows" not in words:
        transcript.extend(["", *(("❯ " if n == 0 else "  ") + row
                                 for n, row in enumerate((shown or text).split("\n")))])
        until = time.time() + (30 if "works" in words else 2 if "drops" in words else 0.5)
    text = shown = ""
draw()
worked, rest = False, b""
while True:
    ready = select.select([0], [], [], 0.1)[0]
    if ready:
        data = rest + os.read(0, 65536)
        if b"\x1b[200~" in data and b"\x1b[201~" not in data:
            rest = data
            continue
        rest = b""
        for piece in re.split(rb"(\x1b\[200~.*?\x1b\[201~)", data, flags=re.S):
            if piece.startswith(b"\x1b[200~"):
                body = piece[6:-6].decode().replace("\r", "\n")
                if "deaf" in words: continue
                text += body
                if "folds" in words: shown = f"[Pasted text #1 +{body.count(chr(10))} lines]"
                continue
            for key in piece.decode():
                if key == "\x03": sys.exit(0)
                elif key == "\x15": text = shown = ""
                elif key == "\r" and "spills" in words: spilt = True
                elif key == "\r" and breaks: breaks, text = False, text + "\n"
                elif key == "\r": take() if text.strip() else None
                elif "deaf" not in words: text += key
        draw()
    elif until and time.time() > until:
        transcript.extend(["", "● It is done.", "", "✻ Worked for 1s"]); until = 0.0; draw()
"""

Start = Callable[..., SessionView]


@pytest.fixture
def field_agent(home: Path, tmp_path: Path) -> Iterator[Start]:
    """`field_agent("folds")` starts it; its session once it rests."""
    runs: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> SessionView:
        program = tmp_path / "demo"
        program.write_text(f"#!{sys.executable}\n{PROGRAM}")
        program.chmod(0o755)
        command = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--name", "field",
                   "--size", "80x24", "--", str(program), str(tmp_path / "log"), *words]  # fmt: skip
        runs.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ))
        until(lambda: any(view.session.name == "field" for view in sessions.find_all()))
        until(lambda: sessions.find("field").state in ("idle", "done"))
        return sessions.find("field")

    yield start
    for run in runs:
        run.terminate()
        run.wait(20)


SHELL = r"""
import json, sys, termios
while True:
    print("root@host:/srv/shop# ", end="", flush=True)
    line = input()
    if line == "hide":
        mode = termios.tcgetattr(0)
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(0, termios.TCSANOW, mode)
        print("hidden:", flush=True)
    with open(sys.argv[1], "a") as log: log.write(json.dumps(line) + "\n")
"""


@contextmanager
def prompting(folder: Path) -> Generator[SessionView]:
    """A program like a shell, which no rules know, at its prompt; `hide` stops its echo."""
    program = folder / "promptly"
    program.write_text(f"#!{sys.executable}\n{SHELL}")
    program.chmod(0o755)
    command = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--name", "field",
               "--size", "80x24", "--", str(program), str(folder / "log")]  # fmt: skip
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ)
    try:
        until(lambda: any(view.session.name == "field" for view in sessions.find_all()))
        view = sessions.find("field")
        until(lambda: "shop#" in "".join(FieldText(view.folder, "").look().around))
        yield view
    finally:
        run.terminate()
        run.wait(20)


def taken(folder: Path) -> list[str]:
    """What it took, in order."""
    log = folder / "log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
