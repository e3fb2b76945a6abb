"""Dialogs of coding agents, drawn in a real terminal by a program that says which choice it took.

`recorded` takes a dialog from a screen under `golden/status/`; `PROGRAM` draws a dialog and takes keys as its
agent does: the pointer moves by arrows, Enter takes what is highlighted, a letter its choice. What it
took is a line of its log. A USR1 makes it draw the dialog that its file holds by then.
"""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tests.factories.waiting import until

from dejavu.sessions import session_store as sessions
from dejavu.sessions.session_store import SessionView
from dejavu.sessions.start_session import start
from dejavu.sessions.stop_session import stop

GOLDEN = Path(__file__).parents[2] / "golden" / "status"
_REST = ["● It goes on.", "", "─" * 60, "❯ ", "─" * 60, "  ? for shortcuts"]

PROGRAM = r"""
import json, os, signal, sys, tty
tty.setraw(0)
spec_path, log = sys.argv[1:3]
again = lambda *_: None
signal.signal(signal.SIGUSR1, again)
signal.siginterrupt(signal.SIGUSR1, True)
def draw(rows):
    os.write(1, b"\x1b[2J\x1b[H\x1b[m" + "\r\n".join(rows).encode())
reader, writer = os.pipe()
os.set_blocking(writer, False)
signal.set_wakeup_fd(writer)
import select
open(spec_path + ".ready", "w").close()  # a signal before this would end the program
def load():
    return json.load(open(spec_path))
spec, at, asks = load(), 0, True
at = spec["at"]
while True:
    draw(spec["frames"][at] if asks else spec["rest"])
    ready, _, _ = select.select([0, reader], [], [])
    if reader in ready:
        os.read(reader, 64)
        spec, asks = load(), True
        at = spec["at"]
        continue
    data = os.read(0, 4096)
    if not data:
        break
    if not asks:
        continue
    taken = None
    if data in (b"\x1b[B", b"\x1b[C", b"\x1bOB", b"\x1bOC"):
        if data[-1:].decode() in spec["moves"]:
            last = len(spec["labels"]) - 1
            at = 0 if at == last and spec["wraps"] else min(at + 1, last)
    elif data in (b"\x1b[A", b"\x1b[D", b"\x1bOA", b"\x1bOD"):
        if data[-1:].decode() in spec["moves"]:
            at = len(spec["labels"]) - 1 if not at and spec["wraps"] else max(at - 1, 0)
    else:
        for key in data.decode("utf-8", "replace"):
            if key == "\r":
                taken = at
            elif key.lower() in spec["letters"]:
                taken = spec["letters"][key.lower()]
            if taken is not None:
                break
    if taken is not None:
        with open(log, "a") as file:
            file.write(spec["labels"][taken] + "\n")
        asks = False
"""


@dataclass(frozen=True)
class Dialog:
    """Labels, the screen with each of them highlighted, and the keys that it takes.

    `moves` are the last letters of its arrows: AB up and down, CD left and right. `letters` has the
    index of the choice that a key takes. `wraps`: behind its last choice comes the first.
    """

    labels: list[str]
    frames: list[list[str]]
    moves: str = "AB"
    letters: dict[str, int] = field(default_factory=dict)
    at: int = 0
    rest: list[str] = field(default_factory=lambda: list(_REST))
    wraps: bool = False

    def write(self, path: Path) -> None:
        """Write it for the program, whole at once."""
        new = path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self)))
        new.replace(path)


def recorded(screen: str) -> Dialog:
    """The dialog of a recorded screen: `copilot/...`, with its own rows and its own keys."""
    _, _, body = (GOLDEN / screen).read_text("utf-8").partition("\n---\n")
    rows = body.rstrip("\n").split("\n")
    agent = screen.partition("/")[0]
    if agent == "opencode":
        return beside(rows, ["Allow once", "Allow always", "Reject"])
    if agent == "cline":
        row = next(n for n, text in enumerate(rows) if "[y] Approve" in text)
        frame = list(rows)
        frame[row] = rows[row].replace("[y] Approve", "\x1b[7m[y] Approve\x1b[27m")
        other = list(rows)
        other[row] = rows[row].replace("[n] Deny", "\x1b[7m[n] Deny\x1b[27m")
        return Dialog(["Approve", "Deny"], [frame, other], "", {"y": 0, "n": 1})
    return pointed(rows)


