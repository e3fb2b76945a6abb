"""What opening the browser costs, beside an empty Textual app, agentsview, lazygit and atuin.

Fills an archive of 10,000 conversations, one of them of 5,000 turns, and starts, interleaved, in a
pseudo-terminal of 120x40: `dejavu`; a Textual app with nothing in it; and of the peers whatever is
installed, each with data of its own. A program is open when what it shows first has arrived
(a text that is named here), then it is asked to leave. CPU is user + system of the whole
life, memory the largest resident size when open. Medians of the rounds.

Then it pages through the long thread, in one process without a terminal: the CPU time of each key,
until its frame is drawn. Prints JSON.

    python -m benchmarks.interfaces.tui [ROUNDS] [CONVERSATIONS]

agentsview, lazygit and atuin are taken from the PATH, and left out where they are not.
"""

import asyncio
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from benchmarks.interfaces import tui_corpus

SIZE = (120, 40)
DEJAVU = str(Path(sys.executable).parent / "dejavu")
EMPTY = "from textual.app import App; App().run()"
# An empty page is there when its last row was drawn.
FRAME = b"\x1b[40;1H"
# A full-screen program asks its terminal some things, and may wait a while for the answers.
ANSWERS = {b"\x1b[c": b"\x1b[?62;22c", b"\x1b[6n": b"\x1b[1;1R"}
PAGES = 400


class Program(NamedTuple):
    """What to start, where, what shows that it is open, and the key that ends it."""

    command: list[str]
    env: dict[str, str]
    shown: bytes
    leave: bytes
    folder: Path


class Life(NamedTuple):
    """Seconds until open, CPU seconds of the whole life, the largest resident size in MB."""

    opened: float
    cpu: float
    peak: float