def pointed(rows: Sequence[str]) -> Dialog:
    """A dialog whose numbered rows a pointer goes along."""
    entry = re.compile(
        r"^(?P<before>[\s│]*)[❯›> ] (?P<number>\d)\. (?P<label>\S.*?)(?=\s{2,}|\s*│|$)"
    )
    found = {n: match for n, row in enumerate(rows) if (match := entry.match(row))}
    last = max(found)
    listed = [last]
    while (above := listed[0] - 1) in found or (above := above - 1) in found:
        if int(found[above]["number"]) != int(found[listed[0]]["number"]) - 1:
            break
        listed.insert(0, above)
    glyph = next(rows[n][found[n].end("before")] for n in listed if "❯›>".find(
        rows[n][found[n].end("before")]) >= 0)  # fmt: skip
    frames = []
    for at in listed:
        frame = list(rows)
        for n in listed:
            column = found[n].end("before")
            frame[n] = rows[n][:column] + (glyph if n == at else " ") + rows[n][column + 1 :]
        frames.append(frame)
    return Dialog([found[n]["label"] for n in listed], frames)


def beside(rows: Sequence[str], labels: list[str]) -> Dialog:
    """A dialog whose choices are side by side, the highlighted one by its colour alone."""
    row = next(n for n, text in enumerate(rows) if all(label in text for label in labels))
    frames = []
    for label in labels:
        frame = list(rows)
        frame[row] = rows[row].replace(label, f"\x1b[7m{label}\x1b[27m")
        frames.append(frame)
    return Dialog(labels, frames, "CD")


def plain(dialog: Dialog) -> Dialog:
    """The same dialog with nothing that shows which choice is highlighted."""
    frames = [[re.sub(r"\x1b\[\d*m", "", row) for row in rows] for rows in dialog.frames]
    return replace(dialog, frames=frames)


@contextmanager
def drawn(dialog: Dialog, folder: Path, agent: str, size: str) -> Iterator[SessionView]:
    """A wrapped session of a program called `agent` that draws the dialog and logs into `log`."""
    program, spec = folder / agent, folder / "dialog.json"
    program.write_text(f"#!{sys.executable}\n{PROGRAM}")
    program.chmod(0o755)
    dialog.write(spec)
    view = start([str(program), str(spec), str(folder / "log")], name=f"asks-{agent}", size=size)
    try:
        until(lambda: (now := sessions.load(view.folder)) and now.session.agent_pid)
        until((folder / "dialog.json.ready").exists)
        yield view
    finally:
        stop(view, timeout=10, kill=True)


def ask_next(view: SessionView, dialog: Dialog, folder: Path) -> None:
    """Make the running program draw another dialog."""
    dialog.write(folder / "dialog.json")
    now = sessions.load(view.folder)
    assert now is not None
    assert now.session.agent_pid is not None
    os.kill(now.session.agent_pid, signal.SIGUSR1)


def taken(folder: Path) -> list[str]:
    """The labels of the choices that the program took."""
    log = folder / "log"
    return log.read_text().splitlines() if log.exists() else []


def shown_blocked(view: SessionView, words: str, seconds: float = 20.0) -> SessionView | None:
    """The session once it is blocked by a dialog about `words`; None where it is not read so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        now = sessions.load(view.folder)
        blocked = now.status.blocked if now is not None and now.state == "blocked" else None
        if now is not None and blocked is not None and words in repr(blocked):
            return now
        time.sleep(0.05)
    return None