def _peak(pid: int) -> float:
    """The largest resident size so far, in MB (`ru_maxrss` would count us before the exec)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _child(program: Program) -> None:
    os.chdir(program.folder)
    os.execvpe(program.command[0], program.command, program.env)


def live(program: Program) -> Life:
    """Start it, wait until it is open, end it."""
    begun = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        _child(program)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
    seen, opened, peak, deadline = b"", 0.0, 0.0, begun + 60
    while time.perf_counter() < deadline:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
        for question, answer in ANSWERS.items():
            if question in data:
                os.write(terminal, answer)
        if not opened and program.shown in seen:
            opened, peak = time.perf_counter() - begun, _peak(pid)
            os.write(terminal, program.leave)
            deadline = time.perf_counter() + 10
    else:
        os.kill(pid, signal.SIGKILL)
    _, _, usage = os.wait4(pid, 0)
    os.close(terminal)
    if not opened:
        raise RuntimeError(f"{program.command[0]} never showed {program.shown!r}: {seen[-400:]!r}")
    return Life(opened, usage.ru_utime + usage.ru_stime, peak)


def programs(folder: Path, env: dict[str, str]) -> dict[str, Program]:
    """Ours, the empty app, and the peers that are here, each with something to show."""
    here = {
        "dejavu": Program([DEJAVU], env, b"Why does the", b"q", folder),
        "empty Textual app": Program([sys.executable, "-c", EMPTY], env, FRAME, b"\x11", folder),
    }
    if shutil.which("lazygit"):
        repo = folder / "repo"
        run = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost"]
        subprocess.run(["git", "init", "-q", str(repo)], check=True, env=env)
        (repo / "readme").write_text("hello\n")
        subprocess.run([*run, "add", "."], check=True, cwd=repo, env=env)
        subprocess.run([*run, "commit", "-qm", "first-commit"], check=True, cwd=repo, env=env)
        settings = folder / "lazygit.yml"
        settings.write_text("disableStartupPopups: true\n")
        here["lazygit"] = Program(
            ["lazygit", "--use-config-file", str(settings)], env, b"first", b"q", repo
        )
    if shutil.which("atuin"):
        # Ten thousand commands, as its own importer reads them.
        history = folder / ".bash_history"
        history.write_text(
            "".join(f"#{1770000000 + n}\ngrep -rn case-{n} src\n" for n in range(10000))
        )
        shell = {**env, "HISTFILE": str(history), "SHELL": "/bin/bash", "ATUIN_SESSION": "0" * 32}
        subprocess.run(["atuin", "import", "bash"], check=True, env=shell, capture_output=True)
        here["atuin"] = Program(["atuin", "search", "-i"], shell, b"case-9999", b"\x03", folder)
    return here


async def _scrolled() -> list[float]:
    from dejavu.interfaces.tui.app import Browser
    from dejavu.providers import Home

    app, spent = Browser(Home(Path.home(), {})), []
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("enter")
        await pilot.pause(0.5)
        for key in ("pagedown", "j", "]", "end", "pageup", "home"):
            for _ in range(PAGES if key == "pagedown" else PAGES // 8):
                begun = time.process_time()
                await pilot.press(key)
                app.screen._compositor.render_strips()
                spent.append(time.process_time() - begun)
    return spent


def scrolling() -> dict[str, float]:
    """Milliseconds of CPU a key, while one goes through 5,000 turns."""
    spent = sorted(asyncio.run(_scrolled()))
    at = {"median": 0.5, "p99": 0.99, "worst": 1.0}
    told = {name: spent[min(len(spent) - 1, int(len(spent) * q))] for name, q in at.items()}
    return {"keys": len(spent), **{name: round(1000 * value, 1) for name, value in told.items()}}


def agentsview(folder: Path, env: dict[str, str]) -> Life | None:
    """It is a server with a page: open is when the page answers."""
    if not shutil.which("agentsview"):
        return None
    data = {**env, "AGENTSVIEW_DATA_DIR": str(folder / "view")}
    begun = time.perf_counter()
    command = ["agentsview", "serve", "--port", "18497", "--no-browser"]
    log = (folder / "view.log").open("wb")
    child = subprocess.Popen(command, env=data, stdout=log, stderr=log, cwd=folder)
    try:
        ask = ["curl", "-sfo", "/dev/null", "http://127.0.0.1:18497/"]
        while subprocess.run(ask).returncode:
            if time.perf_counter() - begun > 30 or child.poll() is not None:
                return None
            time.sleep(0.01)
        opened, peak = time.perf_counter() - begun, _peak(child.pid)
    finally:
        child.terminate()
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    return Life(opened, usage.ru_utime + usage.ru_stime, peak)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    lives: defaultdict[str, list[Life]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="dejavu-bench-", dir="/var/tmp") as scratch:
        folder = Path(scratch)
        data = folder / ".local/share/dejavu"
        data.mkdir(parents=True, mode=0o700)
        tui_corpus.fill(data / "archive", count)
        env = {"PATH": os.environ["PATH"], "HOME": scratch, "LANG": "C.UTF-8",
               "TERM": "xterm-256color", "COLORTERM": "truecolor",
               **{n: os.environ[n] for n in ("PYTHONPATH",) if n in os.environ}}  # fmt: skip
        every = programs(folder, env)
        for _ in range(rounds):
            for name, program in every.items():
                lives[name].append(live(program))
            if (served := agentsview(folder, env)) is not None:
                lives["agentsview serve"].append(served)
        os.environ.update(env)
        scrolled = scrolling()
    table = {
        name: {
            "open_ms": round(1000 * statistics.median(one.opened for one in seen)),
            "cpu_ms": round(1000 * statistics.median(one.cpu for one in seen)),
            "peak_mb": round(statistics.median(one.peak for one in seen), 1),
        }
        for name, seen in lives.items()
    }
    ours, empty = table["dejavu"], table["empty Textual app"]
    print(
        json.dumps(
            {
                "conversations": count,
                "rounds": rounds,
                "programs": table,
                "open / empty": round(ours["open_ms"] / empty["open_ms"], 2),
                "cpu / empty": round(ours["cpu_ms"] / empty["cpu_ms"], 2),
                "scroll_5000_turns_cpu_ms": scrolled,
                "load": round(os.getloadavg()[0], 1),
            }
        )
    )


if __name__ == "__main__":
    main()
